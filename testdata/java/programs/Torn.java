// A plain long is written as two halves (JLS 17.7): the read may see one of them only, which ravel does not explore.
public class Torn {
    static long stamp;

    public static void main(String[] args) {
        new Thread(() -> stamp = -1).start();
        long seen = stamp;
        assert seen == 0 || seen == -1;
    }
}
