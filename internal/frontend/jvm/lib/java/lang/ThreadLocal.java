package java.lang;

import java.util.function.Supplier;

/** A list per thread, which only that thread sees. */
public class ThreadLocal<T> {
    private static final class Node {
        final ThreadLocal<?> key;
        Object value;
        Node next;

        Node(ThreadLocal<?> key, Object value, Node next) {
            this.key = key;
            this.value = value;
            this.next = next;
        }
    }

    static final class Supplied<T> extends ThreadLocal<T> {
        private final Supplier<? extends T> supplier;

        Supplied(Supplier<? extends T> supplier) {
            if (supplier == null)
                throw new NullPointerException();
            this.supplier = supplier;
        }

        protected T initialValue() {
            return supplier.get();
        }
    }

    public ThreadLocal() {}

    public static <S> ThreadLocal<S> withInitial(Supplier<? extends S> supplier) {
        return new Supplied<>(supplier);
    }

    protected T initialValue() {
        return null;
    }

    private Node find() {
        Node n = (Node) Machine.locals();
        while (n != null && n.key != this)
            n = n.next;
        return n;
    }

    @SuppressWarnings("unchecked")
    public T get() {
        Node n = find();
        if (n != null)
            return (T) n.value;
        T v = initialValue();
        set(v);
        return v;
    }

    public void set(T value) {
        Node n = find();
        if (n != null)
            n.value = value;
        else
            Machine.setLocals(new Node(this, value, (Node) Machine.locals()));
    }

    public void remove() {
        Node n = (Node) Machine.locals(), before = null;
        while (n != null && n.key != this) {
            before = n;
            n = n.next;
        }
        if (n == null)
            return;
        if (before == null)
            Machine.setLocals(n.next);
        else
            before.next = n.next;
    }
}
