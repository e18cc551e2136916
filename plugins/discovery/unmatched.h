#ifndef HY_PLUGINS_DISCOVERY_UNMATCHED_H
#define HY_PLUGINS_DISCOVERY_UNMATCHED_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The names that settings may mean: of manifests, whether loaded or not, and of devices. Zeroed
 * first; copies. */
struct hy_name_list {
    char **names;
    uint32_t count;
};

HY_MUST_CHECK enum hy_code hy_name_list_add(struct hy_name_list *list, const char *name,
                                            struct hy_error *err);
void hy_name_list_finish(struct hy_name_list *list);

/*
 * The next glob of a ',' list (filter.h) that matches none of the names; `*rest` is the list at
 * first, then what is left of it. `all` counts as matching if it may. `*ret` is the caller's to
 * free; NULL: there is none. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_unmatched_glob(const char **rest, bool has_all,
                                             const struct hy_name_list *names, char **ret,
                                             struct hy_error *err);

/* The same for the names of a ':' list of NAME=PATH (service_sockets.h). */
HY_MUST_CHECK enum hy_code hy_unmatched_socket(const char **rest, const struct hy_name_list *names,
                                               char **ret, struct hy_error *err);

/* "a, b, c", as far as the room reaches; "none" for an empty list. */
void hy_name_list_text(const struct hy_name_list *list, char *text, size_t size);

#endif
