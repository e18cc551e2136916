#ifndef HY_PLUGINS_DISCOVERY_UNMATCHED_H
#define HY_PLUGINS_DISCOVERY_UNMATCHED_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Names to match settings against: names of manifests, loaded or not, and of devices. Initialize
 * with zeros. The list owns copies of the names. */
struct hy_name_list {
    char **names;
    uint32_t count;
};

HY_MUST_CHECK enum hy_code hy_name_list_add(struct hy_name_list *list, const char *name,
                                            struct hy_error *err);
void hy_name_list_finish(struct hy_name_list *list);

/*
 * Finds the next glob of a ',' list (filter.h) that matches none of the names. `*rest` starts as
 * the whole list and advances behind the returned glob. With `has_all`, "all" counts as a match.
 * The caller frees `*ret`; NULL: no further unmatched glob. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_unmatched_glob(const char **rest, bool has_all,
                                             const struct hy_name_list *names, char **ret,
                                             struct hy_error *err);

/* Does the same for the names in a ':' list of NAME=PATH (service_sockets.h). */
HY_MUST_CHECK enum hy_code hy_unmatched_socket(const char **rest, const struct hy_name_list *names,
                                               char **ret, struct hy_error *err);

/* Writes "a, b, c" into `text`, cut to `size`; "none" for an empty list. */
void hy_name_list_text(const struct hy_name_list *list, char *text, size_t size);

#endif
