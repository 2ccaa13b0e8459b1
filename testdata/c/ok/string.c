// The functions of string.h, with lengths known only at run time, and snprintf.
#include <assert.h>
#include <stdio.h>
#include <string.h>

size_t five = 5;

int main(void)
{
	char a[16], b[16], text[32];

	memset(a, 'x', sizeof a);
	memset(a, 0, five);
	assert(a[0] == 0 && a[4] == 0 && a[5] == 'x');

	strcpy(a, "hello");
	assert(strlen(a) == five);
	memcpy(b, a, five + 1);
	assert(strcmp(a, b) == 0 && memcmp(a, b, five) == 0);
	strcat(b, "!");
	assert(strcmp(a, b) < 0 && strcmp(b, a) > 0 && strncmp(a, b, five) == 0);
	memmove(b + 1, b, five);
	assert(strcmp(b, "hhello") == 0);
	assert(strchr(a, 'l') == a + 2 && strrchr(a, 'l') == a + 3 && strchr(a, 'z') == NULL);
	strncpy(b, "longer than that", five);
	assert(memcmp(b, "longe", five) == 0);

	assert(snprintf(text, sizeof text, "%s %d %c %x", a, -42, 'c', 255u) == 14);
	assert(strcmp(text, "hello -42 c ff") == 0);
	assert(snprintf(text, five, "%s", "cut short") == 9 && strcmp(text, "cut ") == 0);
	return 0;
}
