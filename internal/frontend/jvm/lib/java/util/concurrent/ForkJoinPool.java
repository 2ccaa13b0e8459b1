package java.util.concurrent;

import java.util.List;

/** Each task gets a thread of its own, whatever the parallelism: a pool with fewer threads has fewer executions. */
public class ForkJoinPool extends AbstractExecutorService {
    private static final ForkJoinPool COMMON = new ForkJoinPool();

    public interface ManagedBlocker {
        boolean block() throws InterruptedException;

        boolean isReleasable();
    }

    private volatile boolean down;

    public ForkJoinPool() {}

    public ForkJoinPool(int parallelism) {
        if (parallelism <= 0)
            throw new IllegalArgumentException();
    }

    public <T> T invoke(ForkJoinTask<T> task) {
        return task.fork().join();
    }

    public <T> ForkJoinTask<T> submit(ForkJoinTask<T> task) {
        return task.fork();
    }

    public void execute(ForkJoinTask<?> task) {
        task.fork();
    }

    public static ForkJoinPool commonPool() {
        return COMMON;
    }

    public static int getCommonPoolParallelism() {
        return 4;
    }

    public int getParallelism() {
        return 4;
    }

    public void execute(Runnable task) {
        if (task == null)
            throw new NullPointerException();
        new Thread(task).start();
    }

    public static void managedBlock(ManagedBlocker blocker) throws InterruptedException {
        do {
        } while (!blocker.isReleasable() && !blocker.block());
    }

    static void helpAsyncBlocker(Executor e, ManagedBlocker blocker) {}

    public void shutdown() {
        if (this != COMMON)
            down = true;
    }

    public void close() {
        Machine.refuse("ForkJoinPool.close");
    }

    public List<Runnable> shutdownNow() {
        shutdown();
        return List.of();
    }

    public boolean isShutdown() {
        return down;
    }

    public boolean isTerminated() {
        Machine.refuse("ForkJoinPool.isTerminated");
        return false;
    }

    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        Machine.refuse("ForkJoinPool.awaitTermination");
        return false;
    }
}
