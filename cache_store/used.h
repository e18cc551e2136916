#ifndef HY_CACHE_STORE_USED_H
#define HY_CACHE_STORE_USED_H

#include <stdint.h>

/*
 * How many bytes all entries may take together: a bound that only grows until somebody counts, kept
 * in a small file, so that neither publishing nor opening looks at other entries. It is added to
 * before an entry appears, and nothing is subtracted for one that goes. The file is not trusted:
 * whatever is odd about it counts as HY_USED_UNKNOWN bytes, and others can be added to that too.
 */
#define HY_USED_UNKNOWN ((uint64_t)1 << 62)

struct hy_used {
    uint64_t bytes;
    uint64_t counted; /* when, in nanoseconds: tells whether somebody else has counted meanwhile */
};

/* Adds, and gives the bound with that. */
struct hy_used hy_used_add(int root, uint64_t bytes);

/* Puts what was counted, `exact`, in the place of `before`, which hy_used_add gave before counting;
 * what others have added since stays. Does nothing if somebody else has done so meanwhile. */
void hy_used_settle(int root, struct hy_used before, uint64_t exact);

#endif
