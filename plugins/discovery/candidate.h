#ifndef HY_PLUGINS_DISCOVERY_CANDIDATE_H
#define HY_PLUGINS_DISCOVERY_CANDIDATE_H

#include "plugins/discovery/manifest.h"
#include "plugins/discovery/search.h"

#include <stdbool.h>
#include <sys/types.h>

/* A manifest that has been read, with the location of its library. */
struct hy_candidate {
    struct hy_manifest manifest;
    char *path;    /* of the manifest */
    char *name;    /* of its file, without ".json" */
    char *library; /* path */
    bool is_there; /* device and inode are known */
    dev_t device;
    ino_t inode;
    uint32_t group;
    uint32_t sequence; /* position in the search order */
    bool is_open;      /* the driver is open and has a device in the list */
};

struct hy_candidate_list {
    struct hy_candidate *items;
    uint32_t count;
};

/*
 * Reads all manifests except disabled ones, and sorts them by (group, priority, file name). An
 * unreadable manifest becomes a refusal. Fails only with HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_candidates_read(const struct hy_discovery *discovery,
                                              const struct hy_found_list *found,
                                              struct hy_refusal_list *refusals,
                                              struct hy_candidate_list *out, struct hy_error *err);

/* Returns the name of a manifest file without ".json". `path` is absolute; an explicitly named file
 * may have any suffix. The caller frees the result; NULL: out of memory. */
char *hy_manifest_name(const char *path);

/* Returns true if an earlier candidate has the same library (by inode), kind and arguments. */
bool hy_candidate_is_repeated(const struct hy_candidate_list *list, uint32_t index);

/* Returns the earlier candidate with the same library, kind and arguments whose driver is open, or
 * NULL. */
const struct hy_candidate *hy_candidate_duplicate(const struct hy_candidate_list *list,
                                                  uint32_t index);

void hy_candidate_list_finish(struct hy_candidate_list *list);

#endif
