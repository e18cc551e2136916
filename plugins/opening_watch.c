#include "plugins/opening_watch.h"

#include "plugins/discovery/refusal_list.h"

enum hy_code hy_opening_watch_begin(struct hy_opening_watch *watch, struct hy_error *err)
{
    const struct hy_opening_guard *guard = watch->guard;
    const char *driver = hy_watchdog_name(watch->driver);
    enum hy_code code = driver ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "name of a driver");

    if (code == HY_OK && guard)
        code = guard->begin(guard->context, watch->driver, watch->library, err);
    if (code != HY_OK) {
        *watch = (struct hy_opening_watch){0};
        return code;
    }
    watch->driver = driver;
    watch->outer = hy_watchdog_enter(driver, "opening");
    return HY_OK;
}

void hy_opening_watch_enter(const struct hy_opening_watch *watch, const char *call)
{
    const char *driver = watch->driver;

    if (!watch->host)
        return;
    hy_plugins_log(watch->host, HY_LOG_DEBUG, watch->library, "%s%s%s is called", driver,
                   *driver ? ": " : "", call);
    if (watch->guard)
        watch->guard->enter(watch->guard->context, call);
    (void)hy_watchdog_enter(driver, call);
}

void hy_opening_watch_end(struct hy_opening_watch *watch)
{
    if (watch->host && watch->guard)
        watch->guard->end(watch->guard->context);
    if (watch->host)
        hy_watchdog_leave(watch->outer);
    *watch = (struct hy_opening_watch){0};
}
