// flags: -D_GNU_SOURCE
// What the functions that print return, and what %n stores.
// want: verified 1
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int forward(const char *f, ...)
{
	va_list args;
	va_start(args, f);
	int n = vfprintf(stderr, f, args);
	va_end(args);
	return n;
}
int main(void)
{
	int n = 0;
	long m = 0;
	char *s;
	assert(printf("%d %s\n", 12, "abc") == 7);
	assert(fprintf(stderr, "%5.1f", 2.25) == 5);
	assert(forward("%x%c", 255, 'a') == 3);
	printf("abc%nd%ln", &n, &m);
	assert(n == 3 && m == 4);
	assert(asprintf(&s, "%s-%04d", "a", 7) == 6 && !strcmp(s, "a-0007"));
	free(s);
	assert(putchar('a') == 'a' && fputc(300, stdout) == 44);
	assert(puts("abc") >= 0 && fputs("abc", stdout) >= 0);
	assert(fwrite("abc", 1, 3, stdout) == 3 && fwrite("abc", 0, 3, stdout) == 0);
	int (*p)(const char *, ...) = printf;
	assert(p("%lld", 1ll << 40) == 13);
}
