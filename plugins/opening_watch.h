#ifndef HY_PLUGINS_OPENING_WATCH_H
#define HY_PLUGINS_OPENING_WATCH_H

#include "common/call_watchdog.h"
#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/opening_guard.h"

/*
 * Watches the first calls into a driver, because they may crash, exit or hang. Each call is logged
 * and reported to the guard and the watchdog before the call is made. A zeroed watch does nothing.
 */
struct hy_opening_watch {
    const char *driver;                   /* name of the manifest; "": unknown, as in a service */
    const struct hy_opening_guard *guard; /* NULL: none */
    const char *library;                  /* path */
    const struct hy_host *host;           /* for its log; NULL: no opening in progress */
    struct hy_watched_call outer;         /* state of the watchdog */
};

/* Starts watching; all strings must stay valid until hy_opening_watch_end. After an error `watch`
 * is zeroed. Errors: those of the guard, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_opening_watch_begin(struct hy_opening_watch *watch,
                                                  struct hy_error *err);

/* Reports that the function `call` is about to be called; the string must stay valid until the end.
 * This function and hy_opening_watch_end do nothing without an opening in progress. */
void hy_opening_watch_enter(const struct hy_opening_watch *watch, const char *call);

void hy_opening_watch_end(struct hy_opening_watch *watch);

#endif
