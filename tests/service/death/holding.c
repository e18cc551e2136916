#include "holding.h"

#include "child.h"
#include "support/held.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { SETTLE_MS = 10000 };

bool holding_look(struct holding *holding)
{
    char line[512];
    struct hy_held held;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return child_fail("/proc cannot be read");

    holding->shared = 0;
    while (fgets(line, sizeof line, maps))
        holding->shared += strstr(line, "/memfd:") || strstr(line, "/dev/shm");
    fclose(maps);
    const bool good = hy_held_look(&held);
    holding->files = held.files;
    return good;
}

bool holding_is_no_more_than(const struct holding *before)
{
    struct holding now;

    for (int ms = 0; holding_look(&now); ms++) {
        if (now.files <= before->files && now.shared <= before->shared)
            return true;
        if (ms == SETTLE_MS)
            return child_fail("%zu descriptors and %u shared maps, which were %zu and %u before",
                              now.files, now.shared, before->files, before->shared);
        poll(NULL, 0, 1);
    }
    return false;
}
