// Branches, loops, switches of all kinds, and exceptions with finally.
class Flow {
    static int table(int n) {
        switch (n) {
        case 1: return 10;
        case 2: n += 5;
        case 3: return n + 100;
        case 5: break;
        default: return -1;
        }
        return 55;
    }

    static int lookup(int n) {
        switch (n) {
        case -1000000: return 1;
        case 0: return 2;
        case 77777: return 3;
        case Integer.MAX_VALUE: return 4;
        }
        return 9;
    }

    static int words(String s) {
        switch (s) {
        case "one": return 1;
        case "two": return 2;
        case "Aa": return 3; // the same hash as BB
        case "BB": return 4;
        default: return 0;
        }
    }

    enum Colour { RED, GREEN { @Override int weight() { return 20; } }, BLUE; int weight() { return ordinal() + 1; } }

    static int colours(Colour c) {
        switch (c) {
        case RED: return 1;
        case BLUE: return 3;
        default: return c.weight();
        }
    }

    static class Own extends RuntimeException {
        final int code;
        Own(int code) { super("own"); this.code = code; }
    }

    static int log;

    static void note(int n) { log = log * 10 + n; }

    static int tries(int n) {
        try {
            note(1);
            if (n == 1) throw new Own(4);
            if (n == 2) throw new IllegalStateException("two");
            if (n == 3) return 30;
            int[] a = new int[2];
            if (n == 4) return a[2];
            if (n == 5) return n / (n - 5);
            if (n == 6) { Object o = "text"; return ((Integer) o).intValue(); }
            if (n == 7) { Flow f = null; return f.hashCode(); }
            if (n == 8) return new int[n - 9].length;
            if (n == 9) { Object[] o = new String[1]; o[0] = 5; }
            if (n == 10) throw new StackOverflowError();
            note(2);
            return 20;
        } catch (Own e) {
            note(3);
            return e.code;
        } catch (IllegalStateException | ArithmeticException e) {
            note(4);
            return e instanceof ArithmeticException ? 41 : e.getMessage().equals("two") ? 42 : 43;
        } catch (ArrayIndexOutOfBoundsException e) {
            note(5);
            return 50;
        } catch (ClassCastException e) {
            return 60;
        } catch (NegativeArraySizeException e) {
            return 62;
        } catch (ArrayStoreException e) {
            return 63;
        } catch (RuntimeException e) {
            return 61;
        } finally {
            note(9);
            if (n == 10) return 100;
        }
    }

    static int nested() {
        int r = 0;
        for (int i = 0; i < 5; i++) {
            try {
                try {
                    if (i == 1) continue;
                    if (i == 3) break;
                    throw new Exception();
                } finally {
                    r += 1;
                }
            } catch (Exception e) {
                r += 10;
            } finally {
                r += 100;
            }
        }
        return r;
    }

    static class Door implements AutoCloseable {
        final int n;
        Door(int n) { this.n = n; note(n); }
        @Override public void close() { note(n + 4); }
    }

    static int resources() {
        try (Door a = new Door(1); Door b = new Door(2)) {
            note(3);
            throw new Own(8);
        } catch (Own e) {
            return e.code;
        }
    }

    static boolean and(boolean a, boolean b) { return a && b || !a & !b; }

    static void run() {
        for (int i = 0; i < 7; i++) Results.result(table(i));
        for (int i : new int[] {-1000000, 0, 77777, Integer.MAX_VALUE, 5}) Results.result(lookup(i));
        for (String s : new String[] {"one", "two", "Aa", "BB", "three"}) Results.result(words(s));
        for (Colour c : Colour.values()) Results.result(colours(c));
        for (int i = 0; i <= 10; i++) { log = 0; Results.result(tries(i)); Results.result(log); }
        Results.result(nested());
        log = 0;
        Results.result(resources()); Results.result(log);
        int n = 0;
        outer:
        for (int i = 0; i < 10; i++) {
            for (int j = 0; j < 10; j++) {
                if (j == i) continue outer;
                if (i * j > 30) break outer;
                n += i * j;
            }
        }
        do n--; while (n % 7 != 0);
        Results.result(n);
        Results.result((and(true, false) ? 1 : 0) + (and(false, false) ? 2 : 0));
        Object none = null;
        Results.result(none == null ? 1 : 2);
        long big = 1;
        while (big < 1L << 40) big *= 3;
        Results.result(big);
        Results.result(words("x".length() == 1 ? "one" : "two"));
        try {
            Results.result("abc".charAt(1) + "abc".length() + "abc".hashCode());
            "abc".charAt(3);
            Results.result(0);
        } catch (StringIndexOutOfBoundsException e) {
            Results.result(1);
        }
    }
}
