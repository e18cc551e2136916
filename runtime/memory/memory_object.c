#include "memory_object.h"

#include "common/checked.h"
#include "common/image/image_layout.h"
#include "common/system_code.h"
#include "device_memory.h"
#include "memory_check.h"
#include "memory_parts.h"
#include "runtime/fork_guard.h"
#include "runtime/memory/domain.h"
#include "seals.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

uint64_t hy_memory_next_id(void)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/* ---- Making --------------------------------------------------------------------------------- */

static enum hy_code check_arguments(uint64_t size, int protect, uint64_t offset,
                                    struct hy_error *err)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t end;

    if (size == 0)
        return hy_fail(err, HY_BAD_DATA, "size is 0");
    if (protect & ~(PROT_READ | PROT_WRITE))
        return hy_fail(err, HY_BAD_DATA,
                       "protection 0x%x has bits other than PROT_READ and PROT_WRITE",
                       (unsigned)protect);
    if (offset % page != 0)
        return hy_fail(err, HY_BAD_DATA,
                       "offset %" PRIu64 " is not a multiple of the page size %" PRIu64, offset,
                       page);
    if (!hy_add_u64(offset, size, &end))
        return hy_fail(err, HY_BAD_DATA, "offset %" PRIu64 " plus size %" PRIu64 " is too large",
                       offset, size);
    return HY_OK;
}

/*
 * Older kernels refuse every shared mapping of a memfd with a write seal if the descriptor is
 * writable. The file cannot change, so a private mapping is equivalent.
 */
static bool is_sealed_readable(int fd, int protect)
{
    int seals = fcntl(fd, F_GET_SEALS);
    return !(protect & PROT_WRITE) && seals >= 0 && (seals & F_SEAL_WRITE);
}

/* Checks whether a descriptor with these flags allows the mapping. */
static enum hy_code check_access(int fd, int flags, int protect, struct hy_error *err)
{
    if (flags & O_PATH)
        return hy_fail(err, HY_BAD_DATA, "file descriptor %d was opened with O_PATH", fd);
    if ((flags & O_ACCMODE) == O_WRONLY)
        return hy_fail(err, HY_BAD_DATA,
                       "file descriptor %d is write-only, a mapping needs read access", fd);
    if ((flags & O_ACCMODE) == O_RDONLY && protect & PROT_WRITE)
        return hy_fail(err, HY_BAD_DATA,
                       "file descriptor %d is read-only, PROT_WRITE needs write access", fd);
    return HY_OK;
}

static int system_protection(uint32_t protection)
{
    return (protection & HY_PROTECT_READ ? PROT_READ : 0) |
           (protection & HY_PROTECT_WRITE ? PROT_WRITE : 0);
}

static enum hy_code map(struct hy_pool *pool, int protect, struct hy_error *err)
{
    const int fd = pool->fd;
    void *address = mmap(NULL, pool->size, protect, MAP_SHARED, fd, (off_t)pool->offset);

    if (address == MAP_FAILED && errno == EPERM && is_sealed_readable(fd, protect))
        address = mmap(NULL, pool->size, protect, MAP_PRIVATE, fd, (off_t)pool->offset);
    if (address != MAP_FAILED) {
        pool->address = address;
        return HY_OK;
    }

    enum hy_code code = HY_UNMAPPABLE;
    if (errno == ENOMEM)
        code = HY_OUT_OF_MEMORY;
    else if (errno == EACCES || errno == EPERM || errno == ENODEV || errno == EINVAL ||
             errno == EOVERFLOW)
        code = HY_BAD_DATA;
    return hy_fail(err, code, "mapping %" PRIu64 " bytes at offset %" PRIu64 " of the file%s%s: %s",
                   pool->size, pool->offset, protect & PROT_READ ? ", to be read" : "",
                   protect & PROT_WRITE ? ", to be written" : "", strerror(errno));
}

static enum hy_code open_pool(struct hy_pool *pool, int protect, int fd, struct hy_error *err)
{
    pool->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (pool->fd < 0) {
        const int reason = errno;
        return hy_fail(err, hy_system_code(reason, HY_FAILED),
                       "file descriptor %d cannot be duplicated: %s", fd, strerror(reason));
    }

    enum hy_code code = check_arguments(pool->size, protect, pool->offset, err);
    if (code == HY_OK)
        code = check_access(fd, fcntl(pool->fd, F_GETFL), protect, err);
    if (code == HY_OK)
        code = hy_memory_check_file(pool->fd, pool->offset, pool->size, err);
    if (code == HY_OK)
        code = map(pool, system_protection(pool->protection), err);
    return code;
}

static uint32_t app_protection(int protect)
{
    return (protect & PROT_READ ? HY_PROTECT_READ : 0) |
           (protect & PROT_WRITE ? HY_PROTECT_WRITE : 0);
}

/* Kernels read the tensors they compute: sums accumulate in place, and later operations read the
 * result. Every descriptor that allows writing allows a mapping for both. */
static uint32_t mapped_protection(uint32_t app)
{
    return app & HY_PROTECT_WRITE ? HY_PROTECT_READ | HY_PROTECT_WRITE : app;
}

enum hy_code hy_memory_from_fd(size_t size, int protect, int fd, size_t offset,
                               struct hy_memory **ret, struct hy_error *err)
{
    const uint32_t protection = app_protection(protect);
    struct hy_memory *memory = malloc(sizeof *memory);
    if (!memory)
        return hy_fail(err, HY_OUT_OF_MEMORY, "memory object for %zu bytes", size);
    *memory = (struct hy_memory){
        .references = 1,
        .app_protection = protection,
        .pool = {.kind = HY_POOL_MMAP_FD,
                 .protection = mapped_protection(protection),
                 .fd = -1,
                 .id = hy_memory_next_id(),
                 .offset = offset,
                 .size = size},
    };
    enum hy_code code = open_pool(&memory->pool, protect, fd, err);
    if (code != HY_OK) {
        hy_memory_release(memory);
        return code;
    }
    memory->seals = hy_seals_of(memory->pool.fd);
    *ret = memory;
    return HY_OK;
}

static enum hy_code copy_image(struct hy_memory *memory, const struct hy_image *image,
                               struct hy_error *err)
{
    uint64_t bytes = 0;

    memory->image = *image;
    memory->pool.image = &memory->image;
    return hy_image_pool_check(&memory->pool, &bytes, err);
}

/* Maps all rows of an image, as readers rely on all rows. */
static enum hy_code open_source(struct hy_memory *memory, const struct hy_memory_source *source,
                                struct hy_error *err)
{
    struct hy_pool *pool = &memory->pool;

    pool->fd = fcntl(source->fd, F_DUPFD_CLOEXEC, 0);
    if (pool->fd < 0) {
        const int reason = errno;
        return hy_fail(err, hy_system_code(reason, HY_FAILED),
                       "file descriptor %d cannot be duplicated: %s", source->fd, strerror(reason));
    }
    enum hy_code code = source->image ? copy_image(memory, source->image, err) : HY_OK;
    if (code == HY_OK)
        code = hy_memory_check_file(pool->fd, 0, pool->size, err);
    if (code == HY_OK)
        code = map(pool, system_protection(pool->protection), err);
    return code == HY_BAD_DATA ? hy_error_prefix(err, HY_UNMAPPABLE, "hardware buffer") : code;
}

enum hy_code hy_memory_from_source(const struct hy_memory_source *source, struct hy_memory **ret,
                                   struct hy_error *err)
{
    struct hy_memory *memory = malloc(sizeof *memory);
    if (!memory)
        return hy_fail(err, HY_OUT_OF_MEMORY, "memory object for %" PRIu64 " bytes", source->bytes);
    *memory = (struct hy_memory){
        .references = 1,
        .app_protection = source->protection,
        .pool = {.kind = source->kind,
                 .protection = source->protection,
                 .fd = -1,
                 .id = hy_memory_next_id(),
                 .size = source->bytes},
        .is_dma_buf = source->is_dma_buf,
    };
    enum hy_code code = open_source(memory, source, err);
    if (code != HY_OK) {
        hy_memory_release(memory);
        return code;
    }
    memory->seals = hy_seals_of(memory->pool.fd);
    *ret = memory;
    return HY_OK;
}

/* Maps before sealing, so that the mapping stays writable. */
static enum hy_code open_anonymous(struct hy_pool *pool, unsigned seals, struct hy_error *err)
{
    pool->fd = memfd_create("halyard-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (pool->fd < 0 || ftruncate(pool->fd, (off_t)pool->size) != 0) {
        const int reason = errno;
        return hy_fail(err, hy_system_code(reason, HY_FAILED),
                       "%" PRIu64 " bytes of shared memory: %s", pool->size, strerror(reason));
    }
    enum hy_code code = map(pool, PROT_READ | PROT_WRITE, err);
    return code == HY_OK ? hy_seals_add(pool->fd, seals, err) : code;
}

static enum hy_code make_own(struct hy_domain *domain, uint64_t size, uint32_t protection,
                             struct hy_memory **ret, struct hy_error *err)
{
    const unsigned seals =
        protection & HY_PROTECT_WRITE ? HY_SEALS_SIZE : HY_SEALS_SIZE | HY_SEALS_CONTENTS;
    struct hy_memory *memory = malloc(sizeof *memory);
    if (!memory) {
        hy_domain_destroy(domain);
        return hy_fail(err, HY_OUT_OF_MEMORY, "memory object for %" PRIu64 " bytes", size);
    }
    *memory = (struct hy_memory){
        .references = 1,
        .app_protection = protection,
        .pool = {.kind = HY_POOL_ASHMEM,
                 .protection = protection,
                 .fd = -1,
                 .id = hy_memory_next_id(),
                 .size = size},
        .seals = seals,
        .domain = domain,
    };
    enum hy_code code = open_anonymous(&memory->pool, seals, err);
    if (code != HY_OK) {
        hy_memory_release(memory);
        return code;
    }
    *ret = memory;
    return HY_OK;
}

enum hy_code hy_memory_from_domain(struct hy_domain *domain, uint64_t size, struct hy_memory **ret,
                                   struct hy_error *err)
{
    return make_own(domain, size, HY_PROTECT_READ | HY_PROTECT_WRITE, ret, err);
}

enum hy_code hy_memory_to_read(uint64_t size, struct hy_memory **ret, struct hy_error *err)
{
    return make_own(NULL, size, HY_PROTECT_READ, ret, err);
}

enum hy_code hy_memory_from_device(struct hy_domain *domain, struct hy_memory **ret,
                                   struct hy_error *err)
{
    struct hy_memory *memory = malloc(sizeof *memory);
    uint64_t size = 0;

    if (!memory) {
        hy_domain_destroy(domain);
        return hy_fail(err, HY_OUT_OF_MEMORY, "memory object of a device");
    }
    if (domain->is_open || !hy_domain_measure(domain, &domain->shape, &size))
        size = 0;
    *memory = (struct hy_memory){
        .references = 1,
        .app_protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
        .pool = {.kind = HY_POOL_BUFFER,
                 .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                 .fd = -1,
                 .buffer_token = hy_device_memory_token(domain->device),
                 .id = hy_memory_next_id(),
                 .size = size},
        .domain = domain,
    };
    *ret = memory;
    return HY_OK;
}

/* ---- Life ----------------------------------------------------------------------------------- */

struct hy_memory *hy_memory_retain(struct hy_memory *memory)
{
    atomic_fetch_add_explicit(&memory->references, 1, memory_order_relaxed);
    return memory;
}

static void at_fork(enum hy_fork_phase phase)
{
    hy_memory_watches_fork(phase);
    hy_device_memory_fork(phase);
}

HY_AT_FORK(HY_FORK_MEMORY, at_fork)

void hy_memory_release(struct hy_memory *memory)
{
    if (!memory || atomic_fetch_sub_explicit(&memory->references, 1, memory_order_acq_rel) != 1)
        return;
    hy_memory_watches_notify(memory->pool.id);
    if (memory->pool.address)
        munmap(memory->pool.address, memory->pool.size);
    if (memory->pool.fd >= 0)
        close(memory->pool.fd);
    hy_domain_destroy(memory->domain);
    free(memory);
}

/* ---- Use ------------------------------------------------------------------------------------ */

const struct hy_pool *hy_memory_pool(const struct hy_memory *memory)
{
    return &memory->pool;
}

struct hy_domain *hy_memory_domain(const struct hy_memory *memory)
{
    return memory->domain;
}

bool hy_memory_is_image(const struct hy_memory *memory)
{
    return memory->pool.kind == HY_POOL_HARDWARE_BUFFER;
}

unsigned hy_memory_seals(const struct hy_memory *memory)
{
    return memory->seals;
}

bool hy_memory_is_dma_buf(const struct hy_memory *memory)
{
    return memory->is_dma_buf;
}
