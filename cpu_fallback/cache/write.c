#include "cpu_fallback/cache/write.h"

#include <string.h>

#include "common/model/model_view.h"
#include "common/model/subgraph_codec.h"
#include "cpu_fallback/cache/cache_layout.h"
#include "cpu_fallback/cache/format.h"
#include "cpu_fallback/kernels/types.h"

/* A piece of the data cache and its source. */
struct piece {
    const void *from;
    uint64_t offset, length;
};

struct writing {
    struct hy_cpu_byte_buffer model;  /* header and records */
    struct hy_cpu_byte_buffer values; /* the small values, which follow the records */
    struct hy_cpu_byte_buffer pieces; /* pieces of the data cache, in order */
    uint64_t data_length;
    uint32_t subgraph_count;
    const struct hy_cpu_prepared *prepared; /* current subgraph */
    struct hy_arena memory;
};

static_assert(sizeof(struct piece) % HY_CPU_CACHE_ALIGN == 0, "pieces are an array");

/* Adds a piece and returns its offset in the data cache. */
static uint64_t add_piece(struct writing *writing, const void *from, uint64_t length)
{
    const uint64_t mask = HY_KERNEL_ALIGNMENT - 1;
    const struct piece piece = {from, (writing->data_length + mask) & ~mask, length};

    hy_cpu_byte_buffer_put(&writing->pieces, &piece, sizeof piece);
    writing->data_length = piece.offset + length; /* cannot overflow: all of it is in memory */
    return piece.offset;
}

static uint64_t add_value(struct writing *writing, const void *from, uint64_t length)
{
    const uint64_t offset = writing->values.length;

    hy_cpu_byte_buffer_put(&writing->values, from, length);
    return offset;
}

/* ---- Operands -------------------------------------------------------------------------------- */

/* Stores the value of an operand according to `place`. */
static void set_storage(struct writing *writing, uint32_t index, uint32_t storage,
                        struct hy_operand *view)
{
    const struct hy_cpu_graph *graph = &writing->prepared->program.graph;
    const struct hy_value *value = &graph->values[index];
    struct hy_location *at = &view->location;

    at->pool = storage;
    switch (storage) {
    case HY_CPU_STORED_NONE:
        if (hy_lifetime_is_constant(view->lifetime))
            view->lifetime = HY_LIFETIME_NO_VALUE; /* unread values are not stored */
        return;
    case HY_CPU_STORED_BODY:
        at->offset = graph->operands[index].body;
        return;
    case HY_CPU_STORED_VALUES:
        at->length = hy_cpu_value_bytes(value);
        at->offset = add_value(writing, value->data, at->length);
        return;
    case HY_CPU_STORED_DATA:
        at->length = hy_cpu_value_bytes(value);
        at->offset = add_piece(writing, value->data, at->length);
        return;
    default:
        at->length = hy_cpu_value_bytes(value);
    }
}

static void set_operand(struct writing *writing, uint32_t index, uint32_t storage,
                        struct hy_operand *view)
{
    const struct hy_cpu_graph *graph = &writing->prepared->program.graph;
    const struct hy_value *value = &graph->values[index];
    const bool has_scales = value->channel_scales && storage != HY_CPU_STORED_PACKED;

    *view = (struct hy_operand){
        .type = value->type,
        .lifetime = graph->operands[index].lifetime,
        .rank = value->shape.rank,
        .dims = value->shape.dims,
        .channel_dim = value->channel_dim,
        .channel_count = has_scales ? value->channel_count : 0,
        .channel_scales = value->channel_scales,
        .scale = value->scale,
        .zero_point = value->zero_point,
    };
    set_storage(writing, index, storage, view);
}

static struct hy_operand *make_operands(struct writing *writing)
{
    const struct hy_cpu_graph *graph = &writing->prepared->program.graph;
    struct hy_operand *operands =
        hy_arena_alloc(&writing->memory, graph->operand_count * sizeof *operands);
    const uint8_t *storage_kinds = hy_cpu_cache_layout(writing->prepared, &writing->memory);

    if (!operands || !storage_kinds)
        return NULL;
    for (uint32_t i = 0; i < graph->operand_count; i++)
        set_operand(writing, i, storage_kinds[i], &operands[i]);
    return operands;
}

/* ---- Operations ------------------------------------------------------------------------------ */

static struct hy_operation *make_operations(struct writing *writing)
{
    const struct hy_cpu_graph *graph = &writing->prepared->program.graph;
    struct hy_operation *operations =
        hy_arena_alloc(&writing->memory, graph->operation_count * sizeof *operations);

    for (uint32_t i = 0; operations && i < graph->operation_count; i++) {
        const struct hy_cpu_operation *operation = &graph->operations[i];
        operations[i] = (struct hy_operation){
            .type = operation->type,
            .input_count = operation->input_count,
            .output_count = operation->output_count,
            .inputs = operation->inputs,
            .outputs = operation->outputs,
        };
    }
    return operations;
}

/* Appends the record of an operation. */
static void put_operation(struct writing *writing, uint32_t index)
{
    const struct hy_cpu_program *program = &writing->prepared->program;
    const struct hy_cpu_packed *packed = hy_cpu_weights_peek(&program->weights[index]);
    const bool is_dropped = program->graph.operations[index].is_dropped;
    struct hy_cpu_cache_operation record = {.flags = is_dropped ? HY_CPU_OPERATION_DROPPED : 0};

    static_assert(sizeof record.weights_kernel == sizeof packed->kernel, "names fit");
    if (packed && !is_dropped) {
        record.flags |= HY_CPU_OPERATION_PACKED;
        record.flags |= packed->reads_filter ? HY_CPU_OPERATION_FILTER : 0;
        record.weights_length = packed->length;
        record.weights_offset = add_piece(writing, packed->bytes, packed->length);
        record.weights_layout = packed->layout;
        memcpy(record.weights_kernel, packed->kernel, sizeof packed->kernel);
    }
    hy_cpu_byte_buffer_put(&writing->model, &record, sizeof record);
}

/* ---- Subgraphs ------------------------------------------------------------------------------- */

static void *capacity(void *to, size_t count, size_t size)
{
    return hy_cpu_byte_buffer_extend(to, count, size);
}

static void put_subgraph(struct writing *writing, const struct hy_cpu_prepared *prepared,
                         uint32_t index)
{
    const struct hy_cpu_graph *graph = &prepared->program.graph;
    const struct hy_piece_sink sink = {.capacity = capacity, .to = &writing->model};
    const struct hy_cpu_cache_subgraph record = {
        .index = index,
        .folded_count = prepared->program.folded,
        .dropped_count = prepared->program.dropped,
    };

    writing->prepared = prepared;
    writing->subgraph_count++;
    const struct hy_subgraph view = {
        .struct_size = sizeof view,
        .operand_count = graph->operand_count,
        .operation_count = graph->operation_count,
        .input_count = graph->input_count,
        .output_count = graph->output_count,
        .operands = make_operands(writing),
        .operations = make_operations(writing),
        .inputs = graph->inputs,
        .outputs = graph->outputs,
    };
    hy_cpu_byte_buffer_put(&writing->model, &record, sizeof record);
    if (!view.operands || !view.operations || hy_subgraph_encode(&view, &sink, NULL) != HY_OK)
        writing->model.has_failed = true;
    for (uint32_t i = 0; i < graph->operation_count; i++)
        put_operation(writing, i);
}

/* ---- How work is cut ------------------------------------------------------------------------- */

static void add_blockings(const struct hy_cpu_prepared *prepared, uint32_t index,
                          struct hy_cpu_byte_buffer *blockings)
{
    const struct hy_cpu_plan *plan =
        prepared->declared ? hy_cpu_plan_newest(prepared->declared) : NULL;

    for (uint32_t i = 0; plan && i < plan->step_count; i++) {
        const struct hy_cpu_plan_step *step = &plan->steps[i];
        if (step->is_dynamic || step->is_empty || !step->step.blockings)
            continue;
        const struct hy_cpu_cache_blocking blocking = {.subgraph = index,
                                                       .operation = step->operation,
                                                       .block = step->step.blockings->selected};
        hy_cpu_byte_buffer_put(blockings, &blocking, sizeof blocking);
    }
}

static void put_tuned(struct writing *writing, const struct hy_cpu_prepared *prepared)
{
    struct hy_cpu_byte_buffer blockings = {.host = prepared->program.host};

    add_blockings(prepared, HY_CPU_CACHE_MAIN, &blockings);
    for (uint32_t i = 0; i < prepared->body_count; i++) {
        if (prepared->bodies[i])
            add_blockings(prepared->bodies[i], i, &blockings);
    }
    const struct hy_cpu_cache_tuned record = {
        .version = HY_CPU_TUNED_VERSION,
        .l2_bytes = prepared->program.l2_bytes,
        .blocking_count = (uint32_t)(blockings.length / sizeof(struct hy_cpu_cache_blocking)),
    };
    hy_cpu_byte_buffer_put(&writing->model, &record, sizeof record);
    hy_cpu_byte_buffer_put(&writing->model, blockings.capacity.bytes, blockings.length);
    writing->model.has_failed |= blockings.has_failed;
    hy_cpu_byte_buffer_finish(&blockings);
}

/* ---- The files ------------------------------------------------------------------------------- */

/* Appends the values and the blocking, and fills in the header. */
static void finish_model(struct writing *writing, const struct hy_cpu_prepared *prepared,
                         const char *identity, bool is_tuned)
{
    struct hy_cpu_cache_header header = {
        .magic = HY_CPU_CACHE_MAGIC,
        .version = HY_CPU_CACHE_VERSION,
        .data_length = writing->data_length,
        .values_offset = writing->model.length,
        .values_length = writing->values.length,
        .subgraph_count = writing->subgraph_count,
        .referenced_count = prepared->body_count,
    };

    strncpy(header.identity, identity, sizeof header.identity - 1);
    hy_cpu_byte_buffer_put(&writing->model, writing->values.capacity.bytes, writing->values.length);
    header.tuned_offset = writing->model.length;
    if (is_tuned)
        put_tuned(writing, prepared);
    header.length = writing->model.length;
    header.tuned_length = header.length - header.tuned_offset;
    if (!writing->model.has_failed)
        memcpy(writing->model.capacity.bytes, &header, sizeof header);
}

static bool make_data(const struct hy_host *host, const struct writing *writing,
                      struct hy_cpu_block *data)
{
    const struct piece *pieces = (const struct piece *)writing->pieces.capacity.bytes;
    const size_t count = writing->pieces.length / sizeof *pieces;
    uint64_t end = 0;

    if (!hy_cpu_block_reserve(host, data, writing->data_length))
        return false;
    for (size_t i = 0; i < count; i++) {
        uint8_t *bytes = data->bytes;
        memset(bytes + end, 0, pieces[i].offset - end);
        memcpy(bytes + pieces[i].offset, pieces[i].from, pieces[i].length);
        end = pieces[i].offset + pieces[i].length;
    }
    return true;
}

enum hy_code hy_cpu_cache_write(const struct hy_cpu_prepared *prepared, const char *identity,
                                bool is_tuned, struct hy_cpu_cache_files *files,
                                struct hy_error *err)
{
    const struct hy_cpu_cache_header empty = {0};
    const struct hy_host *host = prepared->program.host;
    struct writing writing = {
        .model = {.host = host},
        .values = {.host = host},
        .pieces = {.host = host},
        .memory = hy_cpu_arena(host),
    };

    hy_cpu_byte_buffer_put(&writing.model, &empty, sizeof empty);
    put_subgraph(&writing, prepared, HY_CPU_CACHE_MAIN);
    for (uint32_t i = 0; i < prepared->body_count; i++) {
        if (prepared->bodies[i])
            put_subgraph(&writing, prepared->bodies[i], i);
    }
    finish_model(&writing, prepared, identity, is_tuned);
    const bool is_whole = !writing.model.has_failed && !writing.values.has_failed &&
                          !writing.pieces.has_failed && make_data(host, &writing, &files->data);
    files->model = writing.model;
    files->data_length = writing.data_length;
    hy_cpu_byte_buffer_finish(&writing.values);
    hy_cpu_byte_buffer_finish(&writing.pieces);
    hy_arena_finish(&writing.memory);
    return is_whole ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the cache files");
}

void hy_cpu_cache_files_finish(struct hy_cpu_cache_files *files)
{
    hy_cpu_byte_buffer_finish(&files->model);
    hy_cpu_block_finish(&files->data);
    *files = (struct hy_cpu_cache_files){0};
}
