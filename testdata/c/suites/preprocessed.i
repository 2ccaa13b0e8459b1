// What GCC 11 or later leaves of its headers: __malloc__ with the function that frees, which older versions of clang refuse. No macro is left: linux is a name.
# 1 "g.c"
# 1 "/usr/include/stdlib.h" 1 3 4
extern void *malloc (unsigned long __size) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__malloc__)) __attribute__ ((__alloc_size__ (1)));
extern void *reallocarray (void *__ptr, unsigned long __nmemb, unsigned long __size) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__warn_unused_result__)) __attribute__ ((__alloc_size__ (2, 3))) __attribute__ ((__malloc__ (__builtin_free, 1)));
extern void free (void *__ptr) __attribute__ ((__nothrow__ , __leaf__));
extern int fclose (void *__stream);
extern void *fopen (const char *, const char *) __attribute__ ((__malloc__)) __attribute__ ((__malloc__ (fclose, 1)));
# 2 "g.c" 2
int linux = 3, unix = 4;
extern void abort(void);
int main(void)
{
  int *p = malloc(4);
  *p = linux;
  if (*p != 3) abort();
  free(p);
  return 0;
}
