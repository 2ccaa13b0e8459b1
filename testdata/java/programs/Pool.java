import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

// A task of a pool sees what its submitter wrote, and get sees what the task wrote.
public class Pool {
    static int in, out;

    public static void main(String[] args) throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        in = 20;
        Future<Integer> f = pool.submit(() -> {
            out = 1;
            return in + 1;
        });
        Future<?> g = pool.submit(() -> in);
        assert f.get() + out == 22;
        g.get();
        pool.shutdown();
    }
}
