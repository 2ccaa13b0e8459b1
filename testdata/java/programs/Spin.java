// A thread spins on an element of an array, through a VarHandle, until another one sets it.
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

public class Spin {
    static final VarHandle AT = MethodHandles.arrayElementVarHandle(int[].class);

    public static void main(String[] args) {
        int[] flags = new int[2];
        new Thread(() -> AT.setVolatile(flags, 1, 7)).start();
        while ((int) AT.getVolatile(flags, 1) == 0) {
            Thread.onSpinWait();
        }
        assert flags[1] == 7;
    }
}
