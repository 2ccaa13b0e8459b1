// Thread-specific data, and what happens when a thread ends.
#include "rt.h"

enum { MAX_KEYS = 64, ROUNDS = 4 };

static u32 keys;
static void (*destructor[MAX_KEYS])(void *);
static _Thread_local void *specific[MAX_KEYS];

// Objects with a destructor that this thread's thread_local variables hold, last one first.
typedef struct object {
	void (*destroy)(void *);
	void *it;
	struct object *next;
} object;

static _Thread_local object *objects;

// __ravel_thread_locals_exit destroys them. In programs that have any, the machine calls it where main returns
// and before exit: then the thread ends with the program, and keys are left alone.
void __ravel_thread_locals_exit(void)
{
	while (objects) {
		object *o = objects;
		objects = o->next;
		o->destroy(o->it);
		free(o);
	}
}

// __ravel_thread_exit is what a thread does when it ends. It is linked only into programs that
// reach the functions below; in those, the machine runs __ravel_thread_start(fn, arg) where a
// thread would run fn(arg), and calls __ravel_thread_exit before __ravel_exit.
void __ravel_thread_exit(void)
{
	__ravel_thread_locals_exit();
	u32 n = load(&keys, rlx);
	if (n > MAX_KEYS)
		n = MAX_KEYS;
	for (int again = 1, round = 0; again && round < ROUNDS; round++) {
		again = 0;
		for (u32 k = 0; k < n; k++) {
			void *v = specific[k];
			if (!v)
				continue;
			void (*d)(void *) = load(&destructor[k], rlx);
			if (!d)
				continue;
			specific[k] = NULL;
			d(v);
			again = 1;
		}
	}
}

void *__ravel_thread_start(void *(*fn)(void *), void *arg)
{
	void *result = fn(arg);
	__ravel_thread_exit();
	return result;
}

int pthread_key_create(u32 *key, void (*d)(void *))
{
	u32 k = __atomic_fetch_add(&keys, 1, rlx);
	if (k >= MAX_KEYS)
		return EAGAIN;
	if ((void *)d == (void *)__ravel_thread_start) // never; but now the program has it
		return EINVAL;
	store(&destructor[k], d, rlx);
	*key = k;
	return 0;
}

int __pthread_key_create(u32 *key, void (*d)(void *)) { return pthread_key_create(key, d); }

int pthread_key_delete(u32 key)
{
	if (key >= MAX_KEYS)
		return EINVAL;
	store(&destructor[key], NULL, rlx);
	return 0;
}

void *pthread_getspecific(u32 key) { return key < MAX_KEYS ? specific[key] : NULL; }

int pthread_setspecific(u32 key, const void *v)
{
	if (key >= MAX_KEYS)
		return EINVAL;
	specific[key] = (void *)v;
	return 0;
}

int __cxa_thread_atexit(void (*d)(void *), void *it, void *dso)
{
	if ((void *)d == (void *)__ravel_thread_start)
		return -1;
	object *o = malloc(sizeof *o);
	o->destroy = d;
	o->it = it;
	o->next = objects;
	objects = o;
	return 0;
}

int __cxa_thread_atexit_impl(void (*d)(void *), void *it, void *dso) { return __cxa_thread_atexit(d, it, dso); }
