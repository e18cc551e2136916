#ifndef HY_CACHE_STORE_USED_H
#define HY_CACHE_STORE_USED_H

#include <stdint.h>

/*
 * An upper bound of the bytes of all entries, in a small file. Publishing and opening need not scan
 * other entries. The bound is raised before an entry appears, and is not lowered for a removed
 * entry until the next exact count. The file is not trusted: invalid contents count as
 * HY_USED_UNKNOWN bytes, to which bytes can still be added.
 */
#define HY_USED_UNKNOWN ((uint64_t)1 << 62)

struct hy_used {
    uint64_t bytes;
    uint64_t counted; /* time of the last exact count in nanoseconds; detects concurrent counts */
};

/* Adds to the bound and returns the new bound. */
struct hy_used hy_used_add(int root, uint64_t bytes);

/* Replaces the bound `before`, returned by hy_used_add before a count, by the counted bytes
 * `exact`; bytes added since then stay in the bound. Does nothing after a concurrent count. */
void hy_used_correct(int root, struct hy_used before, uint64_t exact);

#endif
