// std::thread, std::condition_variable and std::call_once, as the headers of libstdc++ use them.
// std::mutex and its kin need nothing: they call the pthread functions.
#include "rt.h"

// A std::thread is its pthread_t, 0 for none. It starts with an object whose virtual functions
// are its two destructors and _M_run.
typedef struct state {
	void (**vtable)(struct state *);
} state;

_Noreturn void _ZSt20__throw_system_errori(int code);

enum { COMPLETE_DESTRUCTOR, DELETING_DESTRUCTOR, RUN };

static void *run(void *arg)
{
	state *s = arg;
	s->vtable[RUN](s);
	s->vtable[DELETING_DESTRUCTOR](s);
	return NULL;
}

// s is a std::unique_ptr, passed by reference.
void _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(pthread_t *self, state **s, void (*depend)(void))
{
	state *it = *s;
	*s = NULL;
	start(self, run, it);
}

void _ZNSt6thread4joinEv(pthread_t *self)
{
	pthread_t t = *self;
	if (t == 0)
		_ZSt20__throw_system_errori(EINVAL);
	if (t == __ravel_self() + 1)
		_ZSt20__throw_system_errori(EDEADLK);
	__ravel_join(t - 1);
	*self = 0;
}

void _ZNSt6thread6detachEv(pthread_t *self)
{
	if (*self == 0)
		_ZSt20__throw_system_errori(EINVAL);
	__ravel_detach(*self - 1);
	*self = 0;
}

u32 _ZNSt6thread20hardware_concurrencyEv(void) { return 2; }

void _ZNSt6thread6_StateD2Ev(state *s) {}
void _ZNSt6thread6_StateD1Ev(state *s) {}
void _ZNSt6thread6_StateD0Ev(state *s) { _ZdlPv(s); }
_Noreturn void __cxa_pure_virtual(void);

extern const void *const _ZTVN10__cxxabiv117__class_type_infoE[8];
const char _ZTSNSt6thread6_StateE[] = "NSt6thread6_StateE";
const void *const _ZTINSt6thread6_StateE[2] = {&_ZTVN10__cxxabiv117__class_type_infoE[2], _ZTSNSt6thread6_StateE};
const void *const _ZTVNSt6thread6_StateE[5] = {
	NULL, _ZTINSt6thread6_StateE, _ZNSt6thread6_StateD1Ev, _ZNSt6thread6_StateD0Ev, __cxa_pure_virtual,
};

// std::condition_variable is a pthread_cond_t; a std::unique_lock starts with its mutex.
typedef struct {
	mutex *m;
	_Bool owns;
} unique_lock;

void _ZNSt18condition_variableC1Ev(cond *c) { pthread_cond_init(c, NULL); }
void _ZNSt18condition_variableC2Ev(cond *c) { pthread_cond_init(c, NULL); }
void _ZNSt18condition_variableD1Ev(cond *c) { pthread_cond_destroy(c); }
void _ZNSt18condition_variableD2Ev(cond *c) { pthread_cond_destroy(c); }
void _ZNSt18condition_variable10notify_oneEv(cond *c) { pthread_cond_signal(c); }
void _ZNSt18condition_variable10notify_allEv(cond *c) { pthread_cond_broadcast(c); }

void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(cond *c, unique_lock *l) { pthread_cond_wait(c, l->m); }

// std::call_once hands its callable over in two thread-local variables.
_Thread_local void *_ZSt15__once_callable;
_Thread_local void (*_ZSt11__once_call)(void);

void __once_proxy(void) { _ZSt11__once_call(); }

// A time_point is a struct: with 32 bits the caller says where it goes.
typedef struct {
	i64 ns;
} time_point;

time_point _ZNSt6chrono3_V212steady_clock3nowEv(void) { return (time_point){__ravel_now()}; }
time_point _ZNSt6chrono3_V212system_clock3nowEv(void) { return (time_point){__ravel_now()}; }
void _ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_ILl1ELl1000000000EEEE(long s, long ns) {}

// The free functions for std::shared_ptr, such as std::atomic_load, take one of a few locks by the pointer's address.
enum { POINTER_LOCKS = 16 };
static u32 pointer_lock[POINTER_LOCKS];

typedef struct {
	u8 first, second;
} sp_locker;

static u8 pointer_key(const void *p) { return ((u64)p / 8 ^ (u64)p >> SLOT_BIT) % POINTER_LOCKS; }

void _ZNSt10_Sp_lockerC1EPKv(sp_locker *l, const void *p)
{
	l->first = l->second = pointer_key(p);
	pthread_spin_lock(&pointer_lock[l->first]);
}

void _ZNSt10_Sp_lockerC1EPKvS1_(sp_locker *l, const void *p, const void *q)
{
	u8 a = pointer_key(p), b = pointer_key(q);
	l->first = a < b ? a : b;
	l->second = a < b ? b : a;
	pthread_spin_lock(&pointer_lock[l->first]);
	if (a != b)
		pthread_spin_lock(&pointer_lock[l->second]);
}

void _ZNSt10_Sp_lockerD1Ev(sp_locker *l)
{
	if (l->first != l->second)
		pthread_spin_unlock(&pointer_lock[l->second]);
	pthread_spin_unlock(&pointer_lock[l->first]);
}

// In the place of the unlock in libstdc++'s std::atomic<std::shared_ptr<T>>, which its load calls with a relaxed order: what
// was read would not be ordered before the next writer.
void __ravel_unlock_count(size_t *count, int order)
{
	if (order == __ATOMIC_SEQ_CST)
		__atomic_fetch_sub(count, 1, __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_sub(count, 1, rel);
}

void __ravel_unless_redundant(u64 c)
{
	if (!c)
		redundant();
}
