// Functions of the C library that the programs of other verifiers call.
#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

int memcpy_s(void *to, size_t room, const void *from, size_t n);

static void one(void *p) { *(int *)p = 1; }

static void *thread(void *p)
{
	pthread_cleanup_push(one, p);
	*(int *)p = 2;
#ifdef EXIT
	pthread_exit(0);
#endif
	pthread_cleanup_pop(1);
	return 0;
}

int main(int argc, char **argv)
{
	int x = 0, a[3] = {1, 2, 3}, b[3] = {4, 5, 6};
	pthread_t t;
	pthread_create(&t, 0, thread, &x);
	pthread_join(t, 0);
	assert(x == 1);
	assert(isdigit('5') && !isdigit('a') && isspace('\t') && !isspace('x') && isalpha('q') && ispunct('.') && isupper('G'));
	assert(isxdigit('f') && !isxdigit('g') && islower('z') && isprint(' ') && !isprint('\n') && iscntrl(127) && isalnum('0'));
	for (int c = -1; c < 256; c++)
		assert(toupper(c) == (c >= 'a' && c <= 'z' ? c - 32 : c) && tolower(c) == (c >= 'A' && c <= 'Z' ? c + 32 : c));
	char s[] = "a,b;;c";
	assert(!strcmp(strtok(s, ",;"), "a") && !strcmp(strtok(0, ",;"), "b") && !strcmp(strtok(0, ",;"), "c") && !strtok(0, ",;"));
	assert(!strcasecmp("aBc", "AbC") && strncasecmp("abc", "abd", 2) == 0 && strcasecmp("a", "b") < 0);
	assert(*strpbrk("hello", "ml") == 'l' && !strpbrk("hello", "xyz"));
	assert(memcpy_s(a, sizeof a, b, sizeof b) == 0 && a[2] == 6);
	assert(memcpy_s(a, 2 * sizeof(int), b, sizeof b) != 0 && a[0] == 0 && a[1] == 0 && a[2] == 6);
	assert(getopt(argc, argv, "n:") == -1);
	return 0;
}
