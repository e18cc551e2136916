#ifndef HY_PLUGINS_OPENING_WATCH_H
#define HY_PLUGINS_OPENING_WATCH_H

#include "common/call_watchdog.h"
#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/opening_guard.h"

/*
 * The first calls into a driver, which may crash, exit or hang: each is a line of the log, and is
 * told to guard and watchdog, before it is made. Zero-filled it watches nothing.
 */
struct hy_opening_watch {
    const char *driver;                   /* name of the manifest; "": a service does not know it */
    const struct hy_opening_guard *guard; /* NULL: none */
    const char *library;                  /* path */
    const struct hy_host *host;           /* for its log; NULL: no opening is under way */
    struct hy_watched_call outer;         /* of the watchdog, which sees each call, too */
};

/* All strings live until the end. Errors: those of the guard, OUT_OF_MEMORY; then `watch` is
 * zero-filled. */
HY_MUST_CHECK enum hy_code hy_opening_watch_begin(struct hy_opening_watch *watch,
                                                  struct hy_error *err);

/* `call` is about to be made; it stays valid. Without an opening nothing happens, here and below.
 */
void hy_opening_watch_enter(const struct hy_opening_watch *watch, const char *call);

void hy_opening_watch_end(struct hy_opening_watch *watch);

#endif
