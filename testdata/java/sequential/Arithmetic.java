// Arithmetic of all four types, with the cases at the ends of their ranges.
class Arithmetic {
    static final int[] INTS = {0, 1, -1, 2, -2, 7, 31, 32, 33, 127, 128, -128, 255, 256, 32767, 32768, -32768, 65535, 65536, 123456789, -987654321, Integer.MAX_VALUE, Integer.MIN_VALUE, Integer.MIN_VALUE + 1};
    static final long[] LONGS = {0, 1, -1, 2, -7, 31, 63, 64, 65, 1L << 31, -(1L << 31), 1L << 32, 1234567890123456789L, -987654321987654321L, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1};
    static final float[] FLOATS = {0f, -0f, 1f, -1f, 0.1f, 1e10f, -1e10f, 3.5f, 1e38f, Float.MIN_VALUE, Float.MAX_VALUE, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 2147483648f, -2147483904f};
    static final double[] DOUBLES = {0, -0.0, 1, -1, 0.1, 1e10, 1e19, -1e19, 3.5, -2.5, 1e308, Double.MIN_VALUE, Double.MAX_VALUE, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 2147483648.5, -2147483649.5, 9.223372036854775807e18};

    static long h;

    static void add(long v) { h = h * 31 + v; }

    static void add(float v) { add(v != v ? 77 : Float.floatToRawIntBits(v)); }

    static void add(double v) { add(v != v ? 77L : Double.doubleToRawLongBits(v)); }

    static void ints(int a, int b) {
        add(a + b); add(a - b); add(a * b); add(a & b); add(a | b); add(a ^ b);
        add(a << b); add(a >> b); add(a >>> b); add(-a); add(~a);
        if (b != 0) { add(a / b); add(a % b); }
        add((byte) a); add((short) a); add((char) a); add((long) a); add((float) a); add((double) a);
        add(a < b ? 1 : 0); add(a <= b ? 1 : 0); add(a > b ? 1 : 0); add(a >= b ? 1 : 0); add(a == b ? 1 : 0); add(a != b ? 1 : 0);
    }

    static void longs(long a, long b) {
        add(a + b); add(a - b); add(a * b); add(a & b); add(a | b); add(a ^ b);
        add(a << b); add(a >> b); add(a >>> b); add(a << (int) b); add(-a); add(~a);
        if (b != 0) { add(a / b); add(a % b); }
        add((int) a); add((float) a); add((double) a); add((byte) a); add((char) a);
        add(a < b ? 1 : 0); add(a <= b ? 1 : 0); add(a > b ? 1 : 0); add(a >= b ? 1 : 0); add(a == b ? 1 : 0);
    }

    static void floats(float a, float b) {
        add(a + b); add(a - b); add(a * b); add(a / b); add(a % b); add(-a);
        add((int) a); add((long) a); add((double) a); add((byte) a); add((char) a);
        add(a < b ? 1 : 0); add(a <= b ? 1 : 0); add(a > b ? 1 : 0); add(a >= b ? 1 : 0); add(a == b ? 1 : 0); add(!(a < b) ? 1 : 0); add(!(a > b) ? 1 : 0);
    }

    static void doubles(double a, double b) {
        add(a + b); add(a - b); add(a * b); add(a / b); add(a % b); add(-a);
        add((int) a); add((long) a); add((float) a); add((short) a);
        add(a < b ? 1 : 0); add(a <= b ? 1 : 0); add(a > b ? 1 : 0); add(a >= b ? 1 : 0); add(a == b ? 1 : 0); add(!(a < b) ? 1 : 0); add(!(a > b) ? 1 : 0);
    }

    static void run() {
        for (int a : INTS) for (int b : INTS) ints(a, b);
        Results.result(h);
        for (long a : LONGS) for (long b : LONGS) longs(a, b);
        Results.result(h);
        for (float a : FLOATS) for (float b : FLOATS) floats(a, b);
        Results.result(h);
        for (double a : DOUBLES) for (double b : DOUBLES) doubles(a, b);
        Results.result(h);
        int i = 5;
        i += 3.7; i <<= 33; i >>>= 1; i++; --i; i -= 1000; i *= -3;
        Results.result(i);
        byte by = (byte) 200; by += 100; by >>= 1;
        short sh = (short) 40000; sh++;
        char ch = 'a'; ch += 1; ch *= 300;
        Results.result(by); Results.result(sh); Results.result(ch);
        Results.result(Math.max(3, -4) + Math.min(7L, 2L) + Math.abs(-9));
        Results.result(Integer.bitCount(0x0f0f) + Long.numberOfTrailingZeros(64) + Integer.numberOfLeadingZeros(9));
        Results.result(Integer.compare(3, 4)); Results.result(Long.compare(5, -5)); Results.result(Integer.MIN_VALUE / -1); Results.result(Long.MIN_VALUE % -1);
    }
}
