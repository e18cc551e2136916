#include "driverd/memory_limit.h"

#include "common/memory/memory_available.h"
#include "halyard/driver.h"
#include "plugins/service/server/serve.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

static bool read_setting(const char *setting, uint64_t *ret)
{
    char line[160];
    char *end = NULL;

    if (!setting)
        return false;
    errno = 0;
    const uintmax_t bytes = strtoumax(setting, &end, 10);
    if (setting[0] >= '0' && setting[0] <= '9' && *end == '\0' && errno == 0) {
        *ret = bytes;
        return true;
    }
    snprintf(line, sizeof line, "HALYARD_SERVICE_MEMORY=%.60s is no number of bytes", setting);
    hy_serve_note(HY_LOG_WARNING, line);
    return false;
}

uint64_t hy_driverd_memory_limit(const char *setting)
{
    uint64_t bytes;

    if (read_setting(setting, &bytes))
        return bytes;
    return hy_memory_available(hy_machine_memory(), "/proc/self/cgroup", "/sys/fs/cgroup") / 4 * 3;
}
