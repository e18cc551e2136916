#ifndef HY_TOOLS_VECTORS_GROUPS_H
#define HY_TOOLS_VECTORS_GROUPS_H

#include "tools/vectors/merge.h"

/* Tests dealt into groups, of which each can run as one model: 4 to 16, or as many as are left. */
#define HY_GROUP_LEAST 4u
#define HY_GROUP_MOST  16u

struct hy_vector_groups {
    uint32_t count;
    uint32_t *first; /* [group]: where its tests start; one entry more at the end */
    uint32_t *tests; /* of group 0, of group 1, …: indices */
};

/* A test that goes with no other has a group of its own. The same seed gives the same groups.
 * HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code
hy_vector_groups_make(const struct hy_vector *const *tests, uint32_t count, uint64_t seed,
                      struct hy_arena *arena, struct hy_vector_groups *out, struct hy_error *err);

#endif
