// The upper half of a long is 0 in both values: nobody can tell whether it is written with the lower one.
public class Untorn {
    static long stamp;

    public static void main(String[] args) {
        new Thread(() -> stamp = 1).start();
        long seen = stamp;
        assert seen == 0 || seen == 1;
    }
}
