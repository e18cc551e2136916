/* Copies from and to memory of halyard-cpu. */
#include "tests/unit/cpu_fallback/kit/buffers_fixture.h"

#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/test.h"

static const float some[EXTENT * 2] = {1, -2, 3.5f, 0, 4, 5, 6, 7};

TEST(cpu_buffers_copies, what_was_written_is_read)
{
    struct workshop workshop;
    float seen[EXTENT] = {0};

    for (uint32_t form = 0; form < 2; form++) {
        workshop_open(&workshop, form ? EXTENT : 0);
        struct buffer buffer = buffer_of_all(&workshop);
        EXPECT_INT(buffer_read(&buffer, seen, EXTENT), HY_STATUS_GENERAL_FAILURE);
        EXPECT_INT(buffer_write(&buffer, some, EXTENT), HY_STATUS_OK);
        EXPECT_INT(buffer_read(&buffer, seen, EXTENT), HY_STATUS_OK);
        EXPECT(memcmp(seen, some, sizeof seen) == 0);
        EXPECT_INT(buffer_read(&buffer, seen, EXTENT - 1), HY_STATUS_INVALID_ARGUMENT);
        buffer_destroy(&buffer);
        workshop_close(&workshop);
    }
}

/* A copy from `bytes` of memory with these dimensions. */
static int32_t write_as(const struct buffer *buffer, uint64_t bytes, const uint32_t *dims,
                        uint32_t rank)
{
    const struct hy_pool pool = {.kind = HY_POOL_HOST,
                                 .protection = HY_PROTECT_READ,
                                 .fd = -1,
                                 .size = bytes,
                                 .address = (void *)some};
    return buffer->table->buffer_copy_from(buffer->buffer, &pool, dims, rank);
}

TEST(cpu_buffers_copies, sizes_and_shapes_of_sources_are_checked)
{
    static const uint32_t extent = EXTENT, more = EXTENT + 1, open = 0, two[] = {2, 2};
    static const uint32_t many[HY_MAX_RANK + 1];
    const uint64_t bytes = EXTENT * sizeof *some;
    struct workshop workshop;

    for (uint32_t form = 0; form < 2; form++) {
        const int32_t by_form = form ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT;
        workshop_open(&workshop, form ? EXTENT : 0);
        struct buffer buffer = buffer_of_all(&workshop);
        EXPECT_INT(write_as(&buffer, bytes, &extent, 1), HY_STATUS_OK);
        EXPECT_INT(write_as(&buffer, bytes, NULL, 0), by_form);
        EXPECT_INT(write_as(&buffer, bytes, &open, 1), by_form);
        EXPECT_INT(write_as(&buffer, bytes + 1, &extent, 1), HY_STATUS_INVALID_ARGUMENT);
        EXPECT_INT(write_as(&buffer, bytes - 1, &extent, 1), HY_STATUS_INVALID_ARGUMENT);
        EXPECT_INT(write_as(&buffer, 0, &extent, 1), HY_STATUS_INVALID_ARGUMENT);
        EXPECT_INT(write_as(&buffer, bytes, &more, 1), HY_STATUS_INVALID_ARGUMENT);
        EXPECT_INT(write_as(&buffer, bytes, two, 2), HY_STATUS_INVALID_ARGUMENT);
        EXPECT_INT(write_as(&buffer, bytes, NULL, 1), HY_STATUS_INVALID_ARGUMENT);
        EXPECT_INT(write_as(&buffer, bytes, many, HY_MAX_RANK + 1), HY_STATUS_INVALID_ARGUMENT);
        EXPECT(buffer_holds(&buffer, some, EXTENT)); /* what is refused changes nothing */
        buffer_destroy(&buffer);
        workshop_close(&workshop);
    }
}

TEST(cpu_buffers_copies, buffers_are_copied_to_one_another)
{
    struct workshop workshop;

    for (uint32_t form = 0; form < 2; form++) {
        workshop_open(&workshop, form ? EXTENT : 0);
        struct buffer from = buffer_of_all(&workshop), to = buffer_of_all(&workshop);
        EXPECT_INT(buffer_copy(&from, &to, EXTENT), HY_STATUS_GENERAL_FAILURE);
        EXPECT_INT(buffer_write(&from, some, EXTENT), HY_STATUS_OK);
        EXPECT_INT(buffer_copy(&from, &to, EXTENT), HY_STATUS_OK);
        EXPECT(buffer_holds(&to, some, EXTENT));
        EXPECT_INT(buffer_copy(&to, &to, EXTENT), HY_STATUS_OK);
        EXPECT(buffer_holds(&to, some, EXTENT));
        EXPECT_INT(buffer_copy(&from, &to, 0), HY_STATUS_OK); /* the shape of the source */
        EXPECT_INT(buffer_copy(&from, &to, EXTENT + 1), HY_STATUS_INVALID_ARGUMENT);
        EXPECT(buffer_holds(&to, some, EXTENT));
        buffer_destroy(&from);
        EXPECT_INT(buffer_copy(&from, &to, EXTENT), HY_STATUS_INVALID_ARGUMENT); /* gone */
        EXPECT(buffer_holds(&to, some, EXTENT));
        buffer_destroy(&to);
        workshop_close(&workshop);
    }
}

TEST(cpu_buffers_copies, copy_of_a_buffer_that_holds_nothing_leaves_nothing)
{
    struct workshop workshop;
    float seen[EXTENT];

    workshop_open(&workshop, EXTENT);
    struct buffer from = buffer_of_all(&workshop), to = buffer_of_all(&workshop);
    EXPECT_INT(buffer_write(&to, some, EXTENT), HY_STATUS_OK);
    EXPECT_INT(buffer_copy(&from, &to, EXTENT), HY_STATUS_GENERAL_FAILURE);
    EXPECT_INT(buffer_read(&to, seen, EXTENT), HY_STATUS_GENERAL_FAILURE);
    buffer_destroy(&from);
    buffer_destroy(&to);
    workshop_close(&workshop);
}

TEST(cpu_buffers_copies, open_buffer_grows_with_its_sources)
{
    struct workshop workshop;

    workshop_open(&workshop, 0);
    struct buffer small = buffer_of_all(&workshop), large = buffer_of_all(&workshop);
    EXPECT_INT(buffer_write(&small, some, 1), HY_STATUS_OK);
    EXPECT_INT(buffer_write(&large, some, EXTENT * 2), HY_STATUS_OK);
    EXPECT_INT(buffer_copy(&large, &small, EXTENT * 2), HY_STATUS_OK);
    EXPECT(buffer_holds(&small, some, EXTENT * 2));
    EXPECT_INT(buffer_write(&small, some + 2, 2), HY_STATUS_OK);
    EXPECT(buffer_holds(&small, some + 2, 2));
    EXPECT_INT(buffer_copy(&small, &large, 2), HY_STATUS_OK);
    EXPECT(buffer_holds(&large, some + 2, 2));
    buffer_destroy(&small);
    buffer_destroy(&large);
    workshop_close(&workshop);
}

TEST(cpu_buffers_copies, memory_that_cannot_be_mapped_fails_and_leaves_nothing)
{
    static const uint32_t extent = EXTENT;
    struct workshop workshop;
    float seen[EXTENT];

    workshop_open(&workshop, EXTENT);
    struct buffer buffer = buffer_of_all(&workshop);
    struct hy_pool pool = {.kind = HY_POOL_MMAP_FD, /* the test host maps none */
                           .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                           .fd = -1,
                           .size = EXTENT * sizeof *some};
    EXPECT_INT(buffer_write(&buffer, some, EXTENT), HY_STATUS_OK);
    EXPECT_INT(buffer.table->buffer_copy_to(buffer.buffer, &pool), HY_STATUS_GENERAL_FAILURE);
    EXPECT(buffer_holds(&buffer, some, EXTENT));
    EXPECT_INT(buffer.table->buffer_copy_from(buffer.buffer, &pool, &extent, 1),
               HY_STATUS_GENERAL_FAILURE);
    EXPECT_INT(buffer_read(&buffer, seen, EXTENT), HY_STATUS_GENERAL_FAILURE);
    buffer_destroy(&buffer);
    workshop_close(&workshop);
}

TEST(cpu_buffers_copies, protection_and_kind_of_memory_are_checked)
{
    static const uint32_t extent = EXTENT;
    struct workshop workshop;
    float values[EXTENT] = {0};

    workshop_open(&workshop, EXTENT);
    struct buffer buffer = buffer_of_all(&workshop);
    struct hy_pool pool = {.kind = HY_POOL_HOST,
                           .protection = HY_PROTECT_WRITE,
                           .fd = -1,
                           .size = sizeof values,
                           .address = values};
    EXPECT_INT(buffer_write(&buffer, some, EXTENT), HY_STATUS_OK);
    EXPECT_INT(buffer.table->buffer_copy_from(buffer.buffer, &pool, &extent, 1),
               HY_STATUS_INVALID_ARGUMENT);
    pool.protection = HY_PROTECT_READ;
    EXPECT_INT(buffer.table->buffer_copy_to(buffer.buffer, &pool), HY_STATUS_INVALID_ARGUMENT);
    pool.kind = 0;
    EXPECT_INT(buffer.table->buffer_copy_from(buffer.buffer, &pool, &extent, 1),
               HY_STATUS_INVALID_ARGUMENT);
    pool.kind = HY_POOL_BUFFER; /* never a destination */
    pool.buffer_token = buffer.token;
    EXPECT_INT(buffer.table->buffer_copy_to(buffer.buffer, &pool), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(buffer.table->buffer_copy_from(buffer.buffer, NULL, &extent, 1),
               HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(buffer.table->buffer_copy_to(buffer.buffer, NULL), HY_STATUS_INVALID_ARGUMENT);
    EXPECT(buffer_holds(&buffer, some, EXTENT));
    buffer_destroy(&buffer);
    workshop_close(&workshop);
}
