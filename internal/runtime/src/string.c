// Strings and memory blocks. Copies and fills are instructions of the machine, which splits
// them along the program's variables; the rest is written out.
#include "rt.h"

void *memcpy(void *d, const void *s, size_t n)
{
	__builtin_memcpy(d, s, n);
	return d;
}

void *memmove(void *d, const void *s, size_t n)
{
	__builtin_memmove(d, s, n);
	return d;
}

void *memset(void *d, int c, size_t n)
{
	__builtin_memset(d, c, n);
	return d;
}

void *mempcpy(void *d, const void *s, size_t n)
{
	__builtin_memcpy(d, s, n);
	return (char *)d + n;
}

void bzero(void *d, size_t n) { __builtin_memset(d, 0, n); }
void bcopy(const void *s, void *d, size_t n) { __builtin_memmove(d, s, n); }
void explicit_bzero(void *d, size_t n) { __builtin_memset(d, 0, n); }
void *__memcpy_chk(void *d, const void *s, size_t n, size_t size) { return memcpy(d, s, n); }
void *__memmove_chk(void *d, const void *s, size_t n, size_t size) { return memmove(d, s, n); }
void *__memset_chk(void *d, int c, size_t n, size_t size) { return memset(d, c, n); }

// memcmp reads words where both blocks allow it: fewer events, and members of structs are more
// often words than bytes.
int memcmp(const void *a, const void *b, size_t n)
{
	const u8 *p = a, *q = b;
	u64 both = (u64)p | (u64)q;
	if (both % 8 == 0)
		for (; n >= 8; p += 8, q += 8, n -= 8) {
			u64 x = *(const u64 *)p, y = *(const u64 *)q;
			if (x != y)
				return __builtin_bswap64(x) < __builtin_bswap64(y) ? -1 : 1;
		}
	if (both % 4 == 0)
		for (; n >= 4; p += 4, q += 4, n -= 4) {
			u32 x = *(const u32 *)p, y = *(const u32 *)q;
			if (x != y)
				return __builtin_bswap32(x) < __builtin_bswap32(y) ? -1 : 1;
		}
	for (; n; p++, q++, n--)
		if (*p != *q)
			return *p - *q;
	return 0;
}

int bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }

void *memchr(const void *a, int c, size_t n)
{
	for (const u8 *p = a; n; p++, n--)
		if (*p == (u8)c)
			return (void *)p;
	return NULL;
}

void *memrchr(const void *a, int c, size_t n)
{
	const u8 *p = a;
	while (n--)
		if (p[n] == (u8)c)
			return (void *)(p + n);
	return NULL;
}

size_t strlen(const char *s)
{
	size_t n = 0;
	while (s[n])
		n++;
	return n;
}

size_t strnlen(const char *s, size_t max)
{
	size_t n = 0;
	while (n < max && s[n])
		n++;
	return n;
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n; a++, b++, n--) {
		u8 x = *a, y = *b;
		if (x != y)
			return x - y;
		if (!x)
			break;
	}
	return 0;
}

int strcmp(const char *a, const char *b) { return strncmp(a, b, -1ul); }

// A string must not be copied to a place that overlaps with it: the byte at i is the first that both have if they are i bytes apart.
INLINE void apart(const char *d, const char *s, size_t i)
{
	if ((size_t)(d - s) == i || (size_t)(s - d) == i)
		__ravel_error("memory", "copy of a string to a place that overlaps with it");
}

char *stpncpy(char *d, const char *s, size_t n)
{
	size_t i = 0;
	for (; i < n; i++) {
		apart(d, s, i);
		char c = s[i];
		if (!c)
			break;
		d[i] = c;
	}
	char *end = d + i;
	for (; i < n; i++)
		d[i] = 0;
	return end;
}

char *stpcpy(char *d, const char *s)
{
	for (size_t i = 0;; i++) {
		apart(d, s, i);
		char c = s[i];
		d[i] = c;
		if (!c)
			return d + i;
	}
}

char *strncpy(char *d, const char *s, size_t n)
{
	stpncpy(d, s, n);
	return d;
}

char *strcpy(char *d, const char *s)
{
	stpcpy(d, s);
	return d;
}

char *strncat(char *d, const char *s, size_t n)
{
	char *e = d + strlen(d);
	for (size_t i = 0;; i++) {
		if (i < n)
			apart(e, s, i);
		char c = i < n ? s[i] : 0;
		e[i] = c;
		if (!c)
			return d;
	}
}

char *strcat(char *d, const char *s) { return strncat(d, s, -1ul); }

char *__strcpy_chk(char *d, const char *s, size_t size) { return strcpy(d, s); }
char *__strncpy_chk(char *d, const char *s, size_t n, size_t size) { return strncpy(d, s, n); }
char *__strcat_chk(char *d, const char *s, size_t size) { return strcat(d, s); }

char *strchrnul(const char *s, int c)
{
	for (;; s++) {
		char x = *s;
		if (x == (char)c || !x)
			return (char *)s;
	}
}

char *strchr(const char *s, int c)
{
	for (;; s++) {
		char x = *s;
		if (x == (char)c)
			return (char *)s;
		if (!x)
			return NULL;
	}
}

char *strrchr(const char *s, int c)
{
	const char *last = NULL;
	for (;; s++) {
		char x = *s;
		if (x == (char)c)
			last = s;
		if (!x)
			return (char *)last;
	}
}

char *index(const char *s, int c) { return strchr(s, c); }
char *rindex(const char *s, int c) { return strrchr(s, c); }

char *strstr(const char *s, const char *what)
{
	size_t n = strlen(what);
	for (;; s++) {
		if (strncmp(s, what, n) == 0)
			return (char *)s;
		if (!*s)
			return NULL;
	}
}

size_t strcspn(const char *s, const char *set)
{
	size_t n = 0;
	for (;; n++) {
		char x = s[n];
		if (!x || strchr(set, x))
			return n;
	}
}

size_t strspn(const char *s, const char *set)
{
	size_t n = 0;
	for (;; n++) {
		char x = s[n];
		if (!x || !strchr(set, x))
			return n;
	}
}

char *strpbrk(const char *s, const char *set)
{
	s += strcspn(s, set);
	return *s ? (char *)s : NULL;
}

char *strtok_r(char *s, const char *set, char **rest)
{
	if (!s)
		s = *rest;
	s += strspn(s, set);
	char *end = s + strcspn(s, set);
	*rest = *end ? end + 1 : end;
	if (s == end)
		return NULL;
	*end = 0;
	return s;
}

char *strsep(char **rest, const char *set)
{
	char *s = *rest;
	if (!s)
		return NULL;
	char *end = s + strcspn(s, set);
	*rest = *end ? end + 1 : NULL;
	*end = 0;
	return s;
}

// Its state is one for all threads, so that two of them race.
static char *token;

char *strtok(char *s, const char *set) { return strtok_r(s, set, &token); }

static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + 0x20 : c; }

int strncasecmp(const char *a, const char *b, size_t n)
{
	for (; n; n--, a++, b++) {
		int x = lower(*(const u8 *)a), y = lower(*(const u8 *)b);
		if (x != y || !x)
			return x - y;
	}
	return 0;
}

int strcoll(const char *a, const char *b) { return strcmp(a, b); }

char *strcasestr(const char *s, const char *what)
{
	size_t n = strlen(what);
	for (;; s++) {
		if (strncasecmp(s, what, n) == 0)
			return (char *)s;
		if (!*s)
			return NULL;
	}
}

void *memmem(const void *a, size_t n, const void *what, size_t length)
{
	for (const char *p = a; n >= length; p++, n--)
		if (memcmp(p, what, length) == 0)
			return (void *)p;
	return NULL;
}

void *memccpy(void *d, const void *s, int c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		u8 x = ((const u8 *)s)[i];
		((u8 *)d)[i] = x;
		if (x == (u8)c)
			return (u8 *)d + i + 1;
	}
	return NULL;
}

int strcasecmp(const char *a, const char *b) { return strncasecmp(a, b, -1ul); }

char *strerror(int error) { return "an error"; }
char *strerror_r(int error, char *s, size_t n) { return strerror(error); } // GNU's
int __xpg_strerror_r(int error, char *s, size_t n)                         // POSIX's
{
	const char *text = strerror(error);
	for (size_t i = 0; i < n; i++)
		if (!(s[i] = text[i]))
			return 0;
	if (n)
		s[n - 1] = 0;
	return ERANGE;
}

// C11's memcpy with bounds: a wrong call fills the destination with zeros.
int memcpy_s(void *d, size_t room, const void *s, size_t n)
{
	if (!d || room > (size_t)-1 / 2)
		return EINVAL;
	const char *to = d, *from = s;
	if (!s || n > room || (to < from + n && from < to + n)) {
		__builtin_memset(d, 0, room);
		return EINVAL;
	}
	__builtin_memcpy(d, s, n);
	return 0;
}
