#include "cpu_fallback/program/fuse.h"

#include <android/NeuralNetworksTypes.h>
#include <string.h>

#include "common/inference/infer_conv.h"
#include "common/inference/infer_pad.h"
#include "common/operations/operand_type.h"
#include "common/operations/operation.h"

#define NOBODY UINT32_MAX

struct fusing {
    struct hy_cpu_program *program;
    struct hy_cpu_graph *graph;
    uint32_t *writer;  /* per operand: the operation that writes it, or NOBODY */
    uint32_t *readers; /* per operand: number of operation inputs that read it */
    bool has_failed;   /* out of memory */
};

/* ---- Changing the graph ---------------------------------------------------------------------- */

static const uint32_t *copy_indices(struct fusing *fusing, const uint32_t *from, size_t count)
{
    const uint32_t *copy = hy_arena_copy(&fusing->graph->memory, from, count, sizeof *from);

    fusing->has_failed |= !copy;
    return copy;
}

/* Adds a constant. The result is not used after a failure. */
static uint32_t add_int(struct fusing *fusing, int32_t value)
{
    const uint32_t index = hy_cpu_graph_add_int(fusing->graph, value);

    fusing->has_failed |= index == HY_CPU_NO_OPERAND;
    return index;
}

/* ---- Convolutions ---------------------------------------------------------------------------- */

typedef enum hy_code read_conv(const struct hy_call *call, struct hy_conv_2d *conv,
                               struct hy_error *err);

static read_conv *conv_reader(int32_t type)
{
    switch (type) {
    case HY_OP_CONV_2D:
        return hy_conv_2d_read;
    case HY_OP_DEPTHWISE_CONV_2D:
        return hy_depthwise_conv_2d_read;
    case HY_OP_GROUPED_CONV_2D:
        return hy_grouped_conv_2d_read;
    default:
        return NULL;
    }
}

/* True if the convolution has a padding scheme: a single operand instead of four explicit pads. */
static bool has_scheme(const struct hy_cpu_graph *graph, const struct hy_cpu_operation *conv)
{
    const uint32_t layout = conv->type == HY_OP_CONV_2D ? 7 : 8;

    return conv->input_count <= layout ||
           graph->values[conv->inputs[layout]].type == ANEURALNETWORKS_BOOL;
}

/* ---- Activations ----------------------------------------------------------------------------- */

/* The index of the input with the fused activation; NOBODY: none. */
static uint32_t activation_input(const struct hy_cpu_graph *graph,
                                 const struct hy_cpu_operation *operation)
{
    switch (operation->type) {
    case HY_OP_ADD:
    case HY_OP_DIV:
    case HY_OP_MUL:
    case HY_OP_SUB:
        return 2;
    case HY_OP_FULLY_CONNECTED:
        return 3;
    case HY_OP_CONV_2D:
        return has_scheme(graph, operation) ? 6 : 9;
    case HY_OP_DEPTHWISE_CONV_2D:
    case HY_OP_GROUPED_CONV_2D:
        return has_scheme(graph, operation) ? 7 : 10;
    case HY_OP_AVERAGE_POOL_2D:
    case HY_OP_L2_POOL_2D:
    case HY_OP_MAX_POOL_2D:
        return operation->input_count < 10 ? 6 : 9;
    default:
        return NOBODY;
    }
}

static bool is_same_kind(const struct hy_value *a, const struct hy_value *b)
{
    return a->type == b->type && a->scale == b->scale && a->zero_point == b->zero_point &&
           a->known && b->known && hy_shape_equal(&a->shape, &b->shape);
}

static bool ends_plainly(const struct hy_cpu_graph *graph, const struct hy_cpu_operation *operation)
{
    const struct hy_call call =
        hy_cpu_graph_call(graph, (uint32_t)(operation - graph->operations), graph->values);
    const uint32_t input = activation_input(graph, operation);
    struct hy_error ignored;
    int32_t activation;

    return input < operation->input_count &&
           hy_call_activation(&call, input, &activation, &ignored) == HY_OK &&
           activation == ANEURALNETWORKS_FUSED_NONE;
}

/* Merges operation `index`, a RELU of any kind, into the operation that computes its input. */
static void fuse_activation(struct fusing *fusing, uint32_t index)
{
    struct hy_cpu_graph *graph = fusing->graph;
    struct hy_cpu_operation *relu = &graph->operations[index];
    const uint32_t between = relu->inputs[0], out = relu->outputs[0];
    const uint32_t writer = fusing->writer[between];

    if (writer == NOBODY || fusing->readers[between] != 1 ||
        graph->operands[between].lifetime != HY_LIFETIME_TEMPORARY ||
        !is_same_kind(&graph->values[between], &graph->values[out]) ||
        !ends_plainly(graph, &graph->operations[writer]))
        return;
    const uint32_t activation = add_int(fusing, hy_cpu_activation_of(relu->type));
    struct hy_cpu_operation *fused = &graph->operations[writer];
    uint32_t *inputs =
        hy_arena_copy(&graph->memory, fused->inputs, fused->input_count, sizeof *inputs);
    const uint32_t *outs = copy_indices(fusing, &out, 1), *ins = copy_indices(fusing, &between, 1);
    fusing->has_failed |= !inputs;
    if (fusing->has_failed)
        return;
    inputs[activation_input(graph, fused)] = activation;
    fused->inputs = inputs;
    fused->outputs = outs;
    relu->inputs = outs; /* every operand is still written before it is read */
    relu->outputs = ins;
    relu->is_dropped = true;
    fusing->writer[out] = writer;
    fusing->writer[between] = index;
    fusing->program->dropped++;
}

/* ---- Pads ------------------------------------------------------------------------------------ */

/* True if the padding value of a PAD equals the zero of a convolution that reads its output. */
static bool pads_zero(const struct hy_call *call)
{
    const struct hy_value *in = hy_call_input(call, 0), *out = hy_call_output(call, 0);
    struct hy_error ignored;
    int32_t integer;
    float real;

    if (in->scale != out->scale || in->zero_point != out->zero_point)
        return false;
    if (call->operation == HY_OP_PAD)
        return true;
    if (hy_operand_type_is_quantised(in->type))
        return hy_call_int(call, 2, &integer, &ignored) == HY_OK && integer == in->zero_point;
    return hy_call_float(call, 2, &real, &ignored) == HY_OK && real == 0;
}

/* True if only height and width are padded. */
static bool pads_images(const struct hy_pad *pad, uint32_t height)
{
    for (uint32_t d = 0; d < pad->in.rank; d++)
        if (d != height && d != height + 1 && pad->before[d] + (uint64_t)pad->after[d] > 0)
            return false;
    return pad->in.rank == 4;
}

/* True if a convolution accepts the pad; a filter completely inside the padding is refused. */
static bool is_allowed(const struct hy_window *window, uint64_t pad)
{
    return pad <= (uint64_t)(window->filter - 1) * window->dilation && pad <= INT32_MAX;
}

/* Adds the pads of both operations, in the order of the operands: left, right, top, bottom. */
static bool add_pads(const struct hy_pad *pad, const struct hy_conv_2d *conv, uint32_t height,
                     int32_t pads[4])
{
    const struct hy_window *windows[2] = {&conv->columns, &conv->rows};

    for (size_t i = 0; i < 2; i++) {
        const size_t d = height + 1 - i;
        const uint64_t head = (uint64_t)pad->before[d] + windows[i]->head;
        const uint64_t tail = (uint64_t)pad->after[d] + windows[i]->tail;
        if (!is_allowed(windows[i], head) || !is_allowed(windows[i], tail))
            return false;
        pads[2 * i] = (int32_t)head;
        pads[2 * i + 1] = (int32_t)tail;
    }
    return true;
}

/* Computes the pads of a convolution that reads the input of operation `writer` directly. False:
 * `writer` is not a PAD that can be fused. */
static bool find_pads(struct fusing *fusing, uint32_t index, uint32_t writer, int32_t pads[4])
{
    struct hy_cpu_graph *graph = fusing->graph;
    const struct hy_call conv_call = hy_cpu_graph_call(graph, index, graph->values);
    const struct hy_call pad_call = hy_cpu_graph_call(graph, writer, graph->values);
    struct hy_error ignored;
    struct hy_conv_2d conv;
    struct hy_pad pad;

    if ((pad_call.operation != HY_OP_PAD && pad_call.operation != HY_OP_PAD_V2) ||
        !hy_cpu_call_is_ready(&pad_call) || !pads_zero(&pad_call) ||
        hy_cpu_call_infer_shapes(&pad_call, &graph->memory, &ignored) != HY_OK ||
        hy_pad_read(&pad_call, &pad, &ignored) != HY_OK || !hy_cpu_call_is_ready(&conv_call) ||
        conv_reader(conv_call.operation)(&conv_call, &conv, &ignored) != HY_OK)
        return false;
    const uint32_t height = conv.nchw ? 2 : 1;
    return pads_images(&pad, height) && add_pads(&pad, &conv, height, pads);
}

/* The inputs of the convolution with explicit pads, reading `in`. NULL: out of memory. */
static const uint32_t *padded_inputs(struct fusing *fusing, uint32_t index, uint32_t in,
                                     const int32_t pads[4], uint32_t *count)
{
    const struct hy_cpu_operation *conv = &fusing->graph->operations[index];
    const uint32_t tail = has_scheme(fusing->graph, conv) ? 4 : 7;
    uint32_t *inputs =
        hy_arena_alloc(&fusing->graph->memory, (conv->input_count + 3) * sizeof *inputs);

    if (!inputs) {
        fusing->has_failed = true;
        return NULL;
    }
    *count = 7 + conv->input_count - tail;
    inputs[0] = in;
    inputs[1] = conv->inputs[1];
    inputs[2] = conv->inputs[2];
    for (uint32_t i = 0; i < 4; i++)
        inputs[3 + i] = add_int(fusing, pads[i]);
    memcpy(inputs + 7, conv->inputs + tail, (conv->input_count - tail) * sizeof *inputs);
    return fusing->has_failed ? NULL : inputs;
}

/* Lets convolution `index` bypass the PAD before it, if any. */
static void fuse_pad(struct fusing *fusing, uint32_t index)
{
    struct hy_cpu_operation *conv = &fusing->graph->operations[index];
    const uint32_t between = conv->inputs[0], writer = fusing->writer[between];
    uint32_t count = 0;
    int32_t pads[4];

    if (writer == NOBODY || !find_pads(fusing, index, writer, pads))
        return;
    const uint32_t in = fusing->graph->operations[writer].inputs[0];
    const uint32_t *inputs = padded_inputs(fusing, index, in, pads, &count);
    if (!inputs)
        return;
    conv->inputs = inputs;
    conv->input_count = count;
    fusing->readers[between]--;
    fusing->readers[in]++;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static bool is_worth_a_look(const struct hy_cpu_graph *graph)
{
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        const int32_t type = graph->operations[i].type;
        if (type == HY_OP_PAD || type == HY_OP_PAD_V2 || hy_cpu_activation_of(type) != 0)
            return true;
    }
    return false;
}

static void look_around(struct fusing *fusing)
{
    const struct hy_cpu_graph *graph = fusing->graph;

    for (uint32_t i = 0; i < graph->operand_count; i++) {
        fusing->writer[i] = NOBODY;
        fusing->readers[i] = 0;
    }
    for (uint32_t index = 0; index < graph->operation_count; index++) {
        const struct hy_cpu_operation *operation = &graph->operations[index];
        for (uint32_t i = 0; i < operation->input_count; i++)
            fusing->readers[operation->inputs[i]]++;
        for (uint32_t i = 0; i < operation->output_count; i++)
            fusing->writer[operation->outputs[i]] = index;
    }
}

enum hy_code hy_cpu_fuse(struct hy_cpu_program *program, struct hy_error *err)
{
    struct hy_cpu_graph *graph = &program->graph;
    struct hy_arena memory = hy_cpu_arena(program->host);
    struct fusing fusing = {.program = program, .graph = graph};

    if (!is_worth_a_look(graph))
        return HY_OK;
    fusing.writer = hy_arena_alloc(&memory, graph->operand_count * sizeof *fusing.writer);
    fusing.readers = hy_arena_alloc(&memory, graph->operand_count * sizeof *fusing.readers);
    fusing.has_failed = !fusing.writer || !fusing.readers;
    if (!fusing.has_failed)
        look_around(&fusing);
    for (uint32_t i = 0; i < graph->operation_count && !fusing.has_failed; i++) {
        if (conv_reader(graph->operations[i].type))
            fuse_pad(&fusing, i);
        else if (hy_cpu_activation_of(graph->operations[i].type) != ANEURALNETWORKS_FUSED_NONE)
            fuse_activation(&fusing, i);
    }
    hy_arena_finish(&memory);
    return fusing.has_failed ? hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the model") : HY_OK;
}
