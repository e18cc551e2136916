#include "runtime/threads/processor_quota.h"

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_QUOTA UINT32_MAX

/* Versions of control groups; a system may mount both. */
enum version { V1, V2 };

/* ---- The quota of one group ------------------------------------------------------------------ */

static uint32_t whole_processors(long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return NO_QUOTA;
    const long long processors = quota / period + (quota % period != 0);
    return processors < NO_QUOTA ? (uint32_t)processors : NO_QUOTA;
}

static FILE *open_below(const char *dir, const char *name)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s", dir, name);
    return length > 0 && length < PATH_MAX ? fopen(path, "re") : NULL;
}

/* 0: no number. */
static long long read_number(const char *dir, const char *name)
{
    long long number = 0;
    FILE *file = open_below(dir, name);
    if (!file)
        return 0;
    if (fscanf(file, "%lld", &number) != 1)
        number = 0;
    fclose(file);
    return number;
}

/* "QUOTA PERIOD", or "max PERIOD" without a quota. */
static uint32_t read_cpu_max(const char *dir)
{
    long long quota = 0, period = 0;
    FILE *file = open_below(dir, "cpu.max");
    if (!file)
        return NO_QUOTA;
    if (fscanf(file, "%lld %lld", &quota, &period) != 2)
        quota = 0;
    fclose(file);
    return whole_processors(quota, period);
}

static uint32_t quota_of_group(enum version version, const char *dir)
{
    return version == V2 ? read_cpu_max(dir)
                         : whole_processors(read_number(dir, "cpu.cfs_quota_us"),
                                            read_number(dir, "cpu.cfs_period_us"));
}

/* ---- Where the groups are -------------------------------------------------------------------- */

static bool lists_cpu(const char *controllers)
{
    for (const char *name = controllers; name; name = strchr(name, ',')) {
        name += *name == ',';
        if (strncmp(name, "cpu", 3) == 0 && (name[3] == ',' || name[3] == '\0'))
            return true;
    }
    return false;
}

/* Parses a line "ID:CONTROLLERS:PATH" of /proc/self/cgroup and cuts it; version 2 has no
 * controllers. */
static const char *path_in_line(enum version version, char *line)
{
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
        return NULL;
    *controllers++ = '\0';
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    const bool fits =
        version == V2 ? strcmp(line, "0") == 0 && *controllers == '\0' : lists_cpu(controllers);
    return fits && path[0] == '/' ? path : NULL;
}

/* Parses a line of /proc/self/mountinfo: "ID PARENT DEVICE ROOT POINT OPTIONS... - TYPE SOURCE
 * OPTIONS". True: a hierarchy with processor limits. Both texts are PATH_MAX long. */
static bool mount_in_line(enum version version, const char *line, char *group, char *point)
{
    char type[32], options[1024];
    const char *end = strstr(line, " - ");

    static_assert(PATH_MAX == 4096, "lengths in formats");
    return end && sscanf(line, "%*s %*s %*s %4095s %4095s", group, point) == 2 &&
           sscanf(end, " - %31s %*s %1023s", type, options) == 2 &&
           (version == V2 ? strcmp(type, "cgroup2") == 0
                          : strcmp(type, "cgroup") == 0 && lists_cpu(options));
}

/* The path of the group below the root of the mount. A container may see only a part of the tree:
 * its own group is then the root of the mount, or lies outside. */
static const char *path_below(const char *path, const char *mounted)
{
    const size_t length = strcmp(mounted, "/") == 0 ? 0 : strlen(mounted);
    const bool is_below = strncmp(path, mounted, length) == 0 &&
                          (path[length] == '/' || path[length] == '\0') &&
                          strncmp(path, "/..", 3) != 0;
    return is_below ? path + length : "";
}

/* Finds the group of this process. */
static bool find_path(enum version version, const char *root, char *ret)
{
    char *line = NULL;
    size_t capacity = 0;
    bool is_found = false;
    FILE *file = open_below(root, "proc/self/cgroup");

    while (file && !is_found && getline(&line, &capacity, file) >= 0) {
        const char *path = path_in_line(version, line);
        is_found = path && snprintf(ret, PATH_MAX, "%s", path) < PATH_MAX;
    }
    free(line);
    if (file)
        fclose(file);
    return is_found;
}

/* Finds the mount point of the group tree, and the group at the root of the mount. */
static bool find_mount(enum version version, const char *root, char *group, char *point)
{
    char *line = NULL;
    size_t capacity = 0;
    bool is_found = false;
    FILE *file = open_below(root, "proc/self/mountinfo");

    while (file && !is_found && getline(&line, &capacity, file) >= 0)
        is_found = mount_in_line(version, line, group, point);
    free(line);
    if (file)
        fclose(file);
    return is_found;
}

/* The quota of a group is limited by all parent groups. */
static uint32_t least_quota(enum version version, const char *root)
{
    char path[PATH_MAX], mounted[PATH_MAX], point[PATH_MAX], dir[PATH_MAX];
    if (!find_path(version, root, path) || !find_mount(version, root, mounted, point))
        return NO_QUOTA;
    const int top = snprintf(dir, sizeof dir, "%s%s", root, point);
    if (top < 0 || top >= PATH_MAX || strlen(path_below(path, mounted)) >= sizeof dir - (size_t)top)
        return NO_QUOTA;
    strcpy(dir + top, path_below(path, mounted));

    uint32_t least = NO_QUOTA;
    for (;;) {
        const uint32_t quota = quota_of_group(version, dir);
        least = quota < least ? quota : least;
        char *last = strrchr(dir + top, '/');
        if (!last)
            return least;
        *last = '\0';
    }
}

uint32_t hy_processor_quota(const char *root)
{
    const uint32_t v1 = least_quota(V1, root), v2 = least_quota(V2, root);
    return v1 < v2 ? v1 : v2;
}
