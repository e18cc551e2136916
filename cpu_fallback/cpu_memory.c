#include "cpu_fallback/cpu_memory.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/checked.h"
#include "cpu_fallback/kernels/types.h"

/* ---- Asking the host ------------------------------------------------------------------------- */

static bool has_quota(const struct hy_host *host)
{
    return host && HY_HAS(host, memory_reserve) && HY_HAS(host, memory_release);
}

static bool ask(const struct hy_host *host, size_t bytes, void **reservation)
{
    *reservation = NULL;
    return !has_quota(host) ||
           host->memory_reserve(host->context, bytes, reservation) == HY_STATUS_OK;
}

static void give_back(const struct hy_host *host, void *reservation)
{
    if (has_quota(host))
        host->memory_release(host->context, reservation);
}

static bool ask_for_block(const void *host, size_t bytes, void **reservation)
{
    return ask(host, bytes, reservation);
}

static void give_block_back(const void *host, void *reservation)
{
    give_back(host, reservation);
}

struct hy_arena hy_cpu_arena(const struct hy_host *host)
{
    static const struct hy_arena_quota quota = {ask_for_block, give_block_back};

    return (struct hy_arena){.quota = has_quota(host) ? &quota : NULL, .context = host};
}

/* Returns the whole pages in these bytes to the system. A later access finds zeros. */
static void give_pages_back(void *bytes, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t skipped = (page - (uintptr_t)bytes % page) % page;

    if (size < skipped + page)
        return;
    (void)madvise((uint8_t *)bytes + skipped, (size - skipped) / page * page, MADV_DONTNEED);
}

/* ---- Single allocations ---------------------------------------------------------------------- */

/* Header of an allocation. */
struct piece {
    const struct hy_host *host;
    void *reservation;
    alignas(max_align_t) unsigned char bytes[];
};

static_assert(offsetof(struct piece, bytes) % alignof(max_align_t) == 0, "bytes are aligned");

void *hy_cpu_calloc(const struct hy_host *host, size_t count, size_t size)
{
    void *reservation;
    size_t bytes;

    if (!hy_mul_size(count, size, &bytes) || !hy_add_size(bytes, sizeof(struct piece), &bytes) ||
        !ask(host, bytes, &reservation))
        return NULL;
    struct piece *piece = calloc(1, bytes);
    if (!piece) {
        give_back(host, reservation);
        return NULL;
    }
    piece->host = host;
    piece->reservation = reservation;
    return piece->bytes;
}

void hy_cpu_free(void *bytes)
{
    if (!bytes)
        return;
    struct piece *piece = (struct piece *)((uint8_t *)bytes - offsetof(struct piece, bytes));
    const struct hy_host *host = piece->host;
    void *reservation = piece->reservation;
    free(piece);
    give_back(host, reservation);
}

void hy_cpu_free_pages(void *bytes, size_t size)
{
    give_pages_back(bytes, size);
    hy_cpu_free(bytes);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* The used part of a large page from which it is mapped faster than small pages. */
#define WORTH (HY_CPU_LARGE_PAGE / 4)

size_t hy_cpu_large_size(size_t size)
{
    const size_t rest = size % HY_CPU_LARGE_PAGE;

    return rest >= WORTH && size <= PTRDIFF_MAX ? size - rest + HY_CPU_LARGE_PAGE : size;
}

/* Allocates a block. Large pages are only requested: a system without any gives small pages. */
static void *make_block(size_t size)
{
    const size_t large = size / HY_CPU_LARGE_PAGE * HY_CPU_LARGE_PAGE;
    void *bytes;

    if (large == 0)
        return aligned_alloc(HY_KERNEL_ALIGNMENT, size);
    if (posix_memalign(&bytes, HY_CPU_LARGE_PAGE, size) != 0) /* of any size */
        return NULL;
    (void)madvise(bytes, large, MADV_HUGEPAGE);
    return bytes;
}

bool hy_cpu_block_reserve(const struct hy_host *host, struct hy_cpu_block *block, size_t size)
{
    void *reservation;
    size_t rounded;

    if (size <= block->size)
        return true;
    if (!hy_round_up_size(size, HY_KERNEL_ALIGNMENT, &rounded) || rounded > PTRDIFF_MAX ||
        !ask(host, rounded, &reservation))
        return false;
    void *bytes = make_block(rounded);
    if (!bytes) {
        give_back(host, reservation);
        return false;
    }
    hy_cpu_block_finish(block);
    *block = (struct hy_cpu_block){bytes, rounded, host, reservation};
    return true;
}

/* Blocks below the size of a large page share their last page with other memory, and are too small
 * to pay for a system call. */
void hy_cpu_block_trim(const struct hy_cpu_block *block, size_t used)
{
    if (block->size >= HY_CPU_LARGE_PAGE && used < block->size)
        give_pages_back((uint8_t *)block->bytes + used, block->size - used);
}

void hy_cpu_block_finish(struct hy_cpu_block *block)
{
    const struct hy_cpu_block old = *block;

    if (!old.bytes)
        return;
    *block = (struct hy_cpu_block){0};
    free(old.bytes);
    give_back(old.host, old.reservation);
}
