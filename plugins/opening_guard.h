#ifndef HY_PLUGINS_OPENING_GUARD_H
#define HY_PLUGINS_OPENING_GUARD_H

#include "common/error.h"

/*
 * Records each driver function before this process calls the function during an opening, so a crash
 * or a hang can be attributed to the driver. The guard refuses drivers that failed in an earlier
 * process. Drivers in a process of their own have no guard. Openings run one after the other; each
 * opening runs on a single thread.
 */
struct hy_opening_guard {
    void *context; /* first argument of the functions */

    /* Called before the library is loaded. `driver` is the name of the manifest's file without
     * ".json". After an error the opening has not begun. Errors: FAILED (the reason for refusing
     * the driver), OUT_OF_MEMORY. */
    enum hy_code (*begin)(void *context, const char *driver, const char *library,
                          struct hy_error *err);

    /* Called before each function of the driver; `call` is its name, for example "create". */
    void (*enter)(void *context, const char *call);

    /* Called when the opening has ended, with or without success. */
    void (*end)(void *context);
};

#endif
