#ifndef HY_CPU_FALLBACK_ENTRY_H
#define HY_CPU_FALLBACK_ENTRY_H

#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/run/float_mode.h"

/*
 * A thread enters a call of the device before it works for the call, and leaves the call with the
 * state that it came with. Inside, the thread works for the stop of the call and in the
 * floating-point mode of the devices. Entries nest: a thread that helps another call enters that
 * one, too. The time is that of two writes to a control register.
 */
struct hy_cpu_entry {
    struct hy_stop *stop; /* for whom the thread worked before */
    struct hy_float_mode floats;
};

/* `stop`: the call's, which lasts until the thread has left. */
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
