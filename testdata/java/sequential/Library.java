import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.stream.*;

// The JDK's collections, streams, records and enums, and what ravel has in the place of other classes, in one thread.
class Library {
    record Point(int x, long y, String name, double d) {}
    record Pair(Point a, Point b) {}
    enum Op { ADD, MUL { @Override int of(int a, int b) { return a * b; } }; int of(int a, int b) { return a + b; } }
    volatile int counter;
    volatile long total;
    volatile String word = "a";

    static void run() {
        Map<String, Integer> m = new HashMap<>();
        for (String s : new String[] {"x", "y", "z", "x"}) m.merge(s, 1, Integer::sum);
        Results.result(m.size() * 10 + m.get("x"));
        int sum = 0;
        for (Map.Entry<String, Integer> e : m.entrySet()) sum += e.getKey().charAt(0) * e.getValue();
        Results.result(sum);
        Results.result(m.remove("y") + m.size());
        TreeMap<Integer, Integer> t = new TreeMap<>();
        for (int i = 0; i < 10; i++) t.put(i * 7 % 10, i);
        Results.result(t.firstKey() * 1000 + t.floorKey(8) * 100 + t.lastEntry().getValue());
        LinkedHashSet<Integer> set = new LinkedHashSet<>(List.of(5, 3, 9));
        set.add(3);
        int order = 0;
        for (int i : set) order = order * 10 + i;
        Results.result(order);
        PriorityQueue<Integer> pq = new PriorityQueue<>(Comparator.reverseOrder());
        pq.addAll(Arrays.asList(2, 8, 5));
        Results.result(pq.poll() * 10 + pq.poll());
        EnumMap<Op, Integer> em = new EnumMap<>(Op.class);
        em.put(Op.MUL, 4);
        Results.result(em.get(Op.MUL) + em.size() + EnumSet.allOf(Op.class).size());
        Results.result(Op.valueOf("MUL").of(3, 4) + Op.valueOf("ADD").of(3, 4));
        try {
            Op.valueOf("SUB");
            Results.result(0);
        } catch (IllegalArgumentException e) {
            Results.result(1);
        }

        Point p = new Point(1, 2L, "p", 0.5), q = new Point(1, 2L, "p", 0.5), r = new Point(1, 2L, "p", -0.0);
        Results.result((p.equals(q) ? 1 : 0) + (p.equals(r) ? 2 : 0) + (new Point(1, 2L, "p", 0.0).equals(r) ? 4 : 0) + (p.equals(null) ? 8 : 0));
        Results.result(p.hashCode());
        Results.result(new Pair(p, null).hashCode());
        Results.result(new Pair(p, r).equals(new Pair(q, r)) ? 1 : 0);

        Results.result(IntStream.rangeClosed(1, 5).map(i -> i * i).filter(i -> i % 2 == 1).sum());
        Results.result(Stream.of(4, 1, 3).sorted().map(i -> i + 1).reduce(0, (a, b) -> a * 10 + b));
        Results.result(Arrays.asList(1, 2, 3, 4).stream().collect(Collectors.groupingBy(i -> i % 2)).get(1).size());
        Results.result(List.of(3, 1, 2).stream().max(Integer::compare).get());

        AtomicIntegerFieldUpdater<Library> u = AtomicIntegerFieldUpdater.newUpdater(Library.class, "counter");
        AtomicLongFieldUpdater<Library> v = AtomicLongFieldUpdater.newUpdater(Library.class, "total");
        AtomicReferenceFieldUpdater<Library, String> w = AtomicReferenceFieldUpdater.newUpdater(Library.class, String.class, "word");
        Library o = new Library();
        Results.result(u.incrementAndGet(o) + u.getAndAdd(o, 5) + u.updateAndGet(o, x -> x * 2) + v.addAndGet(o, 7));
        Results.result((w.compareAndSet(o, "a", "b") ? 1 : 0) + (w.compareAndSet(o, "a", "c") ? 2 : 0) + o.word.charAt(0));
        LongAdder adder = new LongAdder();
        adder.add(5);
        adder.decrement();
        Results.result(adder.sum() * 10 + adder.sumThenReset() + adder.intValue());

        Semaphore s = new Semaphore(2);
        Results.result((s.tryAcquire(3) ? 1 : 0) + (s.tryAcquire(2) ? 2 : 0) + (s.tryAcquire() ? 4 : 0) + s.availablePermits());
        s.release(3);
        Results.result(s.drainPermits() * 10 + s.availablePermits());
        ReentrantReadWriteLock l = new ReentrantReadWriteLock();
        l.writeLock().lock();
        l.writeLock().lock();
        l.readLock().lock();
        l.writeLock().unlock();
        Results.result((l.isWriteLocked() ? 1 : 0) + l.getReadLockCount() * 10);
        l.writeLock().unlock();
        Results.result((l.isWriteLocked() ? 1 : 0) + (l.writeLock().tryLock() ? 2 : 0) + (l.readLock().tryLock() ? 4 : 0));
        try {
            l.writeLock().unlock();
            Results.result(0);
        } catch (IllegalMonitorStateException e) {
            Results.result(1);
        }
        ThreadLocal<Integer> local = ThreadLocal.withInitial(() -> 7);
        int before = local.get();
        local.set(8);
        int after = local.get();
        local.remove();
        Results.result(before * 100 + after * 10 + local.get());

        ConcurrentHashMap<Integer, Integer> c = new ConcurrentHashMap<>();
        for (int i = 0; i < 8; i++) c.merge(i % 3, i, Integer::sum);
        Results.result(c.size() * 1000 + c.get(0) * 100 + c.get(1) * 10 + c.getOrDefault(7, 1));
        Results.result((c.replace(1, 12, 1) ? 1 : 0) + (c.putIfAbsent(1, 3) == 1 ? 2 : 0) + (c.remove(2) == 7 ? 4 : 0));
        FutureTask<Integer> f = new FutureTask<>(() -> 6);
        f.run();
        FutureTask<Integer> g = new FutureTask<>(() -> { throw new IllegalStateException(); });
        g.run();
        try {
            Results.result(f.get());
            g.get();
            Results.result(0);
        } catch (ExecutionException e) {
            Results.result(e.getCause() instanceof IllegalStateException ? 1 : 2);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Results.result((f.cancel(false) ? 1 : 0) + (new FutureTask<>(() -> 1).cancel(false) ? 2 : 0));
        Results.result(CompletableFuture.completedFuture(3).thenApply(x -> x + 1).thenCombine(CompletableFuture.completedFuture(5), Integer::sum).join());
        Results.result(new java.util.Random(42).nextInt(100));
        List<Integer> copy = new CopyOnWriteArrayList<>(List.of(1, 2));
        for (int i : copy) copy.add(i);
        Results.result(copy.size());
        Results.result(Collections.max(copy) + Objects.hash(1, 2, 3));
    }
}
