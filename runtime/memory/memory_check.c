#include "memory_check.h"

#include "common/checked.h"
#include "memory_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Each mapping of /dev/zero is separate memory, and a mapping with an offset raises SIGBUS on
 * access. */
static bool is_zero_device(const struct stat *status)
{
    return S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 5);
}

enum hy_code hy_memory_check_file(int fd, uint64_t offset, uint64_t length, struct hy_error *err)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        return hy_fail(err, HY_BAD_DATA, "fstat on the file failed: %s", strerror(errno));
    if (is_zero_device(&status))
        return hy_fail(err, HY_BAD_DATA, "the file is /dev/zero, which cannot be shared");
    if (S_ISREG(status.st_mode) && !hy_range_inside(offset, length, (uint64_t)status.st_size))
        return hy_fail(err, HY_BAD_DATA,
                       "the file has %" PRIu64 " bytes, a range of %" PRIu64
                       " bytes at offset %" PRIu64 " is outside",
                       (uint64_t)status.st_size, length, offset);
    return HY_OK;
}

static enum hy_code check_protection(const struct hy_memory *memory, uint32_t protection,
                                     enum hy_code code, struct hy_error *err)
{
    const uint32_t missing = protection & ~memory->app_protection;

    if (missing == 0)
        return HY_OK;
    return hy_fail(err, code, "the memory was made without %s",
                   missing & HY_PROTECT_READ ? "PROT_READ" : "PROT_WRITE");
}

enum hy_code hy_memory_check_image(const struct hy_memory *memory, uint64_t offset, uint64_t length,
                                   uint32_t protection, struct hy_error *err)
{
    if (offset != 0 || length != 0)
        return hy_fail(err, HY_BAD_DATA,
                       "an image needs offset 0 and length 0, not %" PRIu64 " and %" PRIu64, offset,
                       length);
    return check_protection(memory, protection, HY_BAD_DATA, err);
}

enum hy_code hy_memory_check_mapped(const struct hy_memory *memory, uint32_t protection,
                                    struct hy_error *err)
{
    const struct hy_pool *pool = &memory->pool;
    struct hy_error why;

    enum hy_code code = check_protection(memory, protection, HY_UNMAPPABLE, err);
    if (code != HY_OK)
        return code;
    if (hy_memory_check_file(pool->fd, pool->offset, pool->size, &why) != HY_OK)
        return hy_fail(err, HY_UNMAPPABLE, "%s", why.text);
    return HY_OK;
}

static enum hy_code check_inside(const struct hy_memory *memory, uint64_t offset, uint64_t length,
                                 uint32_t protection, struct hy_error *err)
{
    const struct hy_pool *pool = &memory->pool;

    if (memory->domain)
        return hy_fail(err, HY_BAD_DATA, "memory from a descriptor cannot hold constants");
    if (hy_memory_is_image(memory))
        return hy_fail(err, HY_BAD_DATA, "an image cannot hold constants");
    if (length == 0)
        return hy_fail(err, HY_BAD_DATA, "the range at offset %" PRIu64 " of the memory is empty",
                       offset);
    if (!hy_range_inside(offset, length, pool->size))
        return hy_fail(err, HY_BAD_DATA,
                       "%" PRIu64 " bytes at offset %" PRIu64
                       " do not lie inside the memory of %" PRIu64 " bytes",
                       length, offset, pool->size);
    return check_protection(memory, protection, HY_BAD_DATA, err);
}

enum hy_code hy_memory_check_range(const struct hy_memory *memory, uint64_t offset, uint64_t length,
                                   uint32_t protection, struct hy_error *err)
{
    const struct hy_pool *pool = &memory->pool;
    enum hy_code code = check_inside(memory, offset, length, protection, err);

    return code == HY_OK ? hy_memory_check_file(pool->fd, pool->offset + offset, length, err)
                         : code;
}

/* Enough for executions that an app creates by hand, soon reached by an app with one execution per
 * inference. */
#define LOOKS_ENOUGH 64u

enum hy_code hy_memory_check_again(struct hy_memory *memory, uint64_t offset, uint64_t length,
                                   struct hy_error *err)
{
    const struct hy_pool *pool = &memory->pool;

    if (atomic_load_explicit(&memory->looks, memory_order_relaxed) >= LOOKS_ENOUGH)
        return HY_OK;
    enum hy_code code = hy_memory_check_file(pool->fd, pool->offset + offset, length, err);
    if (code == HY_OK)
        atomic_fetch_add_explicit(&memory->looks, 1, memory_order_relaxed);
    return code;
}

enum hy_code hy_memory_check_argument(struct hy_memory *memory, uint64_t offset, uint64_t length,
                                      uint32_t protection, struct hy_error *err)
{
    enum hy_code code = check_inside(memory, offset, length, protection, err);

    return code == HY_OK ? hy_memory_check_again(memory, offset, length, err) : code;
}
