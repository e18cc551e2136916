#include "guarded.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FRONT = 64, PATTERN = 0xa5 };

static unsigned char *ends[GUARDED_SLOTS], *blocks[GUARDED_SLOTS];

/* The first address after a fresh slot. */
static unsigned char *map_slot(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *base =
        mmap(NULL, GUARDED_SIZE + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (base == MAP_FAILED || mprotect(base + GUARDED_SIZE, page, PROT_NONE) != 0)
        abort();
    return base + GUARDED_SIZE;
}

void *guarded_alloc(int slot, size_t bytes, int fill)
{
    if (!ends[slot])
        ends[slot] = map_slot();
    if (bytes > GUARDED_SIZE / 2)
        abort();
    blocks[slot] = ends[slot] - bytes;
    memset(blocks[slot] - FRONT, PATTERN, FRONT);
    memset(blocks[slot], fill, bytes);
    return blocks[slot];
}

int guarded_front_is_intact(int slot)
{
    for (int i = 1; i <= FRONT; i++)
        if (blocks[slot][-i] != PATTERN)
            return 0;
    return 1;
}
