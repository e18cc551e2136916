#ifndef HY_TESTS_HELD_H
#define HY_TESTS_HELD_H

#include <stdbool.h>
#include <stddef.h>

/* What this process holds of the system and of the heap. */
struct hy_held {
    size_t files; /* open descriptors */
    size_t maps;  /* lines of /proc/self/maps */
    size_t threads;
    size_t blocks; /* bytes of the heap in use; 0 under a sanitizer, which tells of leaks itself */
};

enum { HY_HELD_ABOUT_TO_FREE = 4096 /* bytes that threads may keep for their next use */ };

/* False: /proc cannot be read. */
bool hy_held_look(struct hy_held *held);

/*
 * Threads may be late to let go of something. Looks until no more is held than `before`, but for
 * HY_HELD_ABOUT_TO_FREE; when that does not come true within some seconds, it is a leak, and `held`
 * is what there is then. False: /proc cannot be read.
 */
bool hy_held_settle(const struct hy_held *before, struct hy_held *held);

/* True if the look `before` met something on its way out: it is no measure for what came later. */
bool hy_held_was_early(const struct hy_held *before, const struct hy_held *after);

#endif
