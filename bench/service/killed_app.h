#ifndef HY_BENCH_SERVICE_KILLED_APP_H
#define HY_BENCH_SERVICE_KILLED_APP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* An app whose driver is killed again and again, while its threads run bursts. */

#define KILLED_APP_THREADS 4u
#define KILLED_APP_KILLS   5u /* more in one app would wait for the next start for long */

/* Shared with the process that is the app. */
struct killed_app {
    bool is_alone; /* compiled for the isolated device alone: no other can take over */
    unsigned seed;

    unsigned kills; /* that were made */
    int32_t last_pid;
    uint64_t runs, failures; /* DEAD_OBJECT, UNAVAILABLE_DEVICE */
    int64_t
        took[KILLED_APP_KILLS * KILLED_APP_THREADS]; /* ns from a kill to the return of a call */
    atomic_uint took_count;
    char wrong[256]; /* what must not be; "": nothing */
};

/* Is the app: from its first call to its last. False: see `wrong`. */
bool killed_app_live(struct killed_app *app);

#endif
