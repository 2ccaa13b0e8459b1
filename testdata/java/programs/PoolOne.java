import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

// Two tasks of a pool with one thread increment a plain field.
public class PoolOne {
    static int n;

    public static void main(String[] args) throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        Future<?> f = pool.submit(() -> n++);
        Future<?> g = pool.submit(() -> n++);
        f.get();
        g.get();
        assert n == 2;
        pool.shutdown();
    }
}
