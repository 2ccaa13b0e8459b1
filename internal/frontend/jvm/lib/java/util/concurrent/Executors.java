package java.util.concurrent;

/** The pools that ravel has. */
public class Executors {
    private Executors() {}

    public static ExecutorService newFixedThreadPool(int n) {
        return newFixedThreadPool(n, null);
    }

    public static ExecutorService newFixedThreadPool(int n, ThreadFactory factory) {
        if (n <= 0)
            throw new IllegalArgumentException();
        return new ThreadPoolExecutor(n, factory);
    }

    public static ExecutorService newSingleThreadExecutor() {
        return new ThreadPoolExecutor(1, null);
    }

    public static ExecutorService newSingleThreadExecutor(ThreadFactory factory) {
        return new ThreadPoolExecutor(1, factory);
    }

    public static ExecutorService newCachedThreadPool() {
        return new ThreadPoolExecutor(0, null);
    }

    public static ExecutorService newCachedThreadPool(ThreadFactory factory) {
        return new ThreadPoolExecutor(0, factory);
    }

    /** As many threads as it takes: a pool with fewer threads has fewer executions. */
    public static ExecutorService newWorkStealingPool() {
        return new ThreadPoolExecutor(0, null);
    }

    public static ExecutorService newWorkStealingPool(int parallelism) {
        return newFixedThreadPool(parallelism, null);
    }

    public static ExecutorService newVirtualThreadPerTaskExecutor() {
        return new ThreadPoolExecutor(0, null);
    }

    public static ThreadFactory defaultThreadFactory() {
        return Thread::new;
    }

    public static <T> Callable<T> callable(Runnable task, T result) {
        if (task == null)
            throw new NullPointerException();
        return () -> {
            task.run();
            return result;
        };
    }

    public static Callable<Object> callable(Runnable task) {
        return callable(task, null);
    }
}
