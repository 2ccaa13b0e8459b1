import java.util.concurrent.ConcurrentSkipListMap;

// A class of the JDK that ravel does not run.
public class Skips {
    public static void main(String[] args) {
        ConcurrentSkipListMap<String, String> m = new ConcurrentSkipListMap<>();
        m.put("a", "b");
    }
}
