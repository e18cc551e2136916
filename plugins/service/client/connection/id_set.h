#ifndef HY_SERVICE_ID_SET_H
#define HY_SERVICE_ID_SET_H

#include <stdbool.h>
#include <stdint.h>

/* A set of ids, sorted. Adding ids in ascending order, the usual order, is fast. All zero bytes is
 * an empty set. Not thread-safe. */
struct hy_id_set {
    uint64_t *ids; /* ascending */
    uint32_t count;
    uint32_t space;
};

bool hy_id_set_has(const struct hy_id_set *set, uint64_t id);
bool hy_id_set_add(struct hy_id_set *set, uint64_t id);    /* false: out of memory */
bool hy_id_set_remove(struct hy_id_set *set, uint64_t id); /* false: the id was not in the set */
void hy_id_set_finish(struct hy_id_set *set);

#endif
