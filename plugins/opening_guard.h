#ifndef HY_PLUGINS_OPENING_GUARD_H
#define HY_PLUGINS_OPENING_GUARD_H

#include "common/error.h"

/*
 * Who keeps a note of what this process is about to do while it opens a driver, for the case that
 * it does not come back from there; and who knows which drivers did that before. A driver in a
 * process of its own has none. Openings come one after the other, each on one thread.
 */
struct hy_opening_guard {
    void *context; /* first argument of the functions */

    /* Before anything of the library is loaded. `driver` is the name of the manifest's file,
     * without ".json". Errors: FAILED (why the driver has to be left out), OUT_OF_MEMORY; then
     * nothing has begun. */
    enum hy_code (*begin)(void *context, const char *driver, const char *library,
                          struct hy_error *err);

    /* Before the next function of the driver: "create". */
    void (*enter)(void *context, const char *call);

    /* The opening is over, well or badly. */
    void (*end)(void *context);
};

#endif
