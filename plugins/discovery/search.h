#ifndef HY_PLUGINS_DISCOVERY_SEARCH_H
#define HY_PLUGINS_DISCOVERY_SEARCH_H

#include "plugins/discovery/discovery.h"
#include "plugins/discovery/refusal_list.h"
#include "plugins/discovery/unmatched.h"

#include <stdbool.h>

#define HY_MAX_MANIFESTS 256u /* what a search gives at most */

struct hy_found_manifest {
    char *path;     /* absolute, as found: links are not resolved */
    uint32_t group; /* manifests of a lower group come first, whatever their priority */
};

/* Where manifests were looked for: a folder, or a file that was named. */
struct hy_searched_place {
    char *path;                    /* absolute */
    const char *setting;           /* the variable that names the place; "" for a searched folder */
    struct hy_name_list manifests; /* names of the files that count */
    struct hy_name_list masked;    /* names that an earlier folder has, too */
    bool is_there;
};

struct hy_searched_list {
    struct hy_searched_place *items;
    uint32_t count;
};

/* Manifest files in the order in which they were found, and the places, also in order. */
struct hy_found_list {
    struct hy_found_manifest *items;
    uint32_t count;
    struct hy_searched_list places;
};

/*
 * Collects manifest files, without opening them: each entry of add_driver_files and driver_files is
 * a group of its own, all searched folders are the last one. Folders and files that cannot be read
 * become refusals; a searched folder that is not there does not. Fails only with HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_search_manifests(const struct hy_discovery *discovery,
                                               struct hy_refusal_list *refusals,
                                               struct hy_found_list *out, struct hy_error *err);

void hy_found_list_finish(struct hy_found_list *list);
void hy_searched_list_finish(struct hy_searched_list *list);

/* Length of the file name without ".json"; 0 if it is no name of a manifest. */
size_t hy_manifest_name_length(const char *file_name);

#endif
