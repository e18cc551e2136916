#include "buffers_fixture.h"

#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>

/* ---- Models ---------------------------------------------------------------------------------- */

static void build(struct hy_builder *builder, uint32_t extent)
{
    const struct hy_builder_type type = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {extent}};
    static const int32_t operations[] = {ANEURALNETWORKS_ADD, ANEURALNETWORKS_MUL};

    hy_builder_init(builder);
    const uint32_t a = hy_builder_input(builder, &type), b = hy_builder_input(builder, &type);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t none = hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE);
        const uint32_t inputs[] = {a, b, none}, output = hy_builder_output(builder, &type);
        hy_builder_operation(builder, operations[i], 3, inputs, 1, &output);
    }
}

void workshop_open(struct workshop *workshop, uint32_t extent)
{
    build(&workshop->builder, extent);
    EXPECT_INT(hy_runner_open(&workshop->runner, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&workshop->runner, hy_builder_model(&workshop->builder)),
               HY_STATUS_OK);
}

void workshop_close(struct workshop *workshop)
{
    hy_runner_close(&workshop->runner);
    hy_builder_finish(&workshop->builder);
}

void *workshop_prepare(struct workshop *workshop)
{
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .deadline = HY_NO_DEADLINE};
    void *prepared = NULL;

    EXPECT_INT(workshop->runner.table->prepare(workshop->runner.device,
                                               hy_builder_model(&workshop->builder), &options,
                                               &prepared),
               HY_STATUS_OK);
    return prepared;
}

/* ---- Buffers --------------------------------------------------------------------------------- */

int32_t buffer_make(struct workshop *workshop, void *prepared, const struct hy_buffer_role *roles,
                    uint32_t role_count, uint32_t rank, const uint32_t *dims, struct buffer *ret)
{
    const struct hy_device *table = workshop->runner.table;
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .rank = rank,
                                        .dims = dims,
                                        .prepared = &prepared,
                                        .roles = roles,
                                        .prepared_count = 1,
                                        .role_count = role_count};

    *ret = (struct buffer){.table = table};
    return table->buffer_create(workshop->runner.device, &desc, &ret->token, &ret->buffer);
}

struct buffer buffer_of_all(struct workshop *workshop)
{
    const struct hy_buffer_role roles[] = {{0, 0, 0, 1}, {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 1, 1, 1}};
    struct buffer buffer;

    EXPECT_INT(buffer_make(workshop, workshop->runner.prepared, roles, 4, 0, NULL, &buffer),
               HY_STATUS_OK);
    EXPECT(buffer.token > 0 && buffer.buffer);
    return buffer;
}

void buffer_destroy(struct buffer *buffer)
{
    if (buffer->buffer)
        buffer->table->buffer_destroy(buffer->buffer);
    buffer->buffer = NULL;
}

static struct hy_pool pool_of(const void *values, uint32_t count)
{
    return (struct hy_pool){.kind = HY_POOL_HOST,
                            .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                            .fd = -1,
                            .size = count * sizeof(float),
                            .address = (void *)values};
}

int32_t buffer_write(const struct buffer *buffer, const float *values, uint32_t count)
{
    const struct hy_pool pool = pool_of(values, count);

    return buffer->table->buffer_copy_from(buffer->buffer, &pool, &count, 1);
}

int32_t buffer_read(const struct buffer *buffer, float *values, uint32_t count)
{
    const struct hy_pool pool = pool_of(values, count);

    return buffer->table->buffer_copy_to(buffer->buffer, &pool);
}

int32_t buffer_copy(const struct buffer *from, const struct buffer *to, uint32_t extent)
{
    const struct hy_pool pool = {.kind = HY_POOL_BUFFER,
                                 .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                 .fd = -1,
                                 .buffer_token = from->token};

    return to->table->buffer_copy_from(to->buffer, &pool, extent ? &extent : NULL, extent > 0);
}

bool buffer_holds(const struct buffer *buffer, const float *values, uint32_t count)
{
    float held[EXTENT * 4];

    return count <= EXTENT * 4 && buffer_read(buffer, held, count) == HY_STATUS_OK &&
           memcmp(held, values, count * sizeof *values) == 0;
}

/* ---- Requests -------------------------------------------------------------------------------- */

void workshop_request(struct workshop *workshop, struct plain *plain, uint32_t extent)
{
    plain->dims[0] = extent;
    hy_runner_clear(&workshop->runner);
    for (uint32_t i = 0; i < 2; i++) {
        hy_runner_input(&workshop->runner, plain->in[i], extent * sizeof(float), 1, plain->dims);
        hy_runner_output(&workshop->runner, plain->out[i], extent * sizeof(float), 0, NULL);
    }
}

struct hy_argument *workshop_argument(struct workshop *workshop, bool is_output, uint32_t index)
{
    return &workshop->runner.arguments[(is_output ? HY_RUNNER_ARGUMENTS : 0) + index];
}

void workshop_use(struct workshop *workshop, bool is_output, uint32_t index, uint32_t token)
{
    const uint32_t slot = (is_output ? HY_RUNNER_ARGUMENTS : 0) + index;

    workshop->runner.pools[slot] =
        (struct hy_pool){.kind = HY_POOL_BUFFER,
                         .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                         .fd = -1,
                         .buffer_token = token};
    workshop->runner.arguments[slot] = (struct hy_argument){.location = {.pool = slot}};
}
