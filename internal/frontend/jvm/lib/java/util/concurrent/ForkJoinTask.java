package java.util.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Collection;

/** Each task that is forked gets a thread of its own. A thread that joins looks at the status. */
public abstract class ForkJoinTask<V> implements Future<V>, java.io.Serializable {
    private static final int NORMAL = 1;
    private static final int EXCEPTIONAL = 2;
    private static final int CANCELLED = 3;

    private volatile int status;
    private volatile int tag;
    private Throwable thrown;
    private static final VarHandle STATUS;
    private static final VarHandle TAG;

    static {
        try {
            MethodHandles.Lookup l = MethodHandles.lookup();
            STATUS = l.findVarHandle(ForkJoinTask.class, "status", int.class);
            TAG = l.findVarHandle(ForkJoinTask.class, "tag", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public ForkJoinTask() {}

    public abstract V getRawResult();

    protected abstract void setRawResult(V value);

    protected abstract boolean exec();

    private static final class Run implements Runnable {
        private final ForkJoinTask<?> task;

        Run(ForkJoinTask<?> task) {
            this.task = task;
        }

        public void run() {
            task.doExec();
        }
    }

    final void doExec() {
        if (status != 0)
            return;
        try {
            if (exec())
                status = NORMAL;
        } catch (Throwable t) {
            thrown = t;
            status = EXCEPTIONAL;
        }
    }

    public final ForkJoinTask<V> fork() {
        new Thread(new Run(this)).start();
        return this;
    }

    private int await() {
        int s = status;
        while (s == 0)
            s = status;
        return s;
    }

    static void rethrow(Throwable t) {
        if (t instanceof RuntimeException)
            throw (RuntimeException) t;
        if (t instanceof Error)
            throw (Error) t;
        throw new RuntimeException(t);
    }

    public final V join() {
        int s = await();
        if (s == CANCELLED)
            throw new CancellationException();
        if (s == EXCEPTIONAL)
            rethrow(thrown);
        return getRawResult();
    }

    public final V invoke() {
        doExec();
        return join();
    }

    public static void invokeAll(ForkJoinTask<?> a, ForkJoinTask<?> b) {
        b.fork();
        a.doExec();
        a.join();
        b.join();
    }

    public static void invokeAll(ForkJoinTask<?>... tasks) {
        for (ForkJoinTask<?> t : tasks)
            t.fork();
        for (ForkJoinTask<?> t : tasks)
            t.join();
    }

    public static <T extends ForkJoinTask<?>> Collection<T> invokeAll(Collection<T> tasks) {
        for (T t : tasks)
            t.fork();
        for (T t : tasks)
            t.join();
        return tasks;
    }

    public boolean cancel(boolean mayInterruptIfRunning) {
        STATUS.compareAndSet(this, 0, CANCELLED);
        return status == CANCELLED;
    }

    public final boolean isDone() {
        return status != 0;
    }

    public final boolean isCancelled() {
        return status == CANCELLED;
    }

    public final boolean isCompletedAbnormally() {
        return status > NORMAL;
    }

    public final boolean isCompletedNormally() {
        return status == NORMAL;
    }

    public final V get() throws InterruptedException, ExecutionException {
        int s = await();
        if (s == CANCELLED)
            throw new CancellationException();
        if (s == EXCEPTIONAL)
            throw new ExecutionException(thrown);
        return getRawResult();
    }

    public final V get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        if (Machine.choose() && status == 0)
            throw new TimeoutException();
        return get();
    }

    public final short getForkJoinTaskTag() {
        return (short) tag;
    }

    public final boolean compareAndSetForkJoinTaskTag(short expect, short update) {
        return TAG.compareAndSet(this, (int) expect, (int) update);
    }
}
