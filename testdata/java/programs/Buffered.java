// Load buffering with plain accesses. The model allows more than is explored: the verdict is bounded.
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
