// want: verified 1
#include <assert.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
	char s[64];
	assert(snprintf(s, sizeof s, "thread %d", 7) == 8 && strcmp(s, "thread 7") == 0);
	assert(snprintf(s, 4, "%s", "abcdef") == 6 && strcmp(s, "abc") == 0);
	sprintf(s, "[%5d|%-5d|%05d|%+d|%x|%#X|%c|%%|%.2s]", -42, 42, 42, 0, 255u, 255u, 'q', "xyz");
	assert(strcmp(s, "[  -42|42   |00042|+0|ff|0XFF|q|%|xy]") == 0);
	sprintf(s, "%ld %lu %hhd %zu", -5L, ~0UL, 255, (size_t)9);
	assert(strcmp(s, "-5 18446744073709551615 -1 9") == 0);
	return 0;
}
