import java.util.HashMap;

// A class of the JDK that ravel does not run.
public class Maps {
    public static void main(String[] args) {
        HashMap<String, String> m = new HashMap<>();
        m.put("a", "b");
    }
}
