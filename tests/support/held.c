#include "support/held.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>

static size_t count_entries(const char *path)
{
    size_t count = 0;
    DIR *folder = opendir(path);

    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
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
