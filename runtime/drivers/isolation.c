#include "runtime/drivers/isolation.h"

#include "plugins/discovery/filter.h"
#include "plugins/service_sockets.h"
#include "runtime/environment.h"
#include "runtime/log.h"

#include <errno.h>
#include <stdlib.h>

#define DEFAULT_HANG_TIMEOUT 60u
#define MAX_HANG_TIMEOUT     86400u

static uint32_t read_hang_timeout(const char *text)
{
    char *end = NULL;
    if (!text)
        return DEFAULT_HANG_TIMEOUT;

    errno = 0;
    const unsigned long seconds = strtoul(text, &end, 10);
    if (errno == 0 && *end == '\0' && *text != '-' && seconds >= 1 && seconds <= MAX_HANG_TIMEOUT)
        return (uint32_t)seconds;
    hy_log(HY_LOG_WARNING, "device",
           "HALYARD_SERVICE_PATIENCE is \"%s\", needs 1 to %u seconds; using %u", text,
           MAX_HANG_TIMEOUT, DEFAULT_HANG_TIMEOUT);
    return DEFAULT_HANG_TIMEOUT;
}

static enum hy_burst_wait read_burst_wait(const char *text)
{
    enum hy_burst_wait wait;

    if (!hy_burst_wait_parse(text, &wait))
        hy_log(HY_LOG_WARNING, "device",
               "HALYARD_BURST_WAIT is \"%s\", needs adaptive, block or poll; using adaptive", text);
    return wait;
}

const struct hy_service_settings *hy_isolation_settings(void)
{
    static struct hy_service_settings settings; /* made with the lock of the device list held */
    const struct hy_environment *environment = hy_environment();

    if (!environment)
        return NULL;
    if (!settings.program) {
        settings.hang_timeout_seconds = read_hang_timeout(environment->service_hang_timeout);
        settings.burst_wait = read_burst_wait(environment->burst_wait);
        settings.inherits_stderr = environment->log != NULL;
        settings.program = environment->driverd ? environment->driverd : HALYARD_DRIVERD_PROGRAM;
    }
    return &settings;
}

const char *hy_isolation_list(void)
{
    const struct hy_environment *environment = hy_environment();
    return environment ? environment->isolate : NULL;
}

const char *hy_isolation_sockets(void)
{
    const struct hy_environment *environment = hy_environment();
    return environment ? environment->service_sockets : NULL;
}

enum hy_code hy_isolation_cpu_socket(char **ret, struct hy_error *err)
{
    return hy_service_sockets_find(hy_isolation_sockets(), "halyard-cpu", ret, err);
}

/* An invalid entry is reported when it is used. */
bool hy_isolation_has_cpu(void)
{
    char *socket = NULL;
    struct hy_error ignored;
    const bool is_shared = hy_isolation_cpu_socket(&socket, &ignored) != HY_OK || socket != NULL;

    free(socket);
    return is_shared || hy_filter_matches_or_all(hy_isolation_list(), "halyard-cpu");
}
