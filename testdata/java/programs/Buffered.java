// Load buffering with plain accesses: both threads may read what the other one writes afterwards.
public class Buffered {
    static int x, y;

    public static void main(String[] args) {
        new Thread(() -> {
            int r = x;
            y = 1;
        }).start();
        int r = y;
        x = 1;
    }
}
