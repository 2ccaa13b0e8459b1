import java.util.concurrent.CompletableFuture;

// A function that is chained to a future runs once, in one thread or the other.
public class Chained {
    static int runs;

    public static void main(String[] args) {
        int r = CompletableFuture.supplyAsync(() -> 20).thenApply(x -> {
            runs++;
            return x + 1;
        }).join();
        assert r + runs == 22;
    }
}
