#include "memory.h"

#include <stdbool.h>
#include <stdlib.h>

bool xd_ask(const struct hy_host *host, uint64_t bytes, struct xd_ticket *ticket)
{
    *ticket = (struct xd_ticket){0};
    if (!HY_HAS(host, memory_reserve) || !HY_HAS(host, memory_release))
        return true; /* a host of 1.0, or one without a quota */
    if (host->memory_reserve(host->context, bytes, &ticket->reservation) != HY_STATUS_OK)
        return false;
    ticket->host = host;
    return true;
}

void xd_give_back(const struct xd_ticket *ticket)
{
    if (ticket->host)
        ticket->host->memory_release(ticket->host->context, ticket->reservation);
}

/* The ticket stands before the memory, in a piece of its own alignment. Puts it at the start of
 * `piece`. */
static void *enter(void *piece, const struct xd_ticket *ticket)
{
    if (!piece) {
        xd_give_back(ticket);
        return NULL;
    }
    *(struct xd_ticket *)piece = *ticket;
    return (uint8_t *)piece + XD_MEMORY_ALIGNMENT;
}

void *xd_zeros(const struct hy_host *host, uint64_t count, size_t size)
{
    struct xd_ticket ticket;
    if (count > (PTRDIFF_MAX - XD_MEMORY_ALIGNMENT) / size)
        return NULL;
    const uint64_t bytes = count * size + XD_MEMORY_ALIGNMENT;
    return xd_ask(host, bytes, &ticket) ? enter(calloc(1, bytes), &ticket) : NULL;
}

void *xd_bytes(const struct hy_host *host, uint64_t bytes)
{
    struct xd_ticket ticket;
    if (bytes > PTRDIFF_MAX - 2 * XD_MEMORY_ALIGNMENT)
        return NULL;
    const uint64_t rounded =
        (bytes / XD_MEMORY_ALIGNMENT + 2) * XD_MEMORY_ALIGNMENT; /* with the ticket */
    return xd_ask(host, rounded, &ticket)
               ? enter(aligned_alloc(XD_MEMORY_ALIGNMENT, rounded), &ticket)
               : NULL;
}

void xd_free(void *memory)
{
    if (!memory)
        return;
    void *piece = (uint8_t *)memory - XD_MEMORY_ALIGNMENT;
    const struct xd_ticket ticket = *(struct xd_ticket *)piece;
    free(piece);
    xd_give_back(&ticket);
}
