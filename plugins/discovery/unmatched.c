#include "plugins/discovery/unmatched.h"

#include "common/array.h"
#include "plugins/discovery/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum hy_code hy_name_list_add(struct hy_name_list *list, const char *name, struct hy_error *err)
{
    char **names = hy_array_grow(list->names, list->count, sizeof *names);
    if (names)
        list->names = names;
    char *copy = strdup(name);
    if (!names || !copy) {
        free(copy);
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u names", list->count);
    }
    names[list->count++] = copy;
    return HY_OK;
}

void hy_name_list_finish(struct hy_name_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (struct hy_name_list){0};
}

void hy_name_list_text(const struct hy_name_list *list, char *text, size_t size)
{
    size_t used = 0;

    snprintf(text, size, "none");
    for (uint32_t i = 0; i < list->count && used < size; i++) {
        const int length =
            snprintf(text + used, size - used, "%s%s", i ? ", " : "", list->names[i]);
        used += length > 0 ? (size_t)length : 0;
    }
}

static bool matches_any(const char *glob, bool has_all, const struct hy_name_list *names)
{
    if (has_all && hy_filter_matches_or_all(glob, ""))
        return true;
    for (uint32_t i = 0; i < names->count; i++) {
        if (hy_filter_matches(glob, names->names[i]))
            return true;
    }
    return false;
}

enum hy_code hy_unmatched_glob(const char **rest, bool has_all, const struct hy_name_list *names,
                               char **ret, struct hy_error *err)
{
    *ret = NULL;
    while (*rest && **rest) {
        *rest += strspn(*rest, " \t,");
        const size_t length = strcspn(*rest, ",");
        char *glob = strndup(*rest, length);
        if (!glob)
            return hy_fail(err, HY_OUT_OF_MEMORY, "a glob of %zu bytes", length);
        *rest += length;
        if (length > 0 && !matches_any(glob, has_all, names)) {
            *ret = glob;
            return HY_OK;
        }
        free(glob);
    }
    return HY_OK;
}

static bool is_listed(const char *name, const struct hy_name_list *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        if (strcmp(names->names[i], name) == 0)
            return true;
    }
    return false;
}

enum hy_code hy_unmatched_socket(const char **rest, const struct hy_name_list *names, char **ret,
                                 struct hy_error *err)
{
    *ret = NULL;
    while (*rest && **rest) {
        *rest += strspn(*rest, ":");
        const size_t length = strcspn(*rest, ":");
        char *name = strndup(*rest, length);
        if (!name)
            return hy_fail(err, HY_OUT_OF_MEMORY, "a socket of %zu bytes", length);
        *rest += length;
        name[strcspn(name, "=")] = '\0';
        if (length > 0 && !is_listed(name, names)) {
            *ret = name;
            return HY_OK;
        }
        free(name);
    }
    return HY_OK;
}
