#ifndef HY_TOOLS_VECTORS_GROUPS_H
#define HY_TOOLS_VECTORS_GROUPS_H

#include "tools/vectors/merge.h"

/* Tests divided into groups; a group can run as a single model. A group has 4 to 16 tests, the last
 * group may have fewer. */
#define HY_GROUP_LEAST 4u
#define HY_GROUP_MOST  16u

struct hy_vector_groups {
    uint32_t count;
    uint32_t *first; /* [group]: index of its first test; with an additional entry at the end */
    uint32_t *tests; /* indices of the tests of group 0, of group 1, … */
};

/* A test that cannot be merged has a separate group. The same seed gives the same groups.
 * HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code
hy_vector_groups_make(const struct hy_vector *const *tests, uint32_t count, uint64_t seed,
                      struct hy_arena *arena, struct hy_vector_groups *out, struct hy_error *err);

#endif
