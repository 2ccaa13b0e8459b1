// A program of 32 bits in the style of SV-COMP's preprocessed tasks: it declares what it uses of the C library, with the layouts of
// glibc on i386. Pointers, long and size_t have 4 bytes, long long is aligned to 4.
typedef unsigned int size_t;
typedef unsigned long pthread_t;
typedef union { char size[24]; int align; } pthread_mutex_t;
typedef union { char size[48]; long long align; } pthread_cond_t;
typedef union { char size[16]; long align; } sem_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
extern int pthread_cond_signal(pthread_cond_t *);
extern int sem_init(sem_t *, int, unsigned);
extern int sem_post(sem_t *);
extern int sem_wait(sem_t *);
extern void *malloc(size_t);
extern void free(void *);
extern void abort(void);
#define assert(c) ((c) ? (void)0 : abort())

struct node {
	char tag;
	struct node *next;
	long long big;
	int value;
};
_Static_assert(sizeof(void *) == 4 && sizeof(long) == 4 && sizeof(struct node) == 20, "ILP32");

static struct {
	int odd; // so that what follows is at a multiple of 4 only
	pthread_mutex_t lock;
	pthread_cond_t filled;
	sem_t done;
	struct node *head;
} list;
_Static_assert(__builtin_offsetof(typeof(list), filled) % 8 == 4, "");
static __thread int mine;

static void *push(void *arg)
{
	struct node *n = malloc(sizeof *n);
	n->tag = 'x';
	n->value = mine = (int)(long)arg;
	n->big = 0x123456789abcdefll + n->value;
	pthread_mutex_lock(&list.lock);
	n->next = list.head;
	list.head = n;
	pthread_cond_signal(&list.filled);
	pthread_mutex_unlock(&list.lock);
	assert(mine == (int)(long)arg);
	sem_post(&list.done);
	return &n->value;
}

int main(int argc, char **argv)
{
	pthread_t t;
	void *result;
	assert(argc == 1 && argv[0][0] && !argv[1]);
	sem_init(&list.done, 0, 0);
	pthread_create(&t, 0, push, (void *)7);
	pthread_mutex_lock(&list.lock);
	while (!list.head)
		pthread_cond_wait(&list.filled, &list.lock);
	struct node *n = list.head;
	pthread_mutex_unlock(&list.lock);
	sem_wait(&list.done);
	assert(n->value == 7 && n->big == 0x123456789abcdefll + 7 && !n->next && mine == 0);
	pthread_join(t, &result);
	assert(result == &n->value);
	free(n);
}
