#include "buffer_fixture.h"

#include "tests/kit/test.h"

static const float ones[COUNT] = {1, 2, 3, 4, 5};

/* ---- Buffers --------------------------------------------------------------------------------- */

const struct hy_buffer_role all_roles[4] = {
    {0, 0, 0, 1}, {0, 0, 1, 1}, {0, 1, 0, .5f}, {0, 1, 1, .5f}};

struct hy_buffer_desc buffer_desc(struct fixture *fixture, const struct hy_buffer_role *roles,
                                  uint32_t count)
{
    return (struct hy_buffer_desc){.struct_size = sizeof(struct hy_buffer_desc),
                                   .prepared = &fixture->runner.prepared,
                                   .prepared_count = 1,
                                   .roles = roles,
                                   .role_count = count};
}

int32_t buffer_create(struct fixture *fixture, const struct hy_buffer_desc *desc,
                      struct buffer *ret)
{
    const struct hy_device *table = fixture->runner.table;
    *ret = (struct buffer){.table = table};
    return table->buffer_create(fixture->runner.device, desc, &ret->token, &ret->self);
}

void buffer_destroy(struct buffer *buffer)
{
    if (buffer->self)
        buffer->table->buffer_destroy(buffer->self);
    *buffer = (struct buffer){0};
}

struct hy_pool host_pool(void *bytes, uint64_t size)
{
    return (struct hy_pool){.kind = HY_POOL_HOST,
                            .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                            .fd = -1,
                            .size = size,
                            .address = bytes};
}

static struct hy_pool buffer_pool(uint32_t token)
{
    return (struct hy_pool){.kind = HY_POOL_BUFFER,
                            .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                            .fd = -1,
                            .buffer_token = token};
}

int32_t buffer_write(const struct buffer *buffer, const float *values)
{
    const struct hy_pool pool = host_pool((void *)values, COUNT * sizeof *values);
    return buffer->table->buffer_copy_from(buffer->self, &pool, NULL, 0);
}

int32_t buffer_read(const struct buffer *buffer, float *values)
{
    const struct hy_pool pool = host_pool(values, COUNT * sizeof *values);
    return buffer->table->buffer_copy_to(buffer->self, &pool);
}

int32_t buffer_copy(const struct buffer *to, uint32_t from)
{
    const struct hy_pool pool = buffer_pool(from);
    return to->table->buffer_copy_from(to->self, &pool, NULL, 0);
}

bool buffer_holds(const struct buffer *buffer, const float *values)
{
    float read[COUNT];
    return buffer_read(buffer, read) == HY_STATUS_OK && memcmp(read, values, sizeof read) == 0;
}

bool buffer_holds_nothing(const struct buffer *buffer)
{
    float read[COUNT];
    return buffer_read(buffer, read) == HY_STATUS_GENERAL_FAILURE;
}

/* ---- The scene ------------------------------------------------------------------------------- */

static void build(struct hy_builder *builder)
{
    const struct hy_builder_type row = {.type = F32, .rank = 1, .dims = {COUNT}};
    const uint32_t inputs[] = {hy_builder_input(builder, &row), hy_builder_input(builder, &row),
                               hy_builder_int(builder, 0)};
    const uint32_t sum = hy_builder_output(builder, &row);
    const uint32_t product = hy_builder_output(builder, &row);
    hy_builder_operation(builder, ANEURALNETWORKS_ADD, 3, inputs, 1, &sum);
    hy_builder_operation(builder, ANEURALNETWORKS_MUL, 3, inputs, 1, &product);
}

void fixture_reset(struct fixture *fixture)
{
    hy_runner_clear(&fixture->runner);
    for (uint32_t i = 0; i < 2; i++) {
        memcpy(fixture->in[i], ones, sizeof ones);
        hy_runner_input(&fixture->runner, fixture->in[i], sizeof ones, 0, NULL);
        hy_runner_output(&fixture->runner, fixture->out[i], sizeof ones, 0, NULL);
    }
}

bool fixture_open(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    hy_builder_init(&fixture->builder);
    build(&fixture->builder);
    if (!xnnpack_open(&fixture->runner))
        return false;
    const int32_t status = hy_runner_prepare(&fixture->runner, hy_builder_model(&fixture->builder));
    EXPECT_INT(status, HY_STATUS_OK);
    if (status != HY_STATUS_OK)
        return false;
    const struct hy_buffer_desc desc = buffer_desc(fixture, all_roles, 4);
    EXPECT_INT(buffer_create(fixture, &desc, &fixture->a), HY_STATUS_OK);
    EXPECT_INT(buffer_create(fixture, &desc, &fixture->b), HY_STATUS_OK);
    fixture_reset(fixture);
    return fixture->a.self && fixture->b.self;
}

void fixture_close(struct fixture *fixture)
{
    buffer_destroy(&fixture->a);
    buffer_destroy(&fixture->b);
    hy_runner_close(&fixture->runner);
    hy_builder_finish(&fixture->builder);
}

static uint32_t slot_of(bool is_output, uint32_t index)
{
    return is_output ? HY_RUNNER_ARGUMENTS + index : index;
}

struct hy_argument *fixture_argument(struct fixture *fixture, bool is_output, uint32_t index)
{
    return &fixture->runner.arguments[slot_of(is_output, index)];
}

void fixture_use(struct fixture *fixture, bool is_output, uint32_t index, uint32_t token)
{
    const uint32_t slot = slot_of(is_output, index);
    fixture->runner.pools[slot] = buffer_pool(token);
    fixture->runner.arguments[slot] = (struct hy_argument){.location.pool = slot};
}
