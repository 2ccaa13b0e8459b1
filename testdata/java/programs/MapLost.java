import java.util.concurrent.ConcurrentHashMap;

// Each call is atomic, but not both together.
public class MapLost {
    public static void main(String[] args) throws InterruptedException {
        ConcurrentHashMap<String, Integer> m = new ConcurrentHashMap<>();
        m.put("a", 0);
        Runnable r = () -> m.put("a", m.get("a") + 1);
        Thread t = new Thread(r), u = new Thread(r);
        t.start();
        u.start();
        t.join();
        u.join();
        assert m.get("a") == 2;
    }
}
