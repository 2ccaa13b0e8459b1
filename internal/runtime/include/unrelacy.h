// unrelacy.h: the names of Relacy, with which some of CDSChecker's benchmarks are written. For C++.
#ifndef RAVEL_UNRELACY_H
#define RAVEL_UNRELACY_H
#ifdef __cplusplus

#include <assert.h>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdio.h>
#include <stdlib.h>

using std::atomic;
using std::condition_variable_any;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;
using std::mutex;

#define $

#define ASSERT(condition) assert(condition)
#define RL_ASSERT(condition) assert(condition)
#define RL_NEW new
#define RL_DELETE(object) delete object

#define mo_seqcst memory_order_seq_cst
#define mo_release memory_order_release
#define mo_acquire memory_order_acquire
#define mo_acq_rel memory_order_acq_rel
#define mo_relaxed memory_order_relaxed

namespace rl {

// A plain variable.
template <typename T> struct var {
	var() : value() {}
	var(T v) : value(v) {}
	var &operator=(T v)
	{
		value = v;
		return *this;
	}
	T operator()() { return value; }
	operator T() const { return value; }
	void operator+=(T v) { value += v; }
	T value;
};

struct backoff {
	void yield() {}
	void yield(int) {}
};
typedef backoff linear_backoff;
typedef backoff exp_backoff;

} // namespace rl

#endif
#endif
