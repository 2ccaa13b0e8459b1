import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

// VarHandles with all their methods, and the atomic classes.
class Handles {
    byte b = -3;
    short s = 1000;
    char c = 'q';
    boolean z;
    int i = 10;
    volatile long l = 1L << 33;
    float f = 0.5f;
    double d = 4;
    Object o = "start";
    static int si = 5;
    static final VarHandle B, S, C, Z, I, L, F, D, O, SI, A, R;
    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            B = lookup.findVarHandle(Handles.class, "b", byte.class);
            S = lookup.findVarHandle(Handles.class, "s", short.class);
            C = lookup.findVarHandle(Handles.class, "c", char.class);
            Z = lookup.findVarHandle(Handles.class, "z", boolean.class);
            I = lookup.findVarHandle(Handles.class, "i", int.class);
            L = lookup.findVarHandle(Handles.class, "l", long.class);
            F = lookup.findVarHandle(Handles.class, "f", float.class);
            D = lookup.findVarHandle(Handles.class, "d", double.class);
            O = lookup.findVarHandle(Handles.class, "o", Object.class);
            SI = lookup.findStaticVarHandle(Handles.class, "si", int.class);
            A = MethodHandles.arrayElementVarHandle(long[].class);
            R = MethodHandles.arrayElementVarHandle(String[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static void r(long v) { Results.result(v); }

    static void r(boolean v) { Results.result(v ? 1 : 0); }

    static void run() {
        Handles h = new Handles();
        r((byte) B.getAndAdd(h, (byte) 100)); r((byte) B.getAndAdd(h, (byte) 100)); r((byte) B.getVolatile(h)); r(h.b);
        r((short) S.getAndBitwiseXor(h, (short) -1)); r(h.s);
        r(C.compareAndSet(h, 'q', '\uffff')); r((char) C.getAcquire(h)); r((char) C.getAndAdd(h, (char) 2)); r(h.c);
        r((boolean) Z.getAndBitwiseOr(h, true)); r(h.z); r(Z.compareAndSet(h, false, true)); r((boolean) Z.getAndSet(h, false)); r((boolean) Z.getOpaque(h));
        I.set(h, 1); r((int) I.get(h)); I.setOpaque(h, 2); r((int) I.getOpaque(h)); I.setRelease(h, 3); r((int) I.getAcquire(h)); I.setVolatile(h, 4); r((int) I.getVolatile(h));
        r((int) I.compareAndExchange(h, 4, 7)); r((int) I.compareAndExchangeAcquire(h, 4, 8)); r((int) I.compareAndExchangeRelease(h, 7, 9)); r(h.i);
        r((int) I.getAndSetAcquire(h, -1)); r((int) I.getAndAddRelease(h, 5)); r((int) I.getAndBitwiseAnd(h, 6)); r((int) I.getAndBitwiseOrAcquire(h, 16)); r(h.i);
        L.setVolatile(h, 1L << 40); r((long) L.getAndAdd(h, -1L)); r((long) L.getAndBitwiseXorRelease(h, 255L)); r(h.l); L.set(h, 5); r((long) L.get(h));
        r((int) ((float) F.getAndAdd(h, 1.25f) * 100)); r((int) (h.f * 100)); r((int) ((double) D.getAndSet(h, 0.5) * 10)); r(D.compareAndSet(h, 0.5, 0.75)); r((int) (h.d * 100));
        r(O.compareAndSet(h, "start", "end")); r(O.compareAndSet(h, "start", "x")); r((Object) O.getAcquire(h) == "end"); r(O.getAndSet(h, null) == "end"); r(h.o == null);
        r((int) SI.getAndAdd(10)); SI.setRelease((int) SI.getAcquire() * 2); r(si); r(SI.compareAndSet(30, 31)); r((int) SI.getVolatile());
        long[] list = {1, 2, 3};
        r((long) A.getAndAdd(list, 1, 40L)); A.setOpaque(list, 2, 9L); r(list[1] + list[2]); r(A.compareAndSet(list, 0, 1L, 100L)); r((long) A.getVolatile(list, 0));
        String[] words = {"a", null};
        r(R.compareAndSet(words, 1, (String) null, "b")); r((String) R.getAcquire(words, 1) == "b");
        try {
            A.setVolatile(list, 3, 1L);
            r(0);
        } catch (IndexOutOfBoundsException e) {
            r(1);
        }
        try {
            I.setVolatile((Handles) null, 1);
            r(0);
        } catch (NullPointerException e) {
            r(2);
        }
        VarHandle.fullFence(); VarHandle.acquireFence(); VarHandle.releaseFence(); VarHandle.loadLoadFence(); VarHandle.storeStoreFence();

        AtomicInteger n = new AtomicInteger(5);
        r(n.getAndIncrement()); r(n.incrementAndGet()); r(n.getAndDecrement()); r(n.decrementAndGet()); r(n.addAndGet(10)); r(n.getAndAdd(-3)); r(n.getAndSet(50));
        r(n.compareAndSet(50, 51)); r(n.compareAndSet(50, 52)); r(n.compareAndExchange(51, 60)); r(n.get()); n.set(1); n.lazySet(2); n.setRelease(3); r(n.getAcquire()); r(n.getPlain());
        r(n.updateAndGet(x -> x * 7)); r(n.getAndUpdate(x -> x - 1)); r(n.accumulateAndGet(4, (x, y) -> x * 10 + y)); r(n.getAndAccumulate(1, Math::max)); r(n.intValue());
        AtomicLong m = new AtomicLong(1L << 35);
        r(m.incrementAndGet()); r(m.getAndAdd(5)); r(m.updateAndGet(x -> -x)); r(m.compareAndSet(0, 1)); r(m.get()); r(m.longValue());
        AtomicBoolean flag = new AtomicBoolean();
        r(flag.compareAndSet(false, true)); r(flag.get()); r(flag.getAndSet(false)); r(flag.getAcquire()); flag.set(true); r(flag.getPlain());
        AtomicReference<String> ref = new AtomicReference<>("p");
        r(ref.compareAndSet("p", "q")); r(ref.get() == "q"); r(ref.getAndSet("r") == "q"); r(ref.updateAndGet(x -> x == "r" ? "s" : "t") == "s"); r(ref.getOpaque() == "s");
        AtomicIntegerArray array = new AtomicIntegerArray(3);
        r(array.incrementAndGet(1)); r(array.getAndAdd(2, 5)); r(array.compareAndSet(2, 5, 6)); r(array.get(2)); r(array.length()); r(array.updateAndGet(0, x -> x + 9));
        ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();
        queue.offer(1); queue.add(2); r(queue.poll()); r(queue.size()); r(queue.peek()); queue.poll(); r(queue.poll() == null); r(queue.isEmpty());
        ReentrantLock lock = new ReentrantLock();
        lock.lock(); lock.lock(); r(lock.isHeldByCurrentThread()); r(lock.tryLock()); lock.unlock(); lock.unlock(); lock.unlock(); r(lock.isHeldByCurrentThread());
        Condition full = lock.newCondition();
        try {
            full.signal();
            r(0);
        } catch (IllegalMonitorStateException e) {
            r(1);
        }
        try {
            h.notify();
            r(0);
        } catch (IllegalMonitorStateException e) {
            r(2);
        }
        r(Thread.holdsLock(h));
        synchronized (h) { r(Thread.holdsLock(h)); h.notifyAll(); }
        Thread t = new Thread(() -> si = 99);
        t.start();
        try {
            t.join();
            t.start();
            r(0);
        } catch (IllegalThreadStateException e) {
            r(si);
        } catch (InterruptedException e) {
            r(-1);
        }
    }
}
