#ifndef HY_RUNTIME_HOST_CACHE_H
#define HY_RUNTIME_HOST_CACHE_H

#include "halyard/driver.h"

/* Fills the caching members of struct hy_host. Their context is a struct hy_runtime_host. */
void hy_host_fill_cache(struct hy_host *face);

#endif
