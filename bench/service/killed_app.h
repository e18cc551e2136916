#ifndef HY_BENCH_SERVICE_KILLED_APP_H
#define HY_BENCH_SERVICE_KILLED_APP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* An app whose driver is killed repeatedly, while the app's threads run bursts. */

#define KILLED_APP_THREADS 4u
/* with more kills in an app, the next start would be delayed for long */
#define KILLED_APP_KILLS 5u

/* Shared with the process of the app. */
struct killed_app {
    bool is_alone; /* compiled for the isolated device alone: no fallback device */
    unsigned seed;

    unsigned kills; /* number of kills */
    int32_t last_pid;
    uint64_t runs, failures; /* DEAD_OBJECT, UNAVAILABLE_DEVICE */
    /* ns from a kill to the return of a call */
    int64_t recovery_ns[KILLED_APP_KILLS * KILLED_APP_THREADS];
    atomic_uint recovery_count;
    char wrong[256]; /* a detected fault; "": none */
};

/* Runs the app, from its first call to its last. False: see `wrong`. */
bool killed_app_live(struct killed_app *app);

#endif
