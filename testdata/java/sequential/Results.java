// What the programs of this folder compute. Natively it is printed. The test gives ravel the numbers that were printed, and
// then each result must be the next one of them.
class Results {
    static int at;

    static void result(long v) {
        if (Expected.VALUES == null) {
            System.out.println(v);
            return;
        }
        if (Expected.VALUES[at] != v) {
            throw new IllegalStateException();
        }
        at++;
    }
}
