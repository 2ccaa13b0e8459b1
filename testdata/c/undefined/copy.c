// Copies between places that overlap (C17 7.24.2), and the right programs beside them.
#include <string.h>

static volatile int one = 1, eight = 8;
struct s { char c[12]; };
static char text[32] = "abcdefghi";

#if defined FORWARD
int main(void) { memcpy(text + 1, text, 8); return 0; }
#elif defined BACKWARD
int main(void) { memcpy(text, text + one, eight); return 0; }
#elif defined LOCAL
int main(void) { char b[16] = "abcdefghi"; memcpy(b + 1, b, 8); return b[0] == 0; }
#elif defined INNER // a local of a function that is inlined
static void shift(char *p, int n) { memcpy(p + n, p, 4); }
int main(void) { char b[16] = "abcdefghi"; shift(b, 3); return b[0] == 0; }
#elif defined POINTER // through a pointer to the function
int main(void) { void *(*volatile copy)(void *, const void *, size_t) = memcpy; copy(text + 1, text, 8); return 0; }
#elif defined MEMPCPY
void *mempcpy(void *, const void *, size_t);
int main(void) { mempcpy(text + one, text, 8); return 0; }
#elif defined ASSIGN // of a struct to one that overlaps with it
int main(void) { struct s *p = (struct s *)text, *q = (struct s *)(text + one); *q = *p; return 0; }
#elif defined STRCPY
int main(void) { strcpy(text + one, text); return 0; }
#elif defined STRCPY_DOWN
int main(void) { strcpy(text, text + one); return 0; }
#elif defined STRNCPY
int main(void) { strncpy(text + 3, text, 5); return 0; }
#elif defined STRCAT
int main(void) { strcat(text, text + 2); return 0; }
#elif defined COPY_OK
int main(void)
{
	struct s a = {"abc"}, *p = &a, *q = &a;
	*p = *q;
	char b[32] = "abcdefgh";
	memmove(b + 1, b, 8);
	memcpy(b + 8, b, 8);
	memcpy(b, b + eight, eight);
	memcpy(text, text, 8);
	memcpy(text + 1, text, 0);
	strcpy(text + 10, text);
	strncpy(text + 3, text, 3);
	strcpy(b, text + 20);
	strcat(b, text + 10);
	return a.c[2] - 'c';
}
#endif
