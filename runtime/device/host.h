#ifndef HY_RUNTIME_HOST_H
#define HY_RUNTIME_HOST_H

#include "halyard/driver.h"

/* What drivers inside this process get from us. Static, thread-safe. */
const struct hy_host *hy_runtime_host(void);

#endif
