#include "common/memory/memory_available.h"

#include "common/checked.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The memory limits of a version of control groups. */
struct hierarchy {
    const char *controller; /* in /proc/self/cgroup; "": version 2 */
    const char *dir;        /* directory of the hierarchy below the root */
    const char *file;
};

static const struct hierarchy version_1 = {"memory", "/memory", "memory.limit_in_bytes"};
static const struct hierarchy version_2 = {"", "", "memory.max"};

/* True if `controllers`, a list "cpu,memory" of `length` characters, has the controller. */
static bool lists(const char *controllers, size_t length, const char *controller)
{
    const size_t wanted = strlen(controller);

    for (const char *end = controllers + length;;) {
        const char *comma = memchr(controllers, ',', (size_t)(end - controllers));
        const size_t here = (size_t)((comma ? comma : end) - controllers);
        if (here == wanted && memcmp(controllers, controller, wanted) == 0)
            return true;
        if (!comma)
            return false;
        controllers = comma + 1;
    }
}

/* The group of a line "5:cpu,memory:/system.slice/x.service"; NULL: another hierarchy. */
static const char *group_of_line(const char *line, const char *controller)
{
    const char *controllers = strchr(line, ':');
    const char *group = controllers ? strchr(controllers + 1, ':') : NULL;

    if (!group || group[1] != '/' || strstr(group, "/.."))
        return NULL;
    return lists(controllers + 1, (size_t)(group - controllers - 1), controller) ? group + 1 : NULL;
}

/* The path of the group, "/system.slice/x.service", without a trailing slash. */
static bool find_group(const char *groups, const char *controller, char *path, size_t size)
{
    FILE *file = fopen(groups, "re");
    bool is_found = false;
    char line[PATH_MAX];
    if (!file)
        return false;

    while (!is_found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        const char *group = group_of_line(line, controller);
        is_found = group && snprintf(path, size, "%s", group) < (int)size;
    }
    fclose(file);
    if (is_found && strcmp(path, "/") == 0)
        path[0] = '\0';
    return is_found;
}

/* UINT64_MAX: "max", or unreadable. */
static uint64_t read_limit(const struct hierarchy *hierarchy, const char *root, const char *group)
{
    char path[2 * PATH_MAX];
    uint64_t bytes = UINT64_MAX;

    snprintf(path, sizeof path, "%s%s%s/%s", root, hierarchy->dir, group, hierarchy->file);
    FILE *file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    if (fscanf(file, "%" SCNu64, &bytes) != 1)
        bytes = UINT64_MAX;
    fclose(file);
    return bytes;
}

/* The least limit of the group of the process and its parents. */
static uint64_t least_limit(const struct hierarchy *hierarchy, const char *groups, const char *root)
{
    char group[PATH_MAX];
    uint64_t least = UINT64_MAX;

    if (!find_group(groups, hierarchy->controller, group, sizeof group))
        return least;
    for (;;) {
        const uint64_t limit = read_limit(hierarchy, root, group);
        char *last = strrchr(group, '/');
        if (limit < least)
            least = limit;
        if (!last)
            return least;
        *last = '\0';
    }
}

uint64_t hy_memory_available(uint64_t total, const char *groups, const char *root)
{
    const uint64_t old = least_limit(&version_1, groups, root);
    const uint64_t new = least_limit(&version_2, groups, root);
    const uint64_t least = old < new ? old : new;

    return total < least ? total : least;
}

uint64_t hy_system_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t bytes;

    return pages > 0 && size > 0 && hy_mul_u64((uint64_t)pages, (uint64_t)size, &bytes)
               ? bytes
               : UINT64_MAX;
}
