#include "cpu_fallback/kernels/stop.h"

#include <time.h>

_Thread_local struct hy_stop_watch hy_stop_of_thread;

static bool has_come(const struct hy_stop *stop)
{
    struct timespec now;

    if (stop->cancelled && __atomic_load_n(stop->cancelled, __ATOMIC_RELAXED) != 0)
        return true;
    if (stop->deadline < 0)
        return false;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec >= stop->deadline;
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
    watch->left = -1; /* whoever asks next hears it at once */
    return true;
}
