// want: verified 1
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int mine(char *s, size_t n, const char *f, ...)
{
	va_list args;
	va_start(args, f);
	int r = vsnprintf(s, n, f, args);
	va_end(args);
	return r;
}
int main(void)
{
	char s[64];
	assert(snprintf(s, sizeof s, "thread %d", 7) == 8 && strcmp(s, "thread 7") == 0);
	assert(snprintf(s, 4, "%s", "abcdef") == 6 && strcmp(s, "abc") == 0);
	sprintf(s, "[%5d|%-5d|%05d|%+d|%x|%#X|%c|%%|%.2s]", -42, 42, 42, 0, 255u, 255u, 'q', "xyz");
	assert(strcmp(s, "[  -42|42   |00042|+0|ff|0XFF|q|%|xy]") == 0);
	sprintf(s, "%ld %lu %hhd %zu", -5L, ~0UL, 255, (size_t)9);
	assert(strcmp(s, "-5 18446744073709551615 -1 9") == 0);
	sprintf(s, "%5.2f|%-8.3f|%+.0f|%f|%.3f|%08.2f", 3.14159, 2.5, 2.5, 0.1, 9.9996, -1.5);
	assert(strcmp(s, " 3.14|2.500   |+2|0.100000|10.000|-0001.50") == 0);
	assert(mine(s, sizeof s, "%d %f %s %ld %d %d %d %c", 1, 2.5, "x", 4L, 5, 6, 7, '8') == 22 && strcmp(s, "1 2.500000 x 4 5 6 7 8") == 0);
	long double half = 0.5L;
	assert(strtold("2.5", NULL) == 5 * half && strtod("-25e-1x", NULL) == -2.5 && atof("abc") == 0);
	return 0;
}
