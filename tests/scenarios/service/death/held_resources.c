#include "held_resources.h"

#include "child.h"
#include "tests/kit/held.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { RELEASE_MS = 10000 };

bool held_resources_read(struct held_resources *held_resources)
{
    char line[512];
    struct hy_held held;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return child_fail("/proc cannot be read");

    held_resources->shared = 0;
    while (fgets(line, sizeof line, maps))
        held_resources->shared += strstr(line, "/memfd:") || strstr(line, "/dev/shm");
    fclose(maps);
    const bool good = hy_held_look(&held);
    held_resources->files = held.files;
    return good;
}

bool held_resources_have_not_grown(const struct held_resources *before)
{
    struct held_resources now;

    for (int ms = 0; held_resources_read(&now); ms++) {
        if (now.files <= before->files && now.shared <= before->shared)
            return true;
        if (ms == RELEASE_MS)
            return child_fail("%zu descriptors and %u shared maps, which were %zu and %u before",
                              now.files, now.shared, before->files, before->shared);
        poll(NULL, 0, 1);
    }
    return false;
}
