#ifndef HY_TESTS_THREADS_H
#define HY_TESTS_THREADS_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/support/sanitizers.h"

/* How many times longer things take under the sanitizer that this is built with. */
#if defined(HY_WITH_THREAD_SANITIZER)
#define HY_SLOWNESS 20
#elif defined(HY_WITH_ADDRESS_SANITIZER)
#define HY_SLOWNESS 4
#else
#define HY_SLOWNESS 1
#endif

#define HY_THREADS_MAX 16

/*
 * Runs part(first + i * size) for each i < count <= HY_THREADS_MAX in a thread of its own, all let
 * go at the same moment, and returns when they are done. False: a thread could not be made, and
 * nothing has run.
 */
bool hy_threads_run(unsigned count, void (*part)(void *argument), void *first, size_t size);

/* Returns when all other threads of the process sleep, in several looks one after the other; or
 * after some seconds. */
void hy_threads_wait_for_rest(void);

#endif
