#include "cpu_fallback/kernels/stop.h"

#include "common/clock.h"

_Thread_local struct hy_stop_watch hy_stop_of_thread;

static bool has_come(const struct hy_stop *stop)
{
    if (stop->cancelled && __atomic_load_n(stop->cancelled, __ATOMIC_RELAXED) != 0)
        return true;
    return stop->deadline >= 0 && hy_clock_boot() >= stop->deadline;
}

bool hy_stop_look(struct hy_stop_watch *watch)
{
    struct hy_stop *stop = watch->stop;

    watch->left = HY_STOP_UNITS;
    if (!stop)
        return false;
    if (!hy_stop_is_set(stop)) {
        if (!has_come(stop))
            return false;
        __atomic_store_n(&stop->is_set, 1, __ATOMIC_RELAXED);
    }
    watch->left = -1; /* the next check stops at once */
    return true;
}
