// want: verified 1
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
	char s[32], t[32];
	volatile int n = 5;
	strcpy(s, "hello");
	assert(strlen(s) == n && strnlen(s, 3) == 3);
	strcat(s, " world");
	assert(strcmp(s, "hello world") == 0 && strncmp(s, "help", 3) == 0 && strcmp(s, "help") < 0);
	assert(strchr(s, 'w') == s + 6 && strrchr(s, 'o') == s + 7 && strstr(s, "lo w") == s + 3 && !strstr(s, "xyz"));
	memcpy(t, s, strlen(s) + 1);
	assert(memcmp(s, t, strlen(s)) == 0);
	memmove(t + 2, t, n);
	assert(memcmp(t, "hehello", 7) == 0);
	memset(t, 'x', n);
	assert(memchr(t, 'l', sizeof t) == t + 5);
	strncpy(t, "ab", 4);
	assert(t[2] == 0 && t[3] == 0 && t[4] == 'x');
	assert(atoi(" -42x") == -42 && strtol("0x1f", 0, 0) == 31 && abs(-n) == 5 && labs(-3L) == 3);
	int a[] = {5, 3, 9, 1}, key = 9;
	qsort(a, 4, sizeof a[0], compare);
	assert(a[0] == 1 && a[1] == 3 && a[2] == 5 && a[3] == 9);
	assert(bsearch(&key, a, 4, sizeof a[0], compare) == &a[3]);
	return 0;
}
