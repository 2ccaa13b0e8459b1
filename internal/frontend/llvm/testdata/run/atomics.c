// Every atomic operation, one thread.
#include <stdatomic.h>
#include <stdbool.h>
typedef unsigned long u64;
static u64 h = 17; static void mix(u64 v) { h = h * 1000003 + v; h ^= h >> 27; }
atomic_int ai = 5; _Atomic long al = -9; _Atomic unsigned char ab = 250; _Atomic short as = 1; _Atomic(int *) ap; int xs[4] = {1, 2, 3, 4}; atomic_bool fl; _Atomic float af = 1.5f; atomic_flag flag = ATOMIC_FLAG_INIT;
struct pair { int a, b; }; _Atomic struct pair apair;
__int128 wide __attribute__((aligned(16))) = 77;
int main(void) {
  mix(atomic_fetch_add(&ai, 3)); mix(atomic_fetch_sub_explicit(&al, 4, memory_order_relaxed)); mix(atomic_fetch_or(&ab, 8)); mix(atomic_fetch_and(&ab, 0x7f)); mix(atomic_fetch_xor(&as, 0x55));
  mix(atomic_exchange(&ai, 100)); int e = 99; mix(atomic_compare_exchange_strong(&ai, &e, 7)); mix(e); mix(atomic_compare_exchange_strong_explicit(&ai, &e, 7, memory_order_acq_rel, memory_order_acquire)); mix(ai);
  atomic_store(&ap, xs); mix(*atomic_fetch_add(&ap, 2)); mix(*atomic_load(&ap)); ai += 5; al--; ab++; mix(ai); mix(al); mix(ab);
  atomic_store_explicit(&fl, true, memory_order_release); mix(atomic_load_explicit(&fl, memory_order_acquire)); af += 2.25f; mix((int)(af * 4));
  mix(atomic_flag_test_and_set(&flag)); mix(atomic_flag_test_and_set(&flag)); atomic_flag_clear(&flag); atomic_thread_fence(memory_order_acquire); atomic_signal_fence(memory_order_seq_cst);
  struct pair p = {1, 2}; atomic_store(&apair, p); struct pair q = atomic_load(&apair); mix(q.a * 10 + q.b);
  mix(__atomic_fetch_nand(&xs[0], 3, __ATOMIC_SEQ_CST)); mix(xs[0]); mix(__sync_fetch_and_add(&xs[1], 7)); mix(__sync_bool_compare_and_swap(&xs[1], 9, 1)); mix(xs[1]);
  __asm__ volatile("" ::: "memory"); __asm__ volatile("mfence" ::: "memory"); int v = 3; __asm__("" : "+r"(v)); mix(v);
  return (int)(h ^ h >> 8 ^ h >> 16 ^ h >> 32 ^ h >> 48) & 255;
}
