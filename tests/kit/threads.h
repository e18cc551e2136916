#ifndef HY_TESTS_THREADS_H
#define HY_TESTS_THREADS_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/kit/sanitizers.h"

/* Slowdown factor of the sanitizer of the build. */
#if defined(HY_WITH_THREAD_SANITIZER)
#define HY_SLOWNESS 20
#elif defined(HY_WITH_ADDRESS_SANITIZER)
#define HY_SLOWNESS 4
#else
#define HY_SLOWNESS 1
#endif

#define HY_THREADS_MAX 16

/*
 * Runs part(first + i * size) for each i < count <= HY_THREADS_MAX, each call in a separate thread.
 * All threads start the part at the same moment. Returns after the end of all threads. Returns
 * false without running anything if a thread cannot be created.
 */
bool hy_threads_run(unsigned count, void (*part)(void *argument), void *first, size_t size);

/* Waits until all other threads of the process sleep in several consecutive checks, or until a
 * timeout of some seconds. */
void hy_threads_wait_for_rest(void);

#endif
