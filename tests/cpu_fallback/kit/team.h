#ifndef HY_TESTS_CPU_FALLBACK_KIT_TEAM_H
#define HY_TESTS_CPU_FALLBACK_KIT_TEAM_H

#include <stdatomic.h>
#include <stdbool.h>

#include "halyard/driver.h"

enum { TEAM_MOST_THREADS = 64 };

/* A host with as many threads as asked for. */
struct team {
    uint32_t threads;
    bool does_first_only; /* all other tasks are left undone */
    atomic_uint calls;    /* of parallel */
};

/* `team` has to outlive it. */
struct hy_host team_host(struct team *team);

#endif
