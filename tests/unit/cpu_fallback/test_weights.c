/* Packed weights of operations, and the room that they share. */
#include "cpu_fallback/program/weights.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#define CAPACITY_BYTES ((size_t)4096)

static int fill_bytes(const void *context, void *bytes)
{
    const struct hy_cpu_packing *packing = context;

    memset(bytes, packing->kernel[0], packing->length);
    return 1;
}

static int fill_nothing(const void *context, void *bytes)
{
    (void)context;
    (void)bytes;
    return 0;
}

static struct hy_cpu_packing packing_of(const char *kernel, size_t length)
{
    return (struct hy_cpu_packing){.kernel = kernel, .length = length, .fill = fill_bytes};
}

static const uint8_t *acquire(struct hy_cpu_weights *slot, struct hy_cpu_packing packing)
{
    const void *packed = NULL;

    packing.context = &packing;
    EXPECT_INT(hy_cpu_weights_acquire(slot, &packing, &packed, NULL), HY_OK);
    return packed;
}

static void reserve_block(struct hy_cpu_weights_arena *weights_arena)
{
    EXPECT(hy_cpu_block_reserve(NULL, &weights_arena->block, CAPACITY_BYTES));
}

static bool is_inside(const struct hy_cpu_weights_arena *weights_arena, const uint8_t *bytes,
                      size_t length)
{
    const uint8_t *from = weights_arena->block.bytes;
    return bytes >= from && bytes + length <= from + weights_arena->block.size;
}

TEST(cpu_weights, lie_in_the_room_one_behind_the_other)
{
    struct hy_cpu_weights_arena weights_arena = {0};
    struct hy_cpu_weights slots[3] = {{.weights_arena = &weights_arena},
                                      {.weights_arena = &weights_arena},
                                      {.weights_arena = &weights_arena}};
    const uint8_t *bytes[3], *end = NULL;

    reserve_block(&weights_arena);
    for (int i = 0; i < 3; i++) {
        bytes[i] = acquire(&slots[i], packing_of("packs", 100 + (size_t)i));
        REQUIRE(bytes[i]);
        EXPECT(is_inside(&weights_arena, bytes[i], 100 + (size_t)i));
        EXPECT_INT((uintptr_t)bytes[i] % HY_KERNEL_ALIGNMENT, 0);
        EXPECT(bytes[i] >= end);
        end = bytes[i] + 100 + i;
    }
    for (int i = 0; i < 3; i++) {
        EXPECT(bytes[i][0] == 'p' && bytes[i][99 + i] == 'p');
        EXPECT(hy_cpu_weights_peek(&slots[i])->is_borrowed);
        hy_cpu_weights_finish(&slots[i]);
        EXPECT(!hy_cpu_weights_peek(&slots[i]));
    }
    hy_cpu_block_finish(&weights_arena.block);
}

TEST(cpu_weights, what_finds_no_room_has_memory_of_its_own)
{
    struct hy_cpu_weights_arena weights_arena = {0};
    struct hy_cpu_weights large = {.weights_arena = &weights_arena},
                          small = {.weights_arena = &weights_arena},
                          alone = {.weights_arena = NULL};

    reserve_block(&weights_arena);
    const uint8_t *own = acquire(&large, packing_of("packs", CAPACITY_BYTES));
    const uint8_t *in_block = acquire(&small, packing_of("packs", 64));
    const uint8_t *without = acquire(&alone, packing_of("packs", 64));
    REQUIRE(own && in_block && without);
    EXPECT(!is_inside(&weights_arena, own, 1));
    EXPECT(own[CAPACITY_BYTES - 1] == 'p');
    EXPECT(is_inside(&weights_arena, in_block, 64));
    EXPECT(without[63] == 'p');
    hy_cpu_weights_finish(&large);
    hy_cpu_weights_finish(&small);
    hy_cpu_weights_finish(&alone);
    hy_cpu_block_finish(&weights_arena.block);
}

TEST(cpu_weights, one_that_cannot_be_made_leaves_its_slot_empty)
{
    struct hy_cpu_weights_arena weights_arena = {0};
    struct hy_cpu_weights slot = {.weights_arena = &weights_arena}, alone = {.weights_arena = NULL};
    struct hy_cpu_packing packing = packing_of("packs", 64);
    const void *packed = NULL;

    reserve_block(&weights_arena);
    packing.fill = fill_nothing;
    EXPECT_INT(hy_cpu_weights_acquire(&slot, &packing, &packed, NULL), HY_OUT_OF_MEMORY);
    EXPECT_INT(hy_cpu_weights_acquire(&alone, &packing, &packed, NULL), HY_OUT_OF_MEMORY);
    EXPECT(!hy_cpu_weights_peek(&slot) && !hy_cpu_weights_peek(&alone));
    packing = packing_of("packs", SIZE_MAX - 100);
    EXPECT_INT(hy_cpu_weights_acquire(&slot, &packing, &packed, NULL), HY_OUT_OF_MEMORY);
    hy_cpu_block_finish(&weights_arena.block);
}

#define THREADS 4
#define SLOTS   16

struct part {
    struct hy_cpu_weights *slots;
    const uint8_t *bytes[SLOTS];
};

static void acquire_all(void *argument)
{
    struct part *part = argument;

    for (int i = 0; i < SLOTS; i++) {
        struct hy_cpu_packing packing = packing_of("packs", 128);
        const void *packed = NULL;
        packing.context = &packing;
        if (hy_cpu_weights_acquire(&part->slots[i], &packing, &packed, NULL) == HY_OK)
            part->bytes[i] = packed;
    }
}

TEST(cpu_weights, threads_that_pack_at_once_get_the_same)
{
    for (int round = 0; round < 50; round++) {
        struct hy_cpu_weights_arena weights_arena = {0};
        struct hy_cpu_weights slots[SLOTS] = {{.weights_arena = NULL}};
        struct part parts[THREADS] = {0};

        reserve_block(&weights_arena);
        for (int i = 0; i < SLOTS; i++)
            slots[i].weights_arena = &weights_arena;
        for (int t = 0; t < THREADS; t++)
            parts[t].slots = slots;
        REQUIRE(hy_threads_run(THREADS, acquire_all, parts, sizeof *parts));
        for (int i = 0; i < SLOTS; i++) {
            const uint8_t *bytes = parts[0].bytes[i];
            EXPECT(bytes && bytes[0] == 'p' && bytes[127] == 'p');
            for (int t = 1; t < THREADS; t++)
                EXPECT(parts[t].bytes[i] == bytes);
            hy_cpu_weights_finish(&slots[i]);
        }
        hy_cpu_block_finish(&weights_arena.block);
    }
}

TEST(cpu_weights, room_is_whole_large_pages_where_a_quarter_of_the_last_is_used)
{
    const size_t page = HY_CPU_LARGE_PAGE;

    for (size_t pages = 0; pages < 3; pages++) {
        EXPECT_INT(hy_cpu_large_size(pages * page), pages * page);
        EXPECT_INT(hy_cpu_large_size(pages * page + page / 4 - 1), pages * page + page / 4 - 1);
        EXPECT_INT(hy_cpu_large_size(pages * page + page / 4), (pages + 1) * page);
        EXPECT_INT(hy_cpu_large_size((pages + 1) * page - 1), (pages + 1) * page);
    }
    EXPECT_INT(hy_cpu_large_size(SIZE_MAX), SIZE_MAX);
}

TEST(cpu_weights, large_block_begins_with_a_large_page)
{
    for (size_t size = HY_CPU_LARGE_PAGE; size < 3 * HY_CPU_LARGE_PAGE; size += 600000) {
        struct hy_cpu_block block = {0};
        REQUIRE(hy_cpu_block_reserve(NULL, &block, size));
        EXPECT_INT((uintptr_t)block.bytes % HY_CPU_LARGE_PAGE, 0);
        EXPECT(block.size >= size && block.size < size + 64);
        hy_cpu_block_finish(&block);
    }
}

TEST(cpu_weights, trimmed_block_holds_what_is_used_and_zeros)
{
    struct hy_cpu_block block = {0};
    const size_t used = HY_CPU_LARGE_PAGE + 12345;

    REQUIRE(hy_cpu_block_reserve(NULL, &block, 2 * HY_CPU_LARGE_PAGE));
    uint8_t *bytes = block.bytes;
    memset(bytes, 1, block.size);
    hy_cpu_block_trim(&block, used);
    for (size_t i = 0; i < used; i++) {
        if (bytes[i] != 1) {
            hy_test_fail(__FILE__, __LINE__, "byte %zu is %u", i, bytes[i]);
            break;
        }
    }
    EXPECT_INT(bytes[block.size - 1], 0); /* a page that came again */
    hy_cpu_block_trim(&block, SIZE_MAX);  /* nothing */
    hy_cpu_block_trim(&block, block.size);
    EXPECT_INT(bytes[0], 1);
    hy_cpu_block_finish(&block);
}

TEST(cpu_weights, pages_of_what_is_freed_go_to_the_system)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 16 * page;
    uint8_t *bytes = hy_cpu_calloc(NULL, 1, size);
    unsigned char is_resident = 0;

    mallopt(M_PERTURB, 0); /* which would write what is freed */
    REQUIRE(bytes);
    memset(bytes, 1, size);
    uint8_t *within = bytes + 2 * page - (uintptr_t)bytes % page;
    EXPECT(mincore(within, page, &is_resident) == 0 && is_resident & 1);
    hy_cpu_free_pages(bytes, size);
    EXPECT(mincore(within, page, &is_resident) != 0 || !(is_resident & 1));
}

TEST(cpu_weights, large_block_is_memory_like_any_other)
{
    struct hy_cpu_block block = {0};

    for (size_t size = HY_CPU_LARGE_PAGE - 64; size <= HY_CPU_LARGE_PAGE + 64; size += 64) {
        EXPECT(hy_cpu_block_reserve(NULL, &block, size));
        memset(block.bytes, 1, block.size);
    }
    hy_cpu_block_finish(&block);
}

/* ---- The kernel of a call -------------------------------------------------------------------- */

static bool is_ready;

static int get_ready(void)
{
    return is_ready;
}

static int pays_from_8(const struct hy_conv_params *params)
{
    return params->batch >= 8;
}

static size_t packed_bytes(const struct hy_conv_params *params)
{
    return params->in_c;
}

static void pack_nothing(const struct hy_conv_params *params, const void *filter, const void *bias,
                         void *packed)
{
    (void)filter, (void)bias;
    memset(packed, 0, params->in_c);
}

static const struct hy_conv_kernel vectors = {
    .name = "vectors", .packed_bytes = packed_bytes, .pack = pack_nothing};
static const struct hy_conv_kernel tiles = {.name = "tiles",
                                            .lesser = &vectors,
                                            .pays = pays_from_8,
                                            .ready = get_ready,
                                            .packed_bytes = packed_bytes,
                                            .pack = pack_nothing};
/* As packed for them. */
static struct hy_cpu_packing packing_for(const char *kernel)
{
    struct hy_cpu_packing packing = packing_of(kernel, 64);

    packing.layout = 64;
    return packing;
}

static const struct hy_conv_params few = {.batch = 7, .in_c = 64}, many = {.batch = 8, .in_c = 64};

TEST(cpu_weights, the_kernel_that_pays_computes)
{
    struct hy_cpu_weights slot = {.weights_arena = NULL};

    is_ready = true;
    EXPECT(hy_cpu_weights_kernel(&slot, &tiles, &few) == &vectors);
    EXPECT(hy_cpu_weights_kernel(&slot, &tiles, &many) == &tiles);
    EXPECT(hy_cpu_weights_kernel(NULL, &tiles, &many) == &tiles);
    EXPECT(hy_cpu_weights_kernel(&slot, &vectors, &many) == &vectors);
}

TEST(cpu_weights, what_the_system_refuses_does_not_compute)
{
    struct hy_cpu_weights slot = {.weights_arena = NULL};

    is_ready = false;
    EXPECT(hy_cpu_weights_kernel(&slot, &tiles, &many) == &vectors);
    acquire(&slot, packing_for("tiles"));
    EXPECT(hy_cpu_weights_kernel(&slot, &tiles, &many) == &vectors);
    hy_cpu_weights_finish(&slot);
}

/* Weights of a cache are all that there is. */
TEST(cpu_weights, weights_that_are_there_choose_the_kernel)
{
    struct hy_cpu_weights slot = {.weights_arena = NULL};

    is_ready = true;
    acquire(&slot, packing_for("tiles"));
    EXPECT(hy_cpu_weights_kernel(&slot, &tiles, &few) == &tiles);
    hy_cpu_weights_finish(&slot);
    acquire(&slot, packing_for("vectors"));
    EXPECT(hy_cpu_weights_kernel(&slot, &tiles, &many) == &vectors);
    hy_cpu_weights_finish(&slot);
}
