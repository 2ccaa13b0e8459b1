import java.util.concurrent.ConcurrentHashMap;

// merge is atomic, also where the map is empty.
public class MapMerge {
    public static void main(String[] args) throws InterruptedException {
        ConcurrentHashMap<String, Integer> m = new ConcurrentHashMap<>();
        Runnable r = () -> m.merge("a", 1, Integer::sum);
        Thread t = new Thread(r), u = new Thread(r);
        t.start();
        u.start();
        t.join();
        u.join();
        assert m.get("a") == 2;
    }
}
