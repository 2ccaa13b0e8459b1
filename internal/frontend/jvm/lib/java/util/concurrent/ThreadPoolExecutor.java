package java.util.concurrent;

import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * As in the JDK, a lock guards the threads, and another one the tasks that wait. The first tasks get threads of their own; later ones wait for a thread, or, if there is no
 * limit, get one unless a thread is idle.
 */
public class ThreadPoolExecutor extends AbstractExecutorService {
    private final ReentrantLock main = new ReentrantLock();
    private final Condition ended = main.newCondition();
    private int threads; // by main
    private boolean down; // by main

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final LinkedList<Runnable> tasks = new LinkedList<>(); // by lock
    private int idle; // by lock
    private boolean closed; // by lock

    private final int core;
    private final boolean unlimited;
    private final ThreadFactory factory;

    public ThreadPoolExecutor(int core, int max, long keepAlive, TimeUnit unit, BlockingQueue<Runnable> queue) {
        this(core, max, keepAlive, unit, queue, null, null);
    }

    public ThreadPoolExecutor(int core, int max, long keepAlive, TimeUnit unit, BlockingQueue<Runnable> queue, ThreadFactory factory) {
        this(core, max, keepAlive, unit, queue, factory, null);
    }

    public ThreadPoolExecutor(int core, int max, long keepAlive, TimeUnit unit, BlockingQueue<Runnable> queue, RejectedExecutionHandler handler) {
        this(core, max, keepAlive, unit, queue, null, handler);
    }

    public ThreadPoolExecutor(int core, int max, long keepAlive, TimeUnit unit, BlockingQueue<Runnable> queue, ThreadFactory factory, RejectedExecutionHandler handler) {
        if (core < 0 || max <= 0 || max < core || keepAlive < 0)
            throw new IllegalArgumentException();
        if (handler != null)
            Machine.refuse("a pool with a handler of rejected tasks");
        if (!(queue instanceof LinkedBlockingQueue && queue.remainingCapacity() == Integer.MAX_VALUE))
            Machine.refuse("a pool whose queue is bounded, or of another class than LinkedBlockingQueue");
        this.core = core == 0 ? 1 : core;
        this.unlimited = false;
        this.factory = factory;
    }

    /** A pool of n threads; 0: as many as it takes. */
    ThreadPoolExecutor(int n, ThreadFactory factory) {
        if (n < 0)
            throw new IllegalArgumentException();
        core = n;
        unlimited = n == 0;
        this.factory = factory;
    }

    public void execute(Runnable task) {
        if (task == null)
            throw new NullPointerException();
        main.lock();
        try {
            if (down)
                throw new RejectedExecutionException("the pool is shut down");
            if (!unlimited && threads < core) {
                begin(task);
                return;
            }
        } finally {
            main.unlock();
        }
        lock.lock();
        try {
            if (closed)
                throw new RejectedExecutionException("the pool is shut down");
            if (!unlimited || idle > tasks.size()) {
                tasks.addLast(task);
                work.signal();
                return;
            }
        } finally {
            lock.unlock();
        }
        main.lock();
        try {
            begin(task);
        } finally {
            main.unlock();
        }
    }

    private void begin(Runnable task) {
        threads++;
        Runnable r = new Worker(this, task);
        Thread t = factory == null ? new Thread(r) : factory.newThread(r);
        if (t == null)
            Machine.refuse("a factory that makes no thread");
        t.start();
    }

    private static final class Worker implements Runnable {
        private final ThreadPoolExecutor pool;
        private final Runnable first;

        Worker(ThreadPoolExecutor pool, Runnable first) {
            this.pool = pool;
            this.first = first;
        }

        public void run() {
            Runnable task = first;
            while (task != null) {
                task.run();
                task = pool.next();
            }
            pool.end();
        }
    }

    private Runnable next() {
        lock.lock();
        try {
            while (tasks.isEmpty()) {
                if (closed)
                    return null;
                idle++;
                work.awaitUninterruptibly();
                idle--;
            }
            return tasks.removeFirst();
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        main.lock();
        try {
            threads--;
            if (threads == 0)
                ended.signalAll();
        } finally {
            main.unlock();
        }
    }

    public void shutdown() {
        main.lock();
        try {
            down = true;
        } finally {
            main.unlock();
        }
        lock.lock();
        try {
            closed = true;
            work.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Tasks that run are not interrupted. */
    public List<Runnable> shutdownNow() {
        List<Runnable> left = new ArrayList<>();
        shutdown();
        lock.lock();
        try {
            while (!tasks.isEmpty())
                left.add(tasks.removeFirst());
        } finally {
            lock.unlock();
        }
        return left;
    }

    public boolean isShutdown() {
        main.lock();
        try {
            return down;
        } finally {
            main.unlock();
        }
    }

    public boolean isTerminated() {
        main.lock();
        try {
            return down && threads == 0;
        } finally {
            main.unlock();
        }
    }

    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        boolean late = Machine.choose();
        main.lock();
        try {
            while (!down || threads != 0) {
                if (late)
                    return false;
                ended.awaitUninterruptibly();
            }
            return true;
        } finally {
            main.unlock();
        }
    }

    public void close() {
        shutdown();
        main.lock();
        try {
            while (threads != 0)
                ended.awaitUninterruptibly();
        } finally {
            main.unlock();
        }
    }
}
