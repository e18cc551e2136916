#ifndef HY_PLUGINS_DISCOVERY_SEARCH_H
#define HY_PLUGINS_DISCOVERY_SEARCH_H

#include "plugins/discovery/discovery.h"
#include "plugins/discovery/refusal_list.h"
#include "plugins/discovery/unmatched.h"

#include <stdbool.h>

#define HY_MAX_MANIFESTS 256u /* maximum result of a search */

struct hy_found_manifest {
    char *path;     /* absolute; links are not resolved */
    uint32_t group; /* manifests of a lower group come first, regardless of priority */
};

/* A searched location: a directory, or an explicitly named file. */
struct hy_searched_location {
    char *path;          /* absolute */
    const char *setting; /* the variable that names the location; "" for a searched directory */
    struct hy_name_list manifests; /* names of the files in use */
    struct hy_name_list masked;    /* names masked by an earlier directory */
    bool is_there;
};

struct hy_searched_list {
    struct hy_searched_location *items;
    uint32_t count;
};

/* Manifest files and searched locations, both in search order. */
struct hy_found_list {
    struct hy_found_manifest *items;
    uint32_t count;
    struct hy_searched_list locations;
};

/*
 * Collects manifest files without opening them. Each entry of add_driver_files and driver_files
 * forms a group; all searched directories form the last group. An unreadable directory or file
 * becomes a refusal; a searched directory that does not exist is skipped silently. Fails only with
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_search_manifests(const struct hy_discovery *discovery,
                                               struct hy_refusal_list *refusals,
                                               struct hy_found_list *out, struct hy_error *err);

void hy_found_list_finish(struct hy_found_list *list);
void hy_searched_list_finish(struct hy_searched_list *list);

/* Returns the length of the file name without ".json"; 0 if the name is not a manifest's name. */
size_t hy_manifest_name_length(const char *file_name);

#endif
