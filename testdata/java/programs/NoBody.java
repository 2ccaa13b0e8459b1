// The main method is native: there is nothing to check.
public class NoBody {
	public static native void main(String[] args);
}
