#include "plugins/service/queue/rings.h"

#include "common/system_code.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

/* Populates all pages, so that no execution has a page fault. */
static enum hy_code map(int fd, struct hy_rings *rings, struct hy_error *err)
{
    void *address =
        mmap(NULL, rings->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (address == MAP_FAILED)
        return hy_fail(err, HY_UNMAPPABLE, "%llu bytes of rings: %s",
                       (unsigned long long)rings->bytes, strerror(errno));
    rings->address = address;
    return HY_OK;
}

/* The ring of results follows the ring of requests, and the memory ends with the ring of
 * results. */
static enum hy_code attach(struct hy_rings *rings, struct hy_error *err)
{
    enum hy_code code = hy_ring_attach(rings->address, rings->bytes, &rings->requests, err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "requests");

    const uint64_t first = hy_ring_bytes(rings->requests.capacity);
    code = hy_ring_attach((uint8_t *)rings->address + first, rings->bytes - first, &rings->results,
                          err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "results");
    const uint64_t both = first + hy_ring_bytes(rings->results.capacity);
    if (both != rings->bytes)
        return hy_fail(err, HY_BAD_DATA, "rings of %llu bytes do not fit %llu bytes",
                       (unsigned long long)both, (unsigned long long)rings->bytes);
    return HY_OK;
}

static enum hy_code fill_memory(int fd, uint32_t capacity, struct hy_rings *rings,
                                struct hy_error *err)
{
    if (ftruncate(fd, (off_t)rings->bytes) != 0 || fcntl(fd, F_ADD_SEALS, SEALS) != 0)
        return hy_fail(err, HY_FAILED, "%llu bytes of rings: %s", (unsigned long long)rings->bytes,
                       strerror(errno));
    enum hy_code code = map(fd, rings, err);
    if (code != HY_OK)
        return code;
    hy_ring_format(rings->address, capacity);
    hy_ring_format((uint8_t *)rings->address + hy_ring_bytes(capacity), capacity);
    return attach(rings, err);
}

enum hy_code hy_rings_create(uint32_t capacity, struct hy_rings *rings, int *fd,
                             struct hy_error *err)
{
    struct hy_rings made = {.bytes = 2 * hy_ring_bytes(capacity)};
    const int memory = memfd_create("halyard-burst", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0) {
        const int reason = errno;
        return hy_fail(err, hy_system_code(reason, HY_FAILED), "memfd_create: %s",
                       strerror(reason));
    }

    enum hy_code code = fill_memory(memory, capacity, &made, err);
    if (code != HY_OK) {
        hy_rings_close(&made);
        close(memory);
        return code;
    }
    *rings = made;
    *fd = memory;
    return HY_OK;
}

enum hy_code hy_rings_open(int fd, struct hy_rings *rings, struct hy_error *err)
{
    struct stat info;
    const int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & SEALS) != SEALS)
        return hy_fail(err, HY_BAD_DATA,
                       "the memory of rings is not sealed: seals 0x%x, needs 0x%x", (unsigned)seals,
                       (unsigned)SEALS);
    if (fstat(fd, &info) != 0)
        return hy_fail(err, HY_BAD_DATA, "the memory of rings: %s", strerror(errno));
    const uint64_t most = 2 * hy_ring_bytes(HY_RING_MOST_CAPACITY);
    if (info.st_size <= 0 || (uint64_t)info.st_size > most)
        return hy_fail(err, HY_BAD_DATA, "the memory of rings has %lld bytes, at most %llu",
                       (long long)info.st_size, (unsigned long long)most);

    struct hy_rings made = {.bytes = (uint64_t)info.st_size};
    enum hy_code code = map(fd, &made, err);
    if (code == HY_OK)
        code = attach(&made, err);
    if (code != HY_OK) {
        hy_rings_close(&made);
        return code;
    }
    *rings = made;
    return HY_OK;
}

void hy_rings_close(struct hy_rings *rings)
{
    if (rings->address)
        munmap(rings->address, rings->bytes);
    rings->address = NULL;
}

void hy_rings_interrupt(struct hy_rings *rings)
{
    struct hy_ring *const both[] = {&rings->requests, &rings->results};

    for (int i = 0; i < 2; i++) {
        hy_wait_interrupt(&both[i]->header->reader_sleeps);
        hy_wait_interrupt(&both[i]->header->writer_sleeps);
    }
}
