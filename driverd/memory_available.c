#include "driverd/memory_available.h"

#include "common/checked.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The path of the one group of version 2, "/system.slice/x.service", without its last slash. */
static bool find_group(const char *groups, char *path, size_t size)
{
    FILE *file = fopen(groups, "re");
    bool is_found = false;
    char line[PATH_MAX];
    if (!file)
        return false;

    while (!is_found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        is_found = strncmp(line, "0::/", 4) == 0 && !strstr(line, "/..") &&
                   snprintf(path, size, "%s", line + 3) < (int)size;
    }
    fclose(file);
    if (is_found && strcmp(path, "/") == 0)
        path[0] = '\0';
    return is_found;
}

/* UINT64_MAX: "max", or there is none to read. */
static uint64_t read_limit(const char *root, const char *group)
{
    char path[2 * PATH_MAX];
    uint64_t bytes = UINT64_MAX;

    snprintf(path, sizeof path, "%s%s/memory.max", root, group);
    FILE *file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    if (fscanf(file, "%" SCNu64, &bytes) != 1)
        bytes = UINT64_MAX;
    fclose(file);
    return bytes;
}

uint64_t hy_memory_available(uint64_t machine, const char *groups, const char *root)
{
    char group[PATH_MAX];
    uint64_t least = machine;

    if (!find_group(groups, group, sizeof group))
        return least;
    for (;;) {
        const uint64_t limit = read_limit(root, group);
        char *last = strrchr(group, '/');
        if (limit < least)
            least = limit;
        if (!last)
            return least;
        *last = '\0';
    }
}

uint64_t hy_machine_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t bytes;

    return pages > 0 && size > 0 && hy_mul_u64((uint64_t)pages, (uint64_t)size, &bytes)
               ? bytes
               : UINT64_MAX;
}
