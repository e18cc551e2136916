#include "hardware_buffer/lock.h"

#include "common/sync_fence.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* Negative values of AHardwareBuffer.locks: a single lock that writes. Other values: the number of
 * readers. */
#define WRITES           (-1)
#define READS_AND_WRITES (-2)

/* ---- Checks ---------------------------------------------------------------------------------- */

static uint32_t access_of(uint64_t usage)
{
    return (usage & AHARDWAREBUFFER_USAGE_CPU_READ_MASK ? HY_SYNC_READ : 0) |
           (usage & AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK ? HY_SYNC_WRITE : 0);
}

/* The frequency in a usage is a hint: "rarely" also allows "often". */
static bool may_use(const AHardwareBuffer *buffer, uint64_t usage)
{
    const uint32_t access = access_of(usage);

    return hy_image_usage_is_of_cpu(usage) && access != 0 &&
           (access & ~access_of(buffer->desc.usage)) == 0;
}

static bool is_inside(const AHardwareBuffer_Desc *desc, const ARect *rect)
{
    return rect->left >= 0 && rect->top >= 0 && rect->left < rect->right &&
           rect->top < rect->bottom && (uint32_t)rect->right <= desc->width &&
           (uint32_t)rect->bottom <= desc->height;
}

static int wait_for(int fence)
{
    struct pollfd poll_fd = {.fd = fence, .events = POLLIN};
    int count;

    if (fence < 0)
        return 0;
    do {
        count = poll(&poll_fd, 1, -1);
    } while (count < 0 && (errno == EINTR || errno == EAGAIN));
    if (count < 0)
        return -errno;
    if (poll_fd.revents & POLLNVAL)
        return -EINVAL;
    return hy_sync_fence_result(fence, (uint32_t)poll_fd.revents) == 0 ? 0 : -EIO;
}

/* ---- Current locks --------------------------------------------------------------------------- */

static int enter(atomic_int *locks, uint32_t access)
{
    const int writer = access & HY_SYNC_READ ? READS_AND_WRITES : WRITES;
    int seen = atomic_load_explicit(locks, memory_order_relaxed);

    for (;;) {
        const bool is_free = access & HY_SYNC_WRITE ? seen == 0 : seen >= 0 && seen < INT32_MAX;
        if (!is_free)
            return -EBUSY;
        const int next = access & HY_SYNC_WRITE ? writer : seen + 1;
        if (atomic_compare_exchange_weak_explicit(locks, &seen, next, memory_order_acquire,
                                                  memory_order_relaxed))
            return 0;
    }
}

/* The access of the lock that ends next; 0: no lock. */
static uint32_t access_held(int locks)
{
    if (locks >= 0)
        return locks > 0 ? HY_SYNC_READ : 0;
    return locks == WRITES ? HY_SYNC_WRITE : HY_SYNC_READ | HY_SYNC_WRITE;
}

static bool leave(atomic_int *locks)
{
    int seen = atomic_load_explicit(locks, memory_order_relaxed);

    while (seen != 0) {
        if (atomic_compare_exchange_weak_explicit(locks, &seen, seen < 0 ? 0 : seen - 1,
                                                  memory_order_release, memory_order_relaxed))
            return true;
    }
    return false;
}

/* ---- Locks ----------------------------------------------------------------------------------- */

static int lock(AHardwareBuffer *buffer, uint64_t usage, int fence, const ARect *rect)
{
    const uint32_t access = access_of(usage);

    if (!may_use(buffer, usage) || buffer->desc.layers > 1 ||
        (rect && !is_inside(&buffer->desc, rect)))
        return -EINVAL;
    int result = wait_for(fence);
    if (result == 0)
        result = enter(&buffer->locks, access);
    if (result != 0)
        return result;
    if (buffer->backing.is_dma_buf)
        result = hy_backing_sync_begin(buffer->backing.fd, access);
    if (result != 0)
        (void)leave(&buffer->locks);
    return result;
}

int hy_hardware_buffer_lock(AHardwareBuffer *buffer, uint64_t usage, int fence, const ARect *rect)
{
    const int result = lock(buffer, usage, fence, rect);

    if (fence >= 0)
        close(fence);
    return result;
}

/* Ends the access before another lock may begin. */
int hy_hardware_buffer_unlock(AHardwareBuffer *buffer)
{
    const uint32_t access = access_held(atomic_load_explicit(&buffer->locks, memory_order_relaxed));
    int result = 0;

    if (access == 0)
        return -EINVAL;
    if (buffer->backing.is_dma_buf)
        result = hy_backing_sync_end(buffer->backing.fd, access);
    return leave(&buffer->locks) ? result : -EINVAL;
}
