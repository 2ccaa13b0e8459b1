package check

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ravel/internal/enumerate"
	frontend "ravel/internal/frontend/litmus"
)

// TestMacros compares lkmm.h and the model lkmm with lkmm.cat, by way of litmus tests with macros that the published ones lack. Each
// is threads with || between and a condition.
func TestMacros(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles many programs")
	}
	needClang(t)
	m, err := enumerate.Load("lkmm")
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range [][2]string{
		// SRCU: sections and grace periods of one srcu_struct, and of two.
		{"r3 = srcu_read_lock(s); r0 = READ_ONCE(*x); r1 = READ_ONCE(*y); srcu_read_unlock(s, r3); || WRITE_ONCE(*y, 1); synchronize_srcu(s); WRITE_ONCE(*x, 1);", "0:r0=1 /\\ 0:r1=0"},
		{"r3 = srcu_read_lock(s); r0 = READ_ONCE(*x); r1 = READ_ONCE(*y); srcu_read_unlock(s, r3); || WRITE_ONCE(*y, 1); synchronize_srcu(u); WRITE_ONCE(*x, 1);", "0:r0=1 /\\ 0:r1=0"},
		{"r3 = srcu_read_lock(s); r0 = READ_ONCE(*x); WRITE_ONCE(*y, 1); srcu_read_unlock(s, r3); || r0 = READ_ONCE(*y); synchronize_srcu(s); WRITE_ONCE(*x, 1);", "0:r0=1 /\\ 1:r0=1"},
		{"r3 = srcu_read_lock(s); r4 = srcu_read_lock(s); r0 = READ_ONCE(*x); srcu_read_unlock(s, r3); r1 = READ_ONCE(*y); srcu_read_unlock(s, r4); || WRITE_ONCE(*y, 1); synchronize_srcu(s); WRITE_ONCE(*x, 1);", "0:r0=1 /\\ 0:r1=0"},
		{"r3 = srcu_read_lock(s); r0 = READ_ONCE(*x); srcu_read_unlock(s, r3); r1 = READ_ONCE(*y); || WRITE_ONCE(*y, 1); synchronize_srcu(s); WRITE_ONCE(*x, 1);", "0:r0=1 /\\ 0:r1=0"},
		{"r3 = srcu_read_lock(s); r0 = READ_ONCE(*x); srcu_read_unlock(s, r3); smp_mb__after_srcu_read_unlock(); r1 = READ_ONCE(*y); || WRITE_ONCE(*y, 1); smp_mb(); WRITE_ONCE(*x, 1);", "0:r0=1 /\\ 0:r1=0"},
		{"rcu_read_lock(); r0 = READ_ONCE(*x); r1 = READ_ONCE(*y); rcu_read_unlock(); || WRITE_ONCE(*y, 1); synchronize_srcu(s); WRITE_ONCE(*x, 1);", "0:r0=1 /\\ 0:r1=0"},
		{"r3 = srcu_read_lock(s); r0 = READ_ONCE(*x); WRITE_ONCE(*y, 1); srcu_read_unlock(s, r3); || rcu_read_lock(); r0 = READ_ONCE(*y); WRITE_ONCE(*z, 1); rcu_read_unlock(); || r0 = READ_ONCE(*z); synchronize_srcu(s); synchronize_rcu(); WRITE_ONCE(*x, 1);", "0:r0=1 /\\ 1:r0=1 /\\ 2:r0=1"},
		{"r3 = srcu_read_lock(s); r0 = READ_ONCE(*x); WRITE_ONCE(*y, 1); srcu_read_unlock(s, r3); || rcu_read_lock(); r0 = READ_ONCE(*y); WRITE_ONCE(*z, 1); rcu_read_unlock(); || r0 = READ_ONCE(*z); synchronize_srcu(s); WRITE_ONCE(*x, 1);", "0:r0=1 /\\ 1:r0=1 /\\ 2:r0=1"},
		// Orders of read-modify-writes.
		{"WRITE_ONCE(*x, 1); r1 = xchg(y, 1); r0 = READ_ONCE(*z); || WRITE_ONCE(*z, 1); smp_mb(); r0 = READ_ONCE(*x);", "0:r0=0 /\\ 1:r0=0"},
		{"WRITE_ONCE(*x, 1); r1 = xchg_release(y, 1); r0 = READ_ONCE(*z); || WRITE_ONCE(*z, 1); smp_mb(); r0 = READ_ONCE(*x);", "0:r0=0 /\\ 1:r0=0"},
		{"WRITE_ONCE(*x, 1); r1 = cmpxchg(y, 0, 1); r0 = READ_ONCE(*z); || WRITE_ONCE(*z, 1); smp_mb(); r0 = READ_ONCE(*x);", "0:r0=0 /\\ 1:r0=0"},
		{"WRITE_ONCE(*x, 1); r1 = cmpxchg(y, 3, 1); r0 = READ_ONCE(*z); || WRITE_ONCE(*z, 1); smp_mb(); r0 = READ_ONCE(*x);", "0:r0=0 /\\ 1:r0=0"},
		{"WRITE_ONCE(*x, 1); r1 = cmpxchg_release(y, 0, 1); || r0 = cmpxchg_acquire(y, 1, 2); r1 = READ_ONCE(*x);", "1:r0=1 /\\ 1:r1=0"},
		{"WRITE_ONCE(*x, 1); r1 = cmpxchg_release(y, 0, 1); || r0 = cmpxchg_relaxed(y, 1, 2); r1 = READ_ONCE(*x);", "1:r0=1 /\\ 1:r1=0"},
		{"WRITE_ONCE(*x, 1); atomic_inc(a); r0 = READ_ONCE(*z); || WRITE_ONCE(*z, 1); smp_mb(); r0 = READ_ONCE(*x);", "0:r0=0 /\\ 1:r0=0"},
		{"WRITE_ONCE(*x, 1); smp_mb__before_atomic(); atomic_inc(a); r0 = READ_ONCE(*z); || WRITE_ONCE(*z, 1); smp_mb(); r0 = READ_ONCE(*x);", "0:r0=0 /\\ 1:r0=0"},
		{"WRITE_ONCE(*x, 1); atomic_inc(a); smp_mb__after_atomic(); r0 = READ_ONCE(*z); || WRITE_ONCE(*z, 1); smp_mb(); r0 = READ_ONCE(*x);", "0:r0=0 /\\ 1:r0=0"},
		{"WRITE_ONCE(*x, 1); smp_mb__after_atomic(); r0 = READ_ONCE(*z); || WRITE_ONCE(*z, 1); smp_mb(); r0 = READ_ONCE(*x);", "0:r0=0 /\\ 1:r0=0"},
		{"WRITE_ONCE(*x, 1); r1 = atomic_inc_return(a); r0 = READ_ONCE(*z); || WRITE_ONCE(*z, 1); smp_mb(); r0 = READ_ONCE(*x);", "0:r0=0 /\\ 1:r0=0"},
		{"WRITE_ONCE(*x, 1); r1 = atomic_add_unless(a, 1, 5); r0 = READ_ONCE(*z); || WRITE_ONCE(*z, 1); smp_mb(); r0 = READ_ONCE(*x);", "0:r0=0 /\\ 1:r0=0"},
		{"WRITE_ONCE(*x, 1); r1 = atomic_add_unless(a, 1, 0); r0 = READ_ONCE(*z); || WRITE_ONCE(*z, 1); smp_mb(); r0 = READ_ONCE(*x);", "0:r0=0 /\\ 1:r0=0"},
		{"r0 = READ_ONCE(*x); atomic_inc(a); || smp_rmb(); r1 = atomic_fetch_add_acquire(1, a); WRITE_ONCE(*x, 1);", "0:r0=1 /\\ 1:r1=1"},
		{"WRITE_ONCE(*x, 1); r0 = atomic_dec_and_test(a); || r0 = atomic_fetch_or(2, a); r1 = READ_ONCE(*x);", "1:r0=-1 /\\ 1:r1=0"},
		// Locks.
		{"spin_lock(l); WRITE_ONCE(*x, 1); spin_unlock(l); spin_lock(l); r0 = READ_ONCE(*y); spin_unlock(l); || WRITE_ONCE(*y, 1); smp_mb(); r0 = READ_ONCE(*x);", "0:r0=0 /\\ 1:r0=0"},
		{"spin_lock(l); WRITE_ONCE(*x, 1); spin_unlock(l); spin_lock(l); smp_mb__after_unlock_lock(); r0 = READ_ONCE(*y); spin_unlock(l); || WRITE_ONCE(*y, 1); smp_mb(); r0 = READ_ONCE(*x);", "0:r0=0 /\\ 1:r0=0"},
		{"WRITE_ONCE(*x, 1); spin_lock(l); r0 = READ_ONCE(*y); spin_unlock(l); || WRITE_ONCE(*y, 1); smp_mb(); r0 = READ_ONCE(*x);", "0:r0=0 /\\ 1:r0=0"},
		{"WRITE_ONCE(*x, 1); spin_lock(l); smp_mb__after_spinlock(); r0 = READ_ONCE(*y); spin_unlock(l); || WRITE_ONCE(*y, 1); smp_mb(); r0 = READ_ONCE(*x);", "0:r0=0 /\\ 1:r0=0"},
		{"spin_lock(l); WRITE_ONCE(*x, 1); spin_unlock(l); spin_lock(l); WRITE_ONCE(*y, 1); spin_unlock(l); || r0 = READ_ONCE(*y); smp_rmb(); r1 = READ_ONCE(*x);", "1:r0=1 /\\ 1:r1=0"},
		// Plain accesses.
		{"*x = 1; smp_store_release(y, 1); || r0 = smp_load_acquire(y); if (r0) { r1 = *x; }", "1:r0=1 /\\ 1:r1=0"},
		{"*x = 1; smp_wmb(); WRITE_ONCE(*y, 1); || r0 = READ_ONCE(*y); if (r0) { smp_rmb(); r1 = *x; }", "1:r0=1 /\\ 1:r1=0"},
		{"*x = 1; smp_wmb(); WRITE_ONCE(*y, 1); || r0 = READ_ONCE(*y); if (r0) { WRITE_ONCE(*x, 2); }", "x=1"},
		{"*x = 1; smp_store_release(y, 1); || r0 = READ_ONCE(*y); if (r0) { WRITE_ONCE(*x, 2); }", "x=1"},
		{"rcu_read_lock(); r0 = READ_ONCE(*y); if (r0 == 0) { r1 = *x; } rcu_read_unlock(); || WRITE_ONCE(*y, 1); synchronize_rcu(); *x = 1;", "0:r1=1"},
		{"spin_lock(l); *x = 1; spin_unlock(l); || spin_lock(l); r0 = *x; *x = 2; spin_unlock(l);", "x=1 /\\ 1:r0=1"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			text := macroTest(c[0], c[1])
			test, err := frontend.Parse("test.litmus", []byte(text))
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			want, err := enumerate.Run(test, m, enumerate.Options{})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			file := filepath.Join(t.TempDir(), "test.litmus")
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			r := row{"condition_holds": "no"}
			if want.Holds() {
				r["condition_holds"] = "yes"
			}
			if slices.Contains(want.Flags, "data-race") {
				r["flags"] = "data-race"
			}
			src, _ := translateLinux(t, file)
			checkLinux(t, src, test, r)
		})
	}
}

// macroTest makes a litmus test of threads with || between. s and u are each a srcu_struct, a is an atomic_t and l a lock.
func macroTest(threads, condition string) string {
	var b strings.Builder
	b.WriteString("C test\n{}\n")
	for i, body := range strings.Split(threads, "||") {
		fmt.Fprintf(&b, "P%d(int *x, int *y, int *z, atomic_t *a, spinlock_t *l, struct srcu_struct *s, struct srcu_struct *u)\n{\n", i)
		for r := range 5 {
			if name := fmt.Sprintf("r%d", r); strings.Contains(body, name+" =") {
				fmt.Fprintf(&b, "int %s;\n", name)
			}
		}
		fmt.Fprintf(&b, "%s\n}\n", strings.TrimSpace(body))
	}
	fmt.Fprintf(&b, "exists (%s)\n", condition)
	return b.String()
}
