import java.util.concurrent.atomic.AtomicBoolean;

// A thread fails if it sees what the other one wrote. A finally block runs on the way.
public class Uncaught {
    static final AtomicBoolean closed = new AtomicBoolean();
    static int cleaned;

    static void use() {
        try {
            if (closed.get()) {
                throw new IllegalStateException("closed");
            }
        } finally {
            cleaned++;
        }
    }

    public static void main(String[] args) {
        new Thread(() -> closed.set(true), "closer").start();
        use();
    }
}
