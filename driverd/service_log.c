#include "driverd/service_log.h"

#include "runtime/log.h"

#include <stdio.h>

void hy_service_note(int32_t level, const char *text)
{
    if (hy_log_enabled(level, "service"))
        fprintf(stderr, "halyard-driverd: %s\n", text);
}
