#ifndef HY_TESTS_UNIT_CPU_FALLBACK_KIT_TEAM_H
#define HY_TESTS_UNIT_CPU_FALLBACK_KIT_TEAM_H

#include <stdatomic.h>
#include <stdbool.h>

#include "halyard/driver.h"

enum { TEAM_MOST_THREADS = 64 };

/* A host with a configurable number of threads. */
struct team {
    uint32_t threads;
    bool does_first_only; /* runs task 0 only and skips the other tasks */
    atomic_uint calls;    /* number of `parallel` calls */
};

/* `team` must outlive the host. */
struct hy_host team_host(struct team *team);

#endif
