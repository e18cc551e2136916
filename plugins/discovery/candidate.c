#include "plugins/discovery/candidate.h"

#include "common/array.h"
#include "plugins/discovery/filter.h"
#include "plugins/service_sockets.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void finish(struct hy_candidate *candidate)
{
    hy_manifest_finish(&candidate->manifest);
    free(candidate->path);
    free(candidate->name);
    free(candidate->library);
}

char *hy_manifest_name(const char *path)
{
    const char *file_name = strrchr(path, '/') + 1;
    size_t length = hy_manifest_name_length(file_name);
    return length ? strndup(file_name, length) : strdup(file_name);
}

static void identify(struct hy_candidate *candidate)
{
    struct stat info;
    candidate->is_there = stat(candidate->library, &info) == 0;
    if (candidate->is_there) {
        candidate->device = info.st_dev;
        candidate->inode = info.st_ino;
    }
}

/* The user's setting overrides the manifest. */
static enum hy_code set_socket(struct hy_candidate *candidate, const char *sockets,
                               struct hy_error *err)
{
    char *path = NULL;

    enum hy_code code = hy_service_sockets_find(sockets, candidate->name, &path, err);
    if (code != HY_OK || !path)
        return code;
    free(candidate->manifest.socket);
    candidate->manifest.socket = path;
    candidate->manifest.socket_user[0] = '\0';
    return HY_OK;
}

static enum hy_code read_manifest(struct hy_candidate *candidate,
                                  const struct hy_discovery *discovery, const struct hy_host *host,
                                  struct hy_error *err)
{
    enum hy_code code = hy_manifest_read(candidate->path, host, &candidate->manifest, err);
    if (code == HY_OK)
        code = set_socket(candidate, discovery->sockets, err);
    if (code == HY_OK)
        code = hy_manifest_library(&candidate->manifest, candidate->path, discovery->plugin_dir,
                                   &candidate->library, err);
    if (code == HY_OK)
        identify(candidate);
    return code;
}

static enum hy_code append(struct hy_candidate_list *list, struct hy_candidate *candidate,
                           struct hy_error *err)
{
    struct hy_candidate *items = hy_array_grow(list->items, list->count, sizeof *items);
    if (!items)
        return hy_fail(err, HY_OUT_OF_MEMORY, "manifest %s", candidate->path);
    list->items = items;
    items[list->count++] = *candidate;
    memset(candidate, 0, sizeof *candidate); /* the list now owns the content */
    return HY_OK;
}

static enum hy_code consider(const struct hy_discovery *discovery, struct hy_candidate *candidate,
                             struct hy_refusal_list *refusals, struct hy_candidate_list *list,
                             struct hy_error *err)
{
    if (!candidate->path || !candidate->name)
        return hy_fail(err, HY_OUT_OF_MEMORY, "manifest %u", candidate->sequence);
    if (hy_filter_matches(discovery->disable, candidate->name))
        return hy_refusal_list_add(refusals, HY_LOG_INFO, candidate->path,
                                   "disabled by HALYARD_DRIVERS_DISABLE", err);

    struct hy_error failure;
    if (read_manifest(candidate, discovery, refusals->host, &failure) != HY_OK)
        return hy_refusal_list_absorb(refusals, candidate->path, &failure, err);
    return append(list, candidate, err);
}

static int compare(const void *a, const void *b)
{
    const struct hy_candidate *first = a, *second = b;
    if (first->group != second->group)
        return first->group < second->group ? -1 : 1;
    if (first->manifest.priority != second->manifest.priority)
        return first->manifest.priority < second->manifest.priority ? -1 : 1;
    int order = strcmp(first->name, second->name);
    return order ? order
                 : (first->sequence > second->sequence) - (first->sequence < second->sequence);
}

enum hy_code hy_candidates_read(const struct hy_discovery *discovery,
                                const struct hy_found_list *found, struct hy_refusal_list *refusals,
                                struct hy_candidate_list *out, struct hy_error *err)
{
    struct hy_candidate_list list = {0};
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; i < found->count && code == HY_OK; i++) {
        struct hy_candidate candidate = {.path = strdup(found->items[i].path),
                                         .name = hy_manifest_name(found->items[i].path),
                                         .group = found->items[i].group,
                                         .sequence = i};
        code = consider(discovery, &candidate, refusals, &list, err);
        finish(&candidate);
    }
    if (code != HY_OK) {
        hy_candidate_list_finish(&list);
        return code;
    }
    if (list.count > 0)
        qsort(list.items, list.count, sizeof *list.items, compare);
    *out = list;
    return HY_OK;
}

static bool are_same_driver(const struct hy_candidate *a, const struct hy_candidate *b)
{
    return a->is_there && b->is_there && a->device == b->device && a->inode == b->inode &&
           a->manifest.kind == b->manifest.kind &&
           strcmp(a->manifest.arguments, b->manifest.arguments) == 0;
}

bool hy_candidate_is_repeated(const struct hy_candidate_list *list, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++) {
        if (are_same_driver(&list->items[i], &list->items[index]))
            return true;
    }
    return false;
}

const struct hy_candidate *hy_candidate_duplicate(const struct hy_candidate_list *list,
                                                  uint32_t index)
{
    for (uint32_t i = 0; i < index; i++) {
        const struct hy_candidate *earlier = &list->items[i];
        if (earlier->is_open && are_same_driver(earlier, &list->items[index]))
            return earlier;
    }
    return NULL;
}

void hy_candidate_list_finish(struct hy_candidate_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        finish(&list->items[i]);
    free(list->items);
    list->items = NULL;
    list->count = 0;
}
