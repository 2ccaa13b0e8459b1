// Pointers, arrays, structs by value, function pointers, initialisers, loops with phis.
#include <stdlib.h>
#include <string.h>
typedef unsigned long u64;
static u64 h = 5381;
static void mix(u64 v) { h = h * 33 + v; h ^= h >> 31; }
struct small { short a; char b; }; struct mid { int a; long b; }; struct big { int v[10]; char name[7]; struct small s; double d; };
struct node { int v; struct node *next; };
static struct node c3 = {3, 0}, c2 = {2, &c3}, c1 = {1, &c2};
static int arr[4][5] = {{1, 2, 3}, {4, 5, 6, 7, 8}}; static int *mid = &arr[1][2]; const char *names[] = {"alpha", "be", ""};
static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; }
static int (*ops[2])(int, int) = {add, sub};
union u { int i; float f; char c[8]; } un = {.c = "abcdefg"};
_Thread_local int tl = 4; _Thread_local struct mid tm = {1, 2};
struct small rs(struct small s) { s.a *= 2; s.b++; return s; } struct mid rm(struct mid m, int k) { m.a += k; m.b -= k; return m; }
struct big rb(struct big b, int k) { b.v[k] = k; b.name[1] = 'x'; b.d *= 2; return b; }
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
u64 swapping(int n) { u64 a = 1, b = 2, c = 3; for (int i = 0; i < n; i++) { u64 t = a; a = b; b = c + i; c = t; } return a * 10000 + b * 100 + c; }
int vla(int n) { int a[n]; int s = 0; for (int i = 0; i < n; i++) a[i] = i * i; for (int i = 0; i < n; i++) s += a[i]; return s; }
long ptrs(int *a, long i, int j) { return (char *)&a[i - j] - (char *)a; }
int main(void) {
  for (struct node *p = &c1; p; p = p->next) mix(p->v);
  mix(*mid); mix(mid[-3]); for (int i = 0; i < 3; i++) { mix(strlen(names[i])); mix(names[i][0]); }
  mix(ops[0](3, 4)); mix(ops[1](3, 4)); mix(un.i); mix(tl++); mix(tl); mix(tm.a + tm.b); tm.b = 9; mix(tm.b);
  struct small s = {7, 8}; s = rs(s); mix(s.a); mix(s.b); struct mid m = {1, 2}; m = rm(m, 5); mix(m.a); mix(m.b);
  struct big b; memset(&b, 0, sizeof b); strcpy(b.name, "abc"); b.d = 2.5; struct big b2 = rb(b, 3); mix(b.v[3]); mix(b2.v[3]); mix(b2.name[1]); mix(b.name[1]); mix((u64)(b2.d * 4));
  mix(fib(12)); mix(swapping(17)); mix(vla(10)); mix(ptrs(arr[0], 10, 3));
  int *q = malloc(40); for (int i = 0; i < 10; i++) q[i] = i ^ 5; memmove(q + 1, q, 20); for (int i = 0; i < 10; i++) mix(q[i]); free(q);
  char buf[32]; for (int i = 0; i < 32; i++) buf[i] = i * 7; for (int i = 0; i < 32; i += 3) mix(buf[i]);
  long sum = 0; static int data[100]; for (int i = 0; i < 100; i++) data[i] = i * 3 - 50; for (int i = 0; i < 100; i++) sum += data[i] > 0 ? data[i] : -1; mix(sum);
  short sh[37]; for (int i = 0; i < 37; i++) sh[i] = i * 1000; int mx = -1; for (int i = 0; i < 37; i++) if (sh[i] > mx) mx = sh[i]; mix(mx);
  float fs[19]; double dot = 0; for (int i = 0; i < 19; i++) fs[i] = i * 0.5f; for (int i = 0; i < 19; i++) dot += fs[i] * fs[18 - i]; mix((u64)dot);
  unsigned char bs[64]; for (int i = 0; i < 64; i++) bs[i] = i * 37; unsigned cnt = 0; for (int i = 0; i < 64; i++) cnt += bs[i] & 1; mix(cnt);
  return (int)(h ^ h >> 8 ^ h >> 16 ^ h >> 32 ^ h >> 48) & 255;
}
