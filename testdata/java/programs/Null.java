// A thread uses an object before another one has published it.
public class Null {
    static volatile Null shared;
    int n;

    public static void main(String[] args) {
        new Thread(() -> shared = new Null()).start();
        shared.n++;
    }
}
