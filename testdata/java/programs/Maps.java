import java.util.HashMap;
import java.util.Map;

// Two threads count words in a map under a monitor.
public class Maps {
    public static void main(String[] args) throws InterruptedException {
        Map<String, Integer> m = new HashMap<>();
        Thread t = new Thread(() -> {
            synchronized (m) {
                m.merge("a", 1, Integer::sum);
            }
        });
        t.start();
        synchronized (m) {
            m.merge("a", 1, Integer::sum);
        }
        t.join();
        assert m.get("a") == 2;
    }
}
