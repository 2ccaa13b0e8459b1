import java.util.concurrent.atomic.AtomicReference;

// Treiber's stack. Without reuse of nodes there is no ABA.
public class Stack {
    static final class Node {
        final int value;
        Node next;

        Node(int value) {
            this.value = value;
        }
    }

    private final AtomicReference<Node> top = new AtomicReference<>();

    void push(int v) {
        Node n = new Node(v);
        Node old;
        do {
            old = top.get();
            n.next = old;
        } while (!top.compareAndSet(old, n));
    }

    int pop() {
        while (true) {
            Node old = top.get();
            if (old == null) {
                return 0;
            }
            if (top.compareAndSet(old, old.next)) {
                return old.value;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Stack s = new Stack();
        int[] got = new int[2];
        Thread t = new Thread(() -> {
            s.push(1);
            got[0] = s.pop();
        });
        t.start();
        s.push(2);
        got[1] = s.pop();
        t.join();
        assert got[0] + got[1] == 3;
    }
}
