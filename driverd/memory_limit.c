#include "driverd/memory_limit.h"

#include "common/byte_count.h"
#include "common/memory/memory_available.h"
#include "halyard/driver.h"
#include "plugins/service/server/serve.h"

#include <stdbool.h>
#include <stdio.h>

static bool read_setting(const char *setting, uint64_t *ret)
{
    char line[160];

    if (!setting)
        return false;
    if (hy_byte_count_read(setting, ret))
        return true;
    snprintf(line, sizeof line, "HALYARD_SERVICE_MEMORY is \"%.60s\", needs a number of bytes",
             setting);
    hy_serve_note(HY_LOG_WARNING, line);
    return false;
}

uint64_t hy_driverd_memory_limit(const char *setting)
{
    uint64_t bytes;

    if (read_setting(setting, &bytes))
        return bytes;
    return hy_memory_available(hy_system_memory(), "/proc/self/cgroup", "/sys/fs/cgroup") / 4 * 3;
}
