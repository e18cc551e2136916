#ifndef HY_TESTS_UNIT_CPU_FALLBACK_KIT_CACHE_FIXTURE_H
#define HY_TESTS_UNIT_CPU_FALLBACK_KIT_CACHE_FIXTURE_H

#include "cache_host.h"
#include "tests/kit/model_builder.h"

enum { HY_CACHE_FAST, HY_CACHE_REFERENCE }; /* device indices of the CPU driver */

/* A CPU driver device on a host with cache files, and an unfinished model. */
struct hy_cache_fixture {
    struct hy_cache_host host;
    struct hy_runner runner;
    struct hy_builder builder;
};

/* Opening checks for success. Closing checks the release of everything restored by the host. */
void hy_cache_fixture_open(struct hy_cache_fixture *fixture, uint32_t device);
void hy_cache_fixture_close(struct hy_cache_fixture *fixture);

/* Prepares the built model with cache files. */
int32_t hy_cache_fixture_prepare(struct hy_cache_fixture *fixture);

#endif
