#include "tests/kit/held.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

enum { TIMEOUT_MS = 10000 }; /* only a failing test waits so long */

static size_t count_entries(const char *path)
{
    size_t count = 0;
    DIR *dir = opendir(path);

    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

static size_t count_lines(const char *path)
{
    size_t count = 0;
    FILE *file = fopen(path, "re");

    for (int byte = file ? getc(file) : EOF; byte != EOF; byte = getc(file))
        count += byte == '\n';
    if (file)
        fclose(file);
    return count;
}

bool hy_held_look(struct hy_held *held)
{
    *held = (struct hy_held){
        .files = count_entries("/proc/self/fd"),
        .threads = count_entries("/proc/self/task"),
        .maps = count_lines("/proc/self/maps"),
        .blocks = mallinfo2().uordblks,
    };
    return held->files > 0 && held->maps > 0;
}

static bool is_no_more(const struct hy_held *held, const struct hy_held *before)
{
    return held->files <= before->files && held->maps <= before->maps &&
           held->blocks <= before->blocks + HY_HELD_ABOUT_TO_FREE;
}

bool hy_held_wait_released(const struct hy_held *before, struct hy_held *held)
{
    bool good = hy_held_look(held);

    for (unsigned ms = 0; ms < TIMEOUT_MS && good && !is_no_more(held, before); ms++) {
        usleep(1000);
        good = hy_held_look(held);
    }
    return good;
}

bool hy_held_was_early(const struct hy_held *before, const struct hy_held *after)
{
    return after->files < before->files || after->maps < before->maps;
}
