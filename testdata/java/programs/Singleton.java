import java.util.concurrent.atomic.AtomicInteger;

// The class Holder is initialised once, by the thread that uses it first. The other one waits for it.
public class Singleton {
    static final AtomicInteger made = new AtomicInteger();

    static class Holder {
        static final Singleton INSTANCE = new Singleton();
    }

    int value;

    Singleton() {
        made.incrementAndGet();
        value = 7;
    }

    static int get() {
        return Holder.INSTANCE.value;
    }

    public static void main(String[] args) throws InterruptedException {
        assert made.get() == 0;
        Thread t = new Thread(() -> {
            int v = get();
            assert v == 7;
        });
        t.start();
        int v = get();
        assert v == 7;
        t.join();
        assert made.get() == 1;
    }
}
