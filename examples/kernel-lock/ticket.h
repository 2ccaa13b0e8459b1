// A ticket lock: threads enter in the order in which they draw a ticket.
#pragma once

#if defined __x86_64__
#include "arch/x86/barrier.h"
#elif defined __aarch64__
#include "arch/arm64/barrier.h"
#else
#error "no barriers for this processor"
#endif

struct ticket_lock {
	unsigned next, owner;
};

static inline void ticket_acquire(struct ticket_lock *l)
{
	unsigned mine = fetch_inc(&l->next);
	while (load_acquire(&l->owner) != mine)
		cpu_relax();
}

static inline void ticket_release(struct ticket_lock *l)
{
	store_release(&l->owner, load_acquire(&l->owner) + 1);
}
