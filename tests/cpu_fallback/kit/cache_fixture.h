#ifndef HY_TESTS_CPU_FALLBACK_KIT_CACHE_FIXTURE_H
#define HY_TESTS_CPU_FALLBACK_KIT_CACHE_FIXTURE_H

#include "cache_host.h"
#include "support/model_builder.h"

enum { HY_CACHE_FAST, HY_CACHE_REFERENCE }; /* the devices of the CPU driver */

/* A device of the CPU driver on a host that keeps cache files, and a model to be built for it. */
struct hy_cache_fixture {
    struct hy_cache_host host;
    struct hy_runner runner;
    struct hy_builder builder;
};

/* Checks that the device opens, and in the end that the host got back all that it gave. */
void hy_cache_fixture_open(struct hy_cache_fixture *fixture, uint32_t device);
void hy_cache_fixture_close(struct hy_cache_fixture *fixture);

/* Prepares what has been built, with cache files. */
int32_t hy_cache_fixture_prepare(struct hy_cache_fixture *fixture);

#endif
