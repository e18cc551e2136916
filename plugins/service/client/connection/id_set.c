#include "plugins/service/client/connection/id_set.h"

#include <stdlib.h>
#include <string.h>

/* Returns the index of the id, or the index at which the id would be inserted. */
static uint32_t index_of(const struct hy_id_set *set, uint64_t id)
{
    uint32_t low = 0, high = set->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (set->ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool hy_id_set_has(const struct hy_id_set *set, uint64_t id)
{
    const uint32_t at = index_of(set, id);
    return at < set->count && set->ids[at] == id;
}

static bool grow(struct hy_id_set *set)
{
    const uint32_t space = set->space ? 2 * set->space : 16;
    uint64_t *ids = reallocarray(set->ids, space, sizeof *ids);
    if (!ids)
        return false;
    set->ids = ids;
    set->space = space;
    return true;
}

bool hy_id_set_add(struct hy_id_set *set, uint64_t id)
{
    const uint32_t at = index_of(set, id);

    if (at < set->count && set->ids[at] == id)
        return true;
    if (set->count == set->space && !grow(set))
        return false;
    memmove(&set->ids[at + 1], &set->ids[at], (set->count - at) * sizeof *set->ids);
    set->ids[at] = id;
    set->count++;
    return true;
}

bool hy_id_set_remove(struct hy_id_set *set, uint64_t id)
{
    const uint32_t at = index_of(set, id);

    if (at == set->count || set->ids[at] != id)
        return false;
    set->count--;
    memmove(&set->ids[at], &set->ids[at + 1], (set->count - at) * sizeof *set->ids);
    return true;
}

void hy_id_set_finish(struct hy_id_set *set)
{
    free(set->ids);
    *set = (struct hy_id_set){0};
}
