// Integer arithmetic of all widths, casts, shifts, bit intrinsics.
typedef unsigned long u64; typedef unsigned __int128 u128; typedef __int128 i128;
static u64 h = 1469598103934665603UL;
static void mix(u64 v) { h ^= v; h *= 1099511628211UL; h ^= h >> 29; }
static void mix128(u128 v) { mix((u64)v); mix((u64)(v >> 64)); }
volatile int vi = -77; volatile unsigned vu = 3000000000u; volatile long vl = -123456789012345L;
volatile signed char vc = -5; volatile short vs = 300; volatile unsigned char vb = 200;
volatile int sh = 7;
struct bits { unsigned a : 3; int b : 5; unsigned long c : 40; } bf;
int f24(int x) { struct { _BitInt(24) b; } s = {x}; return s.b + 1; }
static int sw(long x) { switch (x) { case -1: return 3; case 100: return 7; case 1L << 40: return 9; default: return 1; } }
int main(void) {
  mix(vi / 7); mix(vi % 7); mix(vu / 7u); mix(vl >> sh); mix((u64)vl >> sh); mix(vl << sh);
  mix(vc * vs); mix(vb + vc); mix((unsigned char)(vb + vb)); mix((short)(vs * vs)); mix(vi < 0); mix((unsigned)vi < vu);
  mix(vl < vi); mix((long)vc); mix((unsigned long)(unsigned char)vc);
  i128 a = (i128)vl * vl; u128 b = (u128)vu << 70 | vb;
  mix128(a); mix128(b); mix128(a * b); mix128(b / 1000003u); mix128(b % (u128)vl); mix128(a >> sh); mix128(-a / 12345); mix128(a + b); mix128(b - a);
  mix(a < (i128)b); mix(a == -a); mix128((u128)(double)vl); mix((long)(float)vu); mix128(b << 64); mix128((i128)vi);
  mix(__builtin_popcountl(vl)); mix(__builtin_clz(vu)); mix(__builtin_ctzl(vl << 4)); mix(__builtin_bswap32(vu)); mix(__builtin_bswap64(vl)); mix(__builtin_bswap16(vs));
  mix(__builtin_rotateleft32(vu, sh)); mix(__builtin_rotateright64(vl, sh)); mix(__builtin_bitreverse32(vu)); mix(__builtin_abs(vi));
  int o; mix(__builtin_add_overflow(vi, 2147483647, &o)); mix(o); mix(__builtin_mul_overflow(vi, vs, &o)); mix(o);
  unsigned uo; mix(__builtin_sub_overflow(5u, vu, &uo)); mix(uo); long lo; mix(__builtin_mul_overflow(vl, vl, &lo)); mix(lo);
  bf.a = vi; bf.b = vi; bf.c = vl; mix(bf.a); mix(bf.b); mix(bf.c); mix(f24(vi));
  for (long i = -3; i < 104; i++) mix(sw(i));
  mix(sw(1L << 40));
  double d = vi * 1.5, e = vu; mix(d < e); mix((long)(d * e)); mix((long)(d / e * 1e9)); float f = d; mix((int)(f * f)); mix(d != d); mix((unsigned long)(e * 1e9));
  union { double d; u64 u; } un = {d}; mix(un.u); union { float f; unsigned u; } uf = {f}; mix(uf.u); mix((long)__builtin_fabs(d)); mix((long)(__builtin_sqrt(e) * 1000));
  mix(__builtin_fmax(d, e) == e); mix((long)__builtin_copysign(e, d)); mix((long)__builtin_floor(d / 7));
  return (int)(h ^ h >> 8 ^ h >> 16 ^ h >> 24 ^ h >> 40 ^ h >> 56) & 255;
}
