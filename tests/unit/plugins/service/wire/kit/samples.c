#include "samples.h"

#include "plugins/service/wire/options.h"
#include "plugins/service/wire/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t hy_wire_below(struct hy_wire_samples *samples, uint32_t limit)
{
    return hy_random_below(&samples->chance, limit);
}

static uint64_t any(struct hy_wire_samples *samples)
{
    return hy_random_next(&samples->chance);
}

int32_t hy_wire_fd(struct hy_wire_samples *samples)
{
    return (int32_t)(1001 + hy_wire_below(samples, 1000000));
}

void *hy_wire_alloc(struct hy_wire_samples *samples, uint32_t count, size_t size)
{
    if (count == 0)
        return NULL;
    void *space = hy_arena_alloc(&samples->arena, count * size);
    if (!space) {
        fputs("samples: out of memory\n", stderr);
        abort();
    }
    return memset(space, 0, count * size);
}

const char *hy_wire_text(struct hy_wire_samples *samples)
{
    const uint32_t length = hy_wire_below(samples, 20);
    char *text = hy_wire_alloc(samples, length + 1, 1);

    for (uint32_t i = 0; i < length; i++)
        text[i] = (char)('a' + hy_wire_below(samples, 26));
    return text;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static const struct hy_image *any_image(struct hy_wire_samples *samples)
{
    struct hy_image *image = hy_wire_alloc(samples, 1, sizeof *image);

    *image = (struct hy_image){.width = hy_wire_below(samples, 100),
                               .height = hy_wire_below(samples, 100),
                               .layers = 1,
                               .format = hy_wire_below(samples, 60),
                               .stride = hy_wire_below(samples, 200),
                               .usage = any(samples)};
    return image;
}

static struct hy_pool whole_pool(struct hy_wire_samples *samples, uint32_t kind)
{
    struct hy_pool pool = {.kind = kind,
                           .protection = hy_wire_below(samples, 4),
                           .fd = hy_wire_fd(samples),
                           .offset = (uint64_t)hy_wire_below(samples, 1000) << 12,
                           .size = any(samples) >> 8};

    if (kind == HY_POOL_HARDWARE_BUFFER)
        pool.image = any_image(samples);
    return pool;
}

struct hy_pool hy_wire_memory(struct hy_wire_samples *samples)
{
    struct hy_pool pool = whole_pool(samples, HY_POOL_ASHMEM + hy_wire_below(samples, 4));

    pool.id = 1 + (any(samples) >> 1);
    return pool;
}

struct hy_pool hy_wire_pool(struct hy_wire_samples *samples)
{
    const uint32_t kind = HY_POOL_ASHMEM + hy_wire_below(samples, 5);

    if (kind == HY_POOL_BUFFER)
        return (struct hy_pool){
            .kind = kind, .fd = -1, .buffer_token = 1 + hy_wire_below(samples, 1000)};
    if (hy_wire_below(samples, 2) == 0)
        return (struct hy_pool){.kind = kind, .fd = -1, .id = 1 + (any(samples) >> 1)};
    return whole_pool(samples, kind);
}

static const struct hy_pool *any_pools(struct hy_wire_samples *samples, uint32_t count)
{
    struct hy_pool *pools = hy_wire_alloc(samples, count, sizeof *pools);

    for (uint32_t i = 0; i < count; i++)
        pools[i] = hy_wire_pool(samples);
    return pools;
}

/* ---- Structs by their rows ------------------------------------------------------------------- */

const struct hy_extension_prefix *hy_wire_prefixes(struct hy_wire_samples *samples, uint32_t count)
{
    struct hy_extension_prefix *prefixes = hy_wire_alloc(samples, count, sizeof *prefixes);

    for (uint32_t i = 0; i < count; i++)
        prefixes[i] = (struct hy_extension_prefix){.name = hy_wire_text(samples), .prefix = i + 1};
    return prefixes;
}

#define RANDOM(name) \
    struct hy_##name hy_wire_##name(struct hy_wire_samples *samples) \
    { \
        struct hy_##name value = {0}; \
        hy_wire_random(samples, hy_##name##_fields, &value); \
        return value; \
    }
RANDOM(description)
RANDOM(prepare_options)
RANDOM(run_options)
RANDOM(fenced_result)

/* ---- Executions ------------------------------------------------------------------------------ */

static const struct hy_argument *any_arguments(struct hy_wire_samples *samples, uint32_t count,
                                               uint32_t pool_count)
{
    struct hy_argument *arguments = hy_wire_alloc(samples, count, sizeof *arguments);

    for (uint32_t i = 0; i < count; i++) {
        if (pool_count == 0) {
            arguments[i].flags = HY_ARGUMENT_NO_VALUE;
            continue;
        }
        const uint32_t rank = hy_wire_below(samples, HY_MAX_RANK + 1);
        uint32_t *dims = hy_wire_alloc(samples, rank, sizeof *dims);
        for (uint32_t k = 0; k < rank; k++)
            dims[k] = hy_wire_below(samples, 100);
        arguments[i].rank = rank;
        arguments[i].dims = dims;
        arguments[i].location = (struct hy_location){.pool = hy_wire_below(samples, pool_count),
                                                     .padding = hy_wire_below(samples, 64),
                                                     .offset = any(samples) >> 1,
                                                     .length = any(samples) >> 1};
    }
    return arguments;
}

struct hy_request hy_wire_request(struct hy_wire_samples *samples)
{
    struct hy_request request = {.struct_size = sizeof request,
                                 .input_count = hy_wire_below(samples, 5),
                                 .output_count = hy_wire_below(samples, 4),
                                 .pool_count = hy_wire_below(samples, 5)};

    request.inputs = any_arguments(samples, request.input_count, request.pool_count);
    request.outputs = any_arguments(samples, request.output_count, request.pool_count);
    request.pools = any_pools(samples, request.pool_count);
    return request;
}

struct hy_result hy_wire_result(struct hy_wire_samples *samples, uint32_t output_count)
{
    struct hy_result result = {.struct_size = sizeof result,
                               .output_count = output_count,
                               .outputs =
                                   hy_wire_alloc(samples, output_count, sizeof *result.outputs),
                               .time_on_device = any(samples),
                               .time_in_driver = any(samples)};

    for (uint32_t i = 0; i < output_count; i++) {
        result.outputs[i].rank = hy_wire_below(samples, HY_MAX_RANK + 1);
        result.outputs[i].sufficient = hy_wire_below(samples, 2);
        for (uint32_t k = 0; k < result.outputs[i].rank; k++)
            result.outputs[i].dims[k] = hy_wire_below(samples, 1000);
    }
    return result;
}

/* ---- Memory of drivers -------------------------------------------------------------------- */

struct hy_buffer_desc hy_wire_buffer_desc(struct hy_wire_samples *samples, const uint64_t **ids)
{
    struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                  .rank = hy_wire_below(samples, HY_MAX_RANK + 1),
                                  .prepared_count = 1 + hy_wire_below(samples, 4),
                                  .role_count = hy_wire_below(samples, 5)};
    uint32_t *dims = hy_wire_alloc(samples, desc.rank, sizeof *dims);
    uint64_t *names = hy_wire_alloc(samples, desc.prepared_count, sizeof *names);
    struct hy_buffer_role *roles = hy_wire_alloc(samples, desc.role_count, sizeof *roles);

    for (uint32_t i = 0; i < desc.rank; i++)
        dims[i] = hy_wire_below(samples, 100);
    for (uint32_t i = 0; i < desc.prepared_count; i++)
        names[i] = 1000 + i;
    for (uint32_t i = 0; i < desc.role_count; i++)
        roles[i] = (struct hy_buffer_role){.prepared = hy_wire_below(samples, desc.prepared_count),
                                           .is_output = hy_wire_below(samples, 2),
                                           .index = hy_wire_below(samples, 10),
                                           .frequency = 0.5f};
    desc.dims = dims;
    desc.roles = roles;
    *ids = names;
    return desc;
}
