#include "memory.h"

#include <stdbool.h>
#include <stdlib.h>

/* Stands before the memory, in a piece of its own alignment. */
struct ticket {
    const struct hy_host *host; /* NULL: it was not asked */
    void *reservation;
};

static bool ask(const struct hy_host *host, uint64_t bytes, struct ticket *ticket)
{
    *ticket = (struct ticket){0};
    if (!HY_HAS(host, memory_reserve) || !HY_HAS(host, memory_release))
        return true; /* a host of 1.0, or one without a quota */
    if (host->memory_reserve(host->context, bytes, &ticket->reservation) != HY_STATUS_OK)
        return false;
    ticket->host = host;
    return true;
}

static void give_back(const struct ticket *ticket)
{
    if (ticket->host)
        ticket->host->memory_release(ticket->host->context, ticket->reservation);
}

/* Puts the ticket at the start of `piece`. */
static void *enter(void *piece, const struct ticket *ticket)
{
    if (!piece) {
        give_back(ticket);
        return NULL;
    }
    *(struct ticket *)piece = *ticket;
    return (uint8_t *)piece + SAMPLE_MEMORY_ALIGNMENT;
}

void *sample_zeros(const struct hy_host *host, uint64_t count, size_t size)
{
    struct ticket ticket;
    if (count > (PTRDIFF_MAX - SAMPLE_MEMORY_ALIGNMENT) / size)
        return NULL;
    const uint64_t bytes = count * size + SAMPLE_MEMORY_ALIGNMENT;
    return ask(host, bytes, &ticket) ? enter(calloc(1, bytes), &ticket) : NULL;
}

void *sample_bytes(const struct hy_host *host, uint64_t bytes)
{
    struct ticket ticket;
    if (bytes > PTRDIFF_MAX - 2 * SAMPLE_MEMORY_ALIGNMENT)
        return NULL;
    const uint64_t rounded =
        (bytes / SAMPLE_MEMORY_ALIGNMENT + 2) * SAMPLE_MEMORY_ALIGNMENT; /* with the ticket */
    return ask(host, rounded, &ticket)
               ? enter(aligned_alloc(SAMPLE_MEMORY_ALIGNMENT, rounded), &ticket)
               : NULL;
}

void sample_free(void *memory)
{
    if (!memory)
        return;
    void *piece = (uint8_t *)memory - SAMPLE_MEMORY_ALIGNMENT;
    const struct ticket ticket = *(struct ticket *)piece;
    free(piece);
    give_back(&ticket);
}
