#ifndef HY_SERVICE_ID_SET_H
#define HY_SERVICE_ID_SET_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers, each once. Those that come grow from one to the next as a rule, which is what makes it
 * quick. All zero bytes is empty. One thread at a time. */
struct hy_id_set {
    uint64_t *ids; /* ascending */
    uint32_t count;
    uint32_t room;
};

bool hy_id_set_has(const struct hy_id_set *set, uint64_t id);
bool hy_id_set_add(struct hy_id_set *set, uint64_t id);    /* false: no memory; it is not in then */
bool hy_id_set_remove(struct hy_id_set *set, uint64_t id); /* false: it was not in */
void hy_id_set_finish(struct hy_id_set *set);

#endif
