#include "driver_kit/quota_memory.h"

#include <stdlib.h>

bool hy_reservation_make(const struct hy_host *host, uint64_t bytes,
                         struct hy_reservation *reservation)
{
    *reservation = (struct hy_reservation){0};
    if (!HY_HAS(host, memory_reserve) || !HY_HAS(host, memory_release))
        return true; /* a host of 1.0, or one without a quota */
    if (host->memory_reserve(host->context, bytes, &reservation->handle) != HY_STATUS_OK)
        return false;
    reservation->host = host;
    return true;
}

void hy_reservation_release(const struct hy_reservation *reservation)
{
    if (reservation->host)
        reservation->host->memory_release(reservation->host->context, reservation->handle);
}

/* Stores the reservation at the start of `piece` and returns the memory after it. The header takes
 * HY_QUOTA_ALIGNMENT bytes, so the memory stays aligned. */
static void *enter(void *piece, const struct hy_reservation *reservation)
{
    if (!piece) {
        hy_reservation_release(reservation);
        return NULL;
    }
    *(struct hy_reservation *)piece = *reservation;
    return (uint8_t *)piece + HY_QUOTA_ALIGNMENT;
}

void *hy_quota_zeros(const struct hy_host *host, uint64_t count, size_t size)
{
    struct hy_reservation reservation;
    if (count > (PTRDIFF_MAX - HY_QUOTA_ALIGNMENT) / size)
        return NULL;
    const uint64_t bytes = count * size + HY_QUOTA_ALIGNMENT;
    return hy_reservation_make(host, bytes, &reservation) ? enter(calloc(1, bytes), &reservation)
                                                          : NULL;
}

void *hy_quota_bytes(const struct hy_host *host, uint64_t bytes)
{
    struct hy_reservation reservation;
    if (bytes > PTRDIFF_MAX - UINT64_C(2) * HY_QUOTA_ALIGNMENT)
        return NULL;
    const uint64_t rounded =
        (bytes / HY_QUOTA_ALIGNMENT + 2) * HY_QUOTA_ALIGNMENT; /* with the reservation */
    return hy_reservation_make(host, rounded, &reservation)
               ? enter(aligned_alloc(HY_QUOTA_ALIGNMENT, rounded), &reservation)
               : NULL;
}

void hy_quota_free(void *memory)
{
    if (!memory)
        return;
    void *piece = (uint8_t *)memory - HY_QUOTA_ALIGNMENT;
    const struct hy_reservation reservation = *(struct hy_reservation *)piece;
    free(piece);
    hy_reservation_release(&reservation);
}
