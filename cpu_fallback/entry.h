#ifndef HY_CPU_FALLBACK_ENTRY_H
#define HY_CPU_FALLBACK_ENTRY_H

#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/run/float_mode.h"

/*
 * Thread state of a device call. A thread enters a call before it works for the call. Until it
 * leaves, the thread obeys the stop of the call and computes in the floating-point mode of the CPU
 * devices; leaving restores the previous state. Entries nest, for example when a waiting thread
 * runs a task of another call. Entering and leaving cost two writes to a control register at most.
 */
struct hy_cpu_entry {
    struct hy_stop *stop; /* the previous stop of the thread */
    struct hy_float_mode floats;
};

/* `stop`: the stop of the call, or NULL; it must live until the thread has left. */
static inline struct hy_cpu_entry hy_cpu_enter(struct hy_stop *stop)
{
    return (struct hy_cpu_entry){hy_stop_enter(stop), hy_float_mode_enter()};
}

static inline void hy_cpu_leave(struct hy_cpu_entry before)
{
    hy_float_mode_leave(before.floats);
    (void)hy_stop_enter(before.stop);
}

#endif
