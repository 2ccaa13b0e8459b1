import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

// Objects: fields, constructors, dispatch, interfaces, inner classes, lambdas, boxes, arrays.
class Objects2 {
    interface Shape { int area(); default int twice() { return 2 * area(); } static Shape unit() { return () -> 1; } }

    static abstract class Base implements Shape {
        static int made;
        protected int id = ++made;
        Base() { init(); }
        void init() { id += 100; }
        @Override public int area() { return id; }
    }

    static class Square extends Base {
        int side;
        boolean flag = true;
        byte b = -5; short s = -300; char c = '\uffee'; long l = 1L << 40; float f = 1.5f; double d = 2.25;
        Square(int side) { super(); this.side = side; }
        @Override public int area() { return side * side; }
        int parent() { return super.area(); }
        int sum() { return (flag ? 1 : 0) + b + s + c + (int) (l >> 38) + (int) (f * 2) + (int) (d * 4); }
    }

    static final class Cube extends Square {
        Cube(int side) { super(side); }
        @Override public int twice() { return -area(); }
        @Override void init() { id += 1000; }
        @Override public boolean equals(Object o) { return o instanceof Cube && ((Cube) o).side == side; }
        @Override public int hashCode() { return side; }
    }

    class Inner { int get() { return field + 1; } }

    int field = 41;

    record Point(int x, int y) { int sum() { return x + y; } }

    static int count;

    static int next() { return ++count; }

    static <T> T twice(Supplier<T> s) { s.get(); return s.get(); }

    static int apply(ToIntFunction<String> f, String s) { return f.applyAsInt(s); }

    static int varargs(int... list) { int n = 0; for (int i : list) n = 10 * n + i; return n; }

    static long gcd(long a, long b) { return b == 0 ? a : gcd(b, a % b); }

    static int length(Object o) { return o instanceof int[] ? ((int[]) o).length : o instanceof Object[] ? 100 + ((Object[]) o).length : -1; }

    static void run() {
        Shape[] shapes = {new Square(3), new Cube(4), Shape.unit(), () -> 7};
        for (Shape s : shapes) { Results.result(s.area()); Results.result(s.twice()); Results.result(s instanceof Base ? 1 : s instanceof Square ? 2 : 3); }
        Square q = (Square) shapes[0];
        Results.result(q.parent()); Results.result(q.sum()); Results.result(Base.made);
        q.b += 120; q.s -= 32767; q.c++; q.l--; q.flag ^= true;
        Results.result(q.sum());
        Results.result(new Cube(4).equals(shapes[1]) ? 1 : 0); Results.result(shapes[1].hashCode());
        Objects2 o = new Objects2();
        Results.result(o.new Inner().get());
        Results.result(new Point(3, 4).sum());
        int[][] grid = new int[3][4];
        for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) grid[i][j] = i * j;
        Results.result(grid[2][3] + grid.length + grid[1].length);
        long[][][] cube = new long[2][3][];
        Results.result(cube[1].length + (cube[1][2] == null ? 10 : 20));
        int[] copy = grid[2].clone();
        copy[1] = 50;
        Results.result(grid[2][1] + copy[1] + copy.length);
        System.arraycopy(copy, 0, copy, 1, 3);
        Results.result(varargs(copy));
        Results.result(varargs()); Results.result(varargs(1, 2, 3));
        boolean[] bits = new boolean[3]; bits[1] = true; bits[2] = !bits[1] | bits[0];
        byte[] bytes = {1, -2, (byte) 300}; char[] chars = {'x', '\uffff'}; short[] shorts = {-1}; float[] floats = {1.5f}; double[] doubles = {2.5};
        Results.result((bits[1] ? 1 : 0) + (bits[2] ? 2 : 0) + bytes[1] + bytes[2] + chars[1] + shorts[0] + (int) floats[0] + (int) doubles[0]);
        Results.result(length(new int[3])); Results.result(length(new String[2])); Results.result(length("s"));
        Function<Integer, Integer> inc = x -> x + 1;
        Function<Integer, Integer> f = inc.andThen(x -> x * 2).compose(x -> x - 3);
        Results.result(f.apply(10));
        IntBinaryOperator max = Math::max;
        Results.result(max.applyAsInt(3, 9));
        Results.result(twice(Objects2::next)); Results.result(apply(String::length, "four"));
        IntFunction<int[]> maker = int[]::new;
        Results.result(maker.apply(5).length);
        Function<Integer, Square> make = Square::new;
        Results.result(make.apply(6).area());
        Supplier<Integer> bound = q::area;
        Results.result(bound.get());
        Integer small = 100, same = 100; Integer large = 1000, other = 1000;
        Results.result((small == same ? 1 : 0) + (large == other ? 2 : 0) + (large.equals(other) ? 4 : 0));
        Long box = 5L; box += 7; Character letter = 'z'; Boolean yes = true; Double half = 0.5;
        Results.result(box + letter + (yes ? 1 : 0) + (long) (half * 4));
        Object any = large;
        Results.result(any instanceof Number ? ((Number) any).intValue() : 0);
        Results.result(gcd(1L << 20, 3 << 18));
        int a = 1, b = 2;
        int c = a++ + ++a * (b -= 5) + (a > b ? a : b);
        int[] arr = {1, 2, 3}; int i = 0;
        arr[i++] += arr[i]++; arr[i] <<= 2; long[] ls = {1, 2}; ls[i] *= ls[0]++ + (ls[1]-- - 5);
        Results.result(c); Results.result(arr[0] * 100 + arr[1] * 10 + arr[2]); Results.result(ls[0] * 1000 + ls[1]);
        StringBuilder sb = new StringBuilder();
        sb.append("x").append(3).append(any);
        System.out.println(sb + "text " + c);
        Class<?> k = q.getClass();
        Results.result(k == Square.class ? 1 : 0);
        synchronized (o) { synchronized (o) { Results.result(o.field); } }
        java.util.ArrayList<Integer> list = new java.util.ArrayList<>();
        for (int n = 0; n < 12; n++) list.add(n * n);
        int total = 0;
        for (int n : list) total += n;
        list.remove(3);
        Results.result(total + list.size() + list.get(3));
        java.util.ArrayDeque<String> deque = new java.util.ArrayDeque<>();
        deque.push("a"); deque.addLast("b"); deque.push("c");
        Results.result(deque.size() + (deque.pop().equals("c") ? 10 : 0));
    }
}
