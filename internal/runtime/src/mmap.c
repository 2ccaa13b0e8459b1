// Anonymous memory: mmap and munmap of whole mappings. There are no files and no addresses of the program's choice. An access to a page that was unmapped, or of a
// mapping that nobody has, is found as one of the heap is.
#include "rt.h"

enum { PAGE = 4096, PROT_NONE = 0, MAP_FIXED = 0x10, MAP_ANONYMOUS = 0x20, MAP_FIXED_NOREPLACE = 0x100000 };
#define FAILED ((void *)-1)
#define unsupported(message) __ravel_error("unsupported", message)

INLINE size_t pages(size_t n) { return (n + PAGE - 1) & -(size_t)PAGE; }

void *mmap(void *addr, size_t n, int prot, int flags, int fd, long offset)
{
	if (!n || n > (size_t)-1 / 2) {
		errno = n ? ENOMEM : EINVAL;
		return FAILED;
	}
	if (!(flags & MAP_ANONYMOUS))
		unsupported("mmap() of a file is not modelled: programs have memory and threads, but no files or devices");
	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE))
		unsupported("mmap() at an address of the program's choice is not modelled");
	if (prot == PROT_NONE)
		unsupported("mmap() of memory without access is not modelled");
	return __ravel_alloc_aligned(pages(n), FAMILY(MAPPED) | ZEROED, PAGE);
}

void *mmap64(void *addr, size_t n, int prot, int flags, int fd, i64 offset) { return mmap(addr, n, prot, flags, fd, 0); }

int munmap(void *p, size_t n)
{
	if (!n || (size_t)p % PAGE) {
		errno = EINVAL;
		return -1;
	}
	if (__ravel_size(p) != pages(n))
		unsupported("munmap() of a part of a mapping is not modelled");
	__ravel_free(p, MAPPED, 0);
	return 0;
}

int mprotect(void *p, size_t n, int prot)
{
	if (prot == PROT_NONE)
		unsupported("mprotect() that forbids all access is not modelled");
	return 0;
}

// madvise: advice that drops contents is not taken.
int madvise(void *p, size_t n, int advice)
{
	if (advice == 4 || advice == 8 || advice == 9) // MADV_DONTNEED, MADV_FREE, MADV_REMOVE
		unsupported("madvise() that drops the contents of memory is not modelled");
	return 0;
}

int posix_madvise(void *p, size_t n, int advice) { return 0; }

// Waiting for nothing but time takes none: see nanosleep.
typedef struct {
	int fd;
	short events, revents;
} pollfd;

int poll(pollfd *fds, unsigned long n, int timeout)
{
	for (unsigned long i = 0; i < n; i++)
		if (fds[i].fd >= 0)
			unsupported("poll() of a file is not modelled: programs have memory and threads, but no files or devices");
	return 0;
}

int select(int n, void *r, void *w, void *e, void *timeout)
{
	if (n > 0 && (r || w || e))
		unsupported("select() of files is not modelled: programs have memory and threads, but no files or devices");
	return 0;
}
