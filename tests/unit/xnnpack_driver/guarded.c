#include "guarded.h"

#include "tests/kit/test.h"

#include <sys/mman.h>
#include <unistd.h>

bool guarded_init(struct guarded *guarded, size_t capacity)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    guarded->capacity = (capacity + page - 1) / page * page;
    guarded->base = mmap(NULL, guarded->capacity + page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool ok = guarded->base != MAP_FAILED &&
                    mprotect(guarded->base + guarded->capacity, page, PROT_NONE) == 0;
    EXPECT(ok);
    return ok;
}

void guarded_finish(struct guarded *guarded)
{
    if (guarded->base)
        munmap(guarded->base, guarded->capacity + (size_t)sysconf(_SC_PAGESIZE));
    guarded->base = NULL;
}

uint8_t *guarded_end(const struct guarded *guarded, size_t length, size_t slack)
{
    return guarded->base + guarded->capacity - length - slack;
}
