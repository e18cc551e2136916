#include "tests/kit/allocation_count.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static atomic_ulong allocations;
static atomic_ulong failing; /* the number of the one that fails, or 0 */

static bool allow(void)
{
    return ++allocations != failing;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
    return allow() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allow() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size)
{
    return allow() ? __real_realloc(memory, size) : NULL;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return allow() ? __real_aligned_alloc(alignment, size) : NULL;
}

unsigned long hy_allocation_count(void)
{
    return atomic_load(&allocations);
}

void hy_allocation_fail_at(unsigned long number)
{
    failing = number;
}
