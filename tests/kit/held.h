#ifndef HY_TESTS_HELD_H
#define HY_TESTS_HELD_H

#include <stdbool.h>
#include <stddef.h>

/* Resources of this process. */
struct hy_held {
    size_t files; /* open descriptors */
    size_t maps;  /* lines of /proc/self/maps */
    size_t threads;
    size_t blocks; /* heap bytes in use; 0 under sanitizers, which report leaks themselves */
};

enum { HY_HELD_ABOUT_TO_FREE = 4096 /* bytes cached by threads */ };

/* Returns false if /proc cannot be read. */
bool hy_held_look(struct hy_held *held);

/*
 * Waits for threads to release resources. Returns when `held` is at most `before` plus
 * HY_HELD_ABOUT_TO_FREE. After several seconds returns the current resources, and a difference is a
 * leak. Returns false if /proc cannot be read.
 */
bool hy_held_wait_released(const struct hy_held *before, struct hy_held *held);

/* True if `before` still contained resources about to be released. Such a look is no valid
 * baseline. */
bool hy_held_was_early(const struct hy_held *before, const struct hy_held *after);

#endif
