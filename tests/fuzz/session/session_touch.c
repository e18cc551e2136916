#include "session_touch.h"

#include <android/hardware_buffer.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/kit/sanitizers.h"

enum { PAGE = 4096 };

/* More than a script has memory for: beyond that is a fault in any case. */
#define MOST_BYTES (UINT64_C(1) << 30)

static _Noreturn void complain(const char *what, uint64_t number)
{
    fprintf(stderr, "session_touch: %s %llu\n", what, (unsigned long long)number);
    abort();
}

/* Bytes of 2 x 2 pixels, counted here once more: a slip in common/ would be noticed. */
static uint64_t bytes_of_four(uint32_t format)
{
    switch (format) {
    case AHARDWAREBUFFER_FORMAT_R8_UNORM:
    case AHARDWAREBUFFER_FORMAT_S8_UINT:
        return 4;
    case AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420:
        return 6;
    case AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM:
    case AHARDWAREBUFFER_FORMAT_D16_UNORM:
    case AHARDWAREBUFFER_FORMAT_R16_UINT:
        return 8;
    case AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM:
        return 12;
    case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
    case AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM:
    case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
    case AHARDWAREBUFFER_FORMAT_D24_UNORM:
    case AHARDWAREBUFFER_FORMAT_D32_FLOAT:
    case AHARDWAREBUFFER_FORMAT_R16G16_UINT:
        return 16;
    case AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT:
        return 32;
    default:
        complain("an image of format", format);
    }
}

/* In all bits, rounded down where an odd row ends a plane. */
static uint64_t bytes_of_image(const struct hy_image *image)
{
    const __uint128_t pixels = (__uint128_t)image->layers * image->height * image->stride;
    const __uint128_t bytes = pixels * bytes_of_four(image->format) / 4;

    if (image->stride < image->width)
        complain("an image with rows closer together than", image->width);
    return bytes < MOST_BYTES ? (uint64_t)bytes : MOST_BYTES;
}

static void touch(uint8_t *bytes, uint64_t count, int may_write)
{
    for (uint64_t at = 0; at<count; at += count - at> PAGE ? PAGE : count - at) {
        volatile uint8_t *byte = &bytes[at];
        const uint8_t value = *byte;
        if (may_write)
            *byte = value;
    }
    if (count > 0)
        (void)*(volatile uint8_t *)&bytes[count - 1];
}

void session_touch(const struct hy_host *host, const struct hy_pool *pools, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct hy_pool *pool = &pools[i];
        int may_write = pool->protection & HY_PROTECT_WRITE;
        void *address = NULL;
#ifdef HY_WITH_THREAD_SANITIZER
        may_write = 0; /* clients use one memory in many calls, which is theirs to bear */
#endif
        if (pool->kind == HY_POOL_BUFFER || !(pool->protection & HY_PROTECT_READ) ||
            host->map(host->context, pool, HY_PROTECT_READ, &address) != HY_STATUS_OK)
            continue;
        if (pool->size == 0 && pool->kind != HY_POOL_HARDWARE_BUFFER)
            complain("memory without a size, of kind", pool->kind);
        touch(address, pool->image ? bytes_of_image(pool->image) : pool->size, may_write);
    }
}
