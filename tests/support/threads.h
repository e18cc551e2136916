#ifndef HY_TESTS_THREADS_H
#define HY_TESTS_THREADS_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1 /* as gcc says it */
#endif
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

/* How many times longer things take under the sanitizer that this is built with. */
#if defined(__SANITIZE_THREAD__)
#define HY_SLOWNESS 20
#elif defined(__SANITIZE_ADDRESS__)
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
