#include "samples.h"

#include "plugins/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t hy_wire_below(struct hy_wire_samples *samples, uint32_t limit)
{
    return hy_chance_below(&samples->chance, limit);
}

static uint64_t any(struct hy_wire_samples *samples)
{
    return hy_chance_next(&samples->chance);
}

static float any_float(struct hy_wire_samples *samples)
{
    return (float)hy_wire_below(samples, 1000) / 16.0f;
}

int32_t hy_wire_fd(struct hy_wire_samples *samples)
{
    return (int32_t)(1001 + hy_wire_below(samples, 1000000));
}

void *hy_wire_room(struct hy_wire_samples *samples, uint32_t count, size_t size)
{
    if (count == 0)
        return NULL;
    void *room = hy_arena_alloc(&samples->arena, count * size);
    if (!room) {
        fputs("samples: out of memory\n", stderr);
        abort();
    }
    return memset(room, 0, count * size);
}

const char *hy_wire_text(struct hy_wire_samples *samples)
{
    const uint32_t length = hy_wire_below(samples, 20);
    char *text = hy_wire_room(samples, length + 1, 1);

    for (uint32_t i = 0; i < length; i++)
        text[i] = (char)('a' + hy_wire_below(samples, 26));
    return text;
}

static int64_t any_deadline(struct hy_wire_samples *samples)
{
    return hy_wire_below(samples, 3) == 0 ? HY_NO_DEADLINE : (int64_t)(any(samples) >> 1);
}

static const int32_t *any_fds(struct hy_wire_samples *samples, uint32_t count)
{
    int32_t *fds = hy_wire_room(samples, count, sizeof *fds);

    for (uint32_t i = 0; i < count; i++)
        fds[i] = hy_wire_fd(samples);
    return fds;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static const struct hy_image *any_image(struct hy_wire_samples *samples)
{
    struct hy_image *image = hy_wire_room(samples, 1, sizeof *image);

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
    struct hy_pool *pools = hy_wire_room(samples, count, sizeof *pools);

    for (uint32_t i = 0; i < count; i++)
        pools[i] = hy_wire_pool(samples);
    return pools;
}

/* ---- Options --------------------------------------------------------------------------------- */

const struct hy_extension_prefix *hy_wire_prefixes(struct hy_wire_samples *samples, uint32_t count)
{
    struct hy_extension_prefix *prefixes = hy_wire_room(samples, count, sizeof *prefixes);

    for (uint32_t i = 0; i < count; i++)
        prefixes[i] = (struct hy_extension_prefix){.name = hy_wire_text(samples), .prefix = i + 1};
    return prefixes;
}

static const struct hy_hint *any_hints(struct hy_wire_samples *samples, uint32_t count)
{
    struct hy_hint *hints = hy_wire_room(samples, count, sizeof *hints);

    for (uint32_t i = 0; i < count; i++) {
        hints[i].token = (uint32_t)any(samples);
        hints[i].length = hy_wire_below(samples, 20);
        uint8_t *data = hy_wire_room(samples, hints[i].length, 1);
        for (uint32_t k = 0; k < hints[i].length; k++)
            data[k] = (uint8_t)any(samples);
        hints[i].data = data;
    }
    return hints;
}

struct hy_prepare_options hy_wire_prepare_options(struct hy_wire_samples *samples)
{
    struct hy_prepare_options options = {.struct_size = sizeof options,
                                         .preference = (int32_t)hy_wire_below(samples, 3),
                                         .priority = (int32_t)hy_wire_below(samples, 3),
                                         .hint_count = hy_wire_below(samples, 4),
                                         .deadline = any_deadline(samples),
                                         .model_cache_count = hy_wire_below(samples, 4),
                                         .data_cache_count = hy_wire_below(samples, 4),
                                         .extension_count = hy_wire_below(samples, 4)};

    options.hints = any_hints(samples, options.hint_count);
    options.model_cache = any_fds(samples, options.model_cache_count);
    options.data_cache = any_fds(samples, options.data_cache_count);
    options.extensions = hy_wire_prefixes(samples, options.extension_count);
    if (options.model_cache_count > 0) {
        uint8_t *token = hy_wire_room(samples, 1, HY_TOKEN_SIZE);
        for (uint32_t i = 0; i < HY_TOKEN_SIZE; i++)
            token[i] = (uint8_t)any(samples);
        options.token = token;
    }
    return options;
}

struct hy_run_options hy_wire_run_options(struct hy_wire_samples *samples)
{
    struct hy_run_options options = {.struct_size = sizeof options,
                                     .measure = hy_wire_below(samples, 2),
                                     .deadline = any_deadline(samples),
                                     .loop_timeout = any(samples),
                                     .duration = any(samples),
                                     .hint_count = hy_wire_below(samples, 3)};

    options.hints = any_hints(samples, options.hint_count);
    return options;
}

/* ---- Executions ------------------------------------------------------------------------------ */

static const struct hy_argument *any_arguments(struct hy_wire_samples *samples, uint32_t count,
                                               uint32_t pool_count)
{
    struct hy_argument *arguments = hy_wire_room(samples, count, sizeof *arguments);

    for (uint32_t i = 0; i < count; i++) {
        if (pool_count == 0) {
            arguments[i].flags = HY_ARGUMENT_NO_VALUE;
            continue;
        }
        const uint32_t rank = hy_wire_below(samples, HY_MAX_RANK + 1);
        uint32_t *dims = hy_wire_room(samples, rank, sizeof *dims);
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

struct hy_fences hy_wire_fences(struct hy_wire_samples *samples)
{
    struct hy_fences fences = {.wait_count = hy_wire_below(samples, 4)};

    fences.wait_for = any_fds(samples, fences.wait_count);
    fences.signal = hy_wire_fd(samples);
    return fences;
}

struct hy_result hy_wire_result(struct hy_wire_samples *samples, uint32_t output_count)
{
    struct hy_result result = {.struct_size = sizeof result,
                               .output_count = output_count,
                               .outputs =
                                   hy_wire_room(samples, output_count, sizeof *result.outputs),
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

struct hy_fenced_result hy_wire_fenced_result(struct hy_wire_samples *samples)
{
    return (struct hy_fenced_result){.struct_size = sizeof(struct hy_fenced_result),
                                     .status = (int32_t)hy_wire_below(samples, 10),
                                     .launched_on_device = any(samples),
                                     .launched_in_driver = any(samples),
                                     .fenced_on_device = any(samples),
                                     .fenced_in_driver = any(samples)};
}

/* ---- Devices --------------------------------------------------------------------------------- */

static struct hy_performance any_performance(struct hy_wire_samples *samples)
{
    return (struct hy_performance){.exec_time = any_float(samples),
                                   .power_usage = any_float(samples)};
}

static const struct hy_extension *any_extensions(struct hy_wire_samples *samples, uint32_t count)
{
    struct hy_extension *extensions = hy_wire_room(samples, count, sizeof *extensions);

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t types = hy_wire_below(samples, 5);
        struct hy_extension_operand_type *list = hy_wire_room(samples, types, sizeof *list);
        for (uint32_t k = 0; k < types; k++)
            list[k] = (struct hy_extension_operand_type){
                .code = (uint16_t)k, .is_tensor = (uint16_t)(k & 1), .byte_size = 1 + k};
        extensions[i] = (struct hy_extension){
            .name = hy_wire_text(samples), .operand_types = list, .operand_type_count = types};
    }
    return extensions;
}

static struct hy_capabilities any_capabilities(struct hy_wire_samples *samples)
{
    const uint32_t count = hy_wire_below(samples, 8);
    struct hy_operand_performance *operands = hy_wire_room(samples, count, sizeof *operands);

    for (uint32_t i = 0; i < count; i++)
        operands[i] = (struct hy_operand_performance){.type = (int32_t)i,
                                                      .performance = any_performance(samples)};
    return (struct hy_capabilities){.struct_size = sizeof(struct hy_capabilities),
                                    .operand_count = count,
                                    .operands = operands,
                                    .relaxed_scalar = any_performance(samples),
                                    .relaxed_tensor = any_performance(samples),
                                    .if_overhead = any_performance(samples),
                                    .while_overhead = any_performance(samples),
                                    .launch_ns = any(samples),
                                    .bytes_per_second = any(samples)};
}

struct hy_description hy_wire_description(struct hy_wire_samples *samples)
{
    const uint32_t count = hy_wire_below(samples, 4);
    const struct hy_device_info info = {.struct_size = sizeof info,
                                        .type = (int32_t)(1 + hy_wire_below(samples, 4)),
                                        .name = hy_wire_text(samples),
                                        .version = hy_wire_text(samples),
                                        .build_id = hy_wire_text(samples),
                                        .feature_level = 1 + hy_wire_below(samples, 8),
                                        .model_cache_files = hy_wire_below(samples, 33),
                                        .data_cache_files = hy_wire_below(samples, 33),
                                        .extension_count = count,
                                        .extensions = any_extensions(samples, count),
                                        .pool_kinds = hy_wire_below(samples, 64),
                                        .burst_depth = hy_wire_below(samples, 64)};

    return (struct hy_description){.info = info,
                                   .capabilities = any_capabilities(samples),
                                   .members = hy_wire_below(samples, HY_WIRE_HAS_ALL + 1)};
}

struct hy_opening hy_wire_opening(struct hy_wire_samples *samples)
{
    const uint32_t count = hy_wire_below(samples, 4);
    const char **files = hy_wire_room(samples, count, sizeof *files);

    for (uint32_t i = 0; i < count; i++)
        files[i] = hy_wire_text(samples);
    return (struct hy_opening){.library = hy_wire_text(samples),
                               .arguments = hy_wire_text(samples),
                               .device_files = files,
                               .device_file_count = count,
                               .manifest_kind = hy_wire_below(samples, 2),
                               .capabilities =
                                   hy_wire_below(samples, HY_MANIFEST_CAPABILITIES + 1)};
}

/* ---- The rest -------------------------------------------------------------------------------- */

struct hy_cache_update hy_wire_update(struct hy_wire_samples *samples)
{
    struct hy_cache_update update = {.update = any(samples),
                                     .model_count = hy_wire_below(samples, 5),
                                     .data_count = hy_wire_below(samples, 5)};

    update.model = any_fds(samples, update.model_count);
    update.data = any_fds(samples, update.data_count);
    return update;
}

struct hy_buffer_desc hy_wire_buffer_desc(struct hy_wire_samples *samples, const uint64_t **ids)
{
    struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                  .rank = hy_wire_below(samples, HY_MAX_RANK + 1),
                                  .prepared_count = 1 + hy_wire_below(samples, 4),
                                  .role_count = hy_wire_below(samples, 5)};
    uint32_t *dims = hy_wire_room(samples, desc.rank, sizeof *dims);
    uint64_t *names = hy_wire_room(samples, desc.prepared_count, sizeof *names);
    struct hy_buffer_role *roles = hy_wire_room(samples, desc.role_count, sizeof *roles);

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
