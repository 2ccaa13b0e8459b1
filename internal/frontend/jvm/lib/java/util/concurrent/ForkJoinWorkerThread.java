package java.util.concurrent;

/** No thread is one: the common pool of ravel has threads as others. */
public class ForkJoinWorkerThread extends Thread {
    private ForkJoinWorkerThread() {}
}
