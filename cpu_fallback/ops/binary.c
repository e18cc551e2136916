#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/recurrent/pieces.h"

#include <assert.h>
#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/byte_quant.h"
#include "cpu_fallback/ops/elements/elements.h"
#include "cpu_fallback/program/band.h"

/* Approximate elements per microsecond of byte sums with a sum form. */
#define ELEMENTS_BY_FORM_PER_US 12000.0

struct binary_step {
    hy_binary_fn *kernel;
    uint32_t tasks;                 /* tasks that divide the outermost loop */
    bool is_long;                   /* needs several pieces */
    uint32_t in_bytes, out_bytes;   /* per element */
    struct hy_binary_params params; /* last, see used_size */
};

/* Only the loops in use are stored: nearly all operations need one or two of sixteen, and models
 * have many steps. */
static size_t used_size(const struct binary_step *binary)
{
    return offsetof(struct binary_step, params.shape.loops) +
           binary->params.shape.rank * sizeof binary->params.shape.loops[0];
}

static_assert(HY_BROADCAST_RANK >= HY_MAX_RANK, "any two shapes must have their walk");

/* Finding a form takes about 2 us, and saves half a nanosecond per element in each run. */
#define FORM_LEAST_ELEMENTS 128

/* If many sums are halves, the search takes 10 ns more per pair. */
static size_t form_pairs(size_t elements)
{
    return 1024 + elements;
}

static enum hy_code find_form(const struct hy_cpu_resolve_ctx *ctx, enum hy_binary op,
                              bool is_signed, struct hy_binary_params *params, struct hy_error *err)
{
    const size_t count = hy_broadcast_count(&params->shape);
    struct hy_sum_form form;

    if (ctx->kernels == ctx->reference || count < FORM_LEAST_ELEMENTS ||
        !hy_sum_form_find(params, op, is_signed, form_pairs(count), &form))
        return HY_OK;
    params->form = hy_arena_copy(ctx->memory, &form, 1, sizeof form);
    return params->form ? HY_OK
                        : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the form of the operation");
}

/* Sets the parameters of quantized kernels. */
static enum hy_code set_quantisation(const struct hy_cpu_resolve_ctx *ctx, enum hy_element element,
                                     enum hy_binary op, struct hy_binary_params *params,
                                     struct hy_error *err)
{
    const struct hy_value *a = hy_call_input(ctx->call, 0);
    const struct hy_value *b = hy_call_input(ctx->call, 1);
    const struct hy_value *out = hy_call_output(ctx->call, 0);

    params->a_zero_point = a->zero_point;
    params->b_zero_point = b->zero_point;
    params->out_zero_point = out->zero_point;
    hy_binary_set_scales(params, op, element, a->scale, b->scale, out->scale);
    if (!hy_cpu_is_byte_quant(element))
        return HY_OK;
    if (op == HY_BINARY_ADD || op == HY_BINARY_SUB)
        return find_form(ctx, op, element == HY_ELEMENT_S8, params, err);
    if (op != HY_BINARY_MAXIMUM && op != HY_BINARY_MINIMUM)
        return HY_OK;
    enum hy_code code = hy_cpu_requantise_table(ctx->memory, a, out, &params->a_table, err);
    if (code == HY_OK)
        code = hy_cpu_requantise_table(ctx->memory, b, out, &params->b_table, err);
    return code;
}

static enum hy_code set_params(const struct hy_cpu_resolve_ctx *ctx, enum hy_element element,
                               enum hy_binary op, struct hy_binary_params *params,
                               struct hy_error *err)
{
    const struct hy_value *a = hy_call_input(ctx->call, 0);
    const struct hy_value *b = hy_call_input(ctx->call, 1);
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    int32_t activation = 0;
    enum hy_code code = HY_OK;

    if (!hy_broadcast_init(a->shape.rank, a->shape.dims, b->shape.rank, b->shape.dims,
                           &params->shape))
        return hy_fail(err, HY_FAILED, "the inputs do not broadcast");
    if (ctx->call->input_count > 2)
        code = hy_call_activation(ctx->call, 2, &activation, err);
    if (code != HY_OK)
        return code;
    params->activation = hy_activation_bounds(activation, element, out->scale, out->zero_point);
    return hy_operand_type_is_quantised(a->type) ? set_quantisation(ctx, element, op, params, err)
                                                 : HY_OK;
}

static void plan_tasks(const struct hy_cpu_resolve_ctx *ctx, struct binary_step *binary,
                       struct hy_cpu_step *step)
{
    const struct hy_broadcast *shape = &binary->params.shape;

    step->us = (double)hy_broadcast_count(shape) /
               (binary->params.form ? ELEMENTS_BY_FORM_PER_US : HY_CPU_ELEMENTS_PER_US);
    binary->tasks = hy_cpu_tasks_of(step->us, ctx->threads);
    if (binary->tasks > shape->loops[0].size)
        binary->tasks = shape->loops[0].size > 1 ? shape->loops[0].size : 1;
    binary->is_long = hy_broadcast_count(shape) > HY_CPU_PIECE;
    binary->in_bytes = hy_operand_type_bytes(hy_call_input(ctx->call, 0)->type);
    binary->out_bytes = hy_operand_type_bytes(hy_call_output(ctx->call, 0)->type);
}

enum hy_code hy_cpu_binary_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                   struct hy_error *err)
{
    int32_t type = hy_call_input(ctx->call, 0)->type;
    enum hy_element element = hy_cpu_element(type);
    enum hy_binary op = step->op->kind;

    if (element == HY_ELEMENT_COUNT || !ctx->kernels->binary[op][element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(type));
    struct binary_step binary = {.kernel = ctx->kernels->binary[op][element]};
    enum hy_code code = set_params(ctx, element, op, &binary.params, err);
    if (code != HY_OK)
        return code;
    plan_tasks(ctx, &binary, step);
    step->params = hy_arena_copy(ctx->memory, &binary, 1, used_size(&binary));
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

/* Data of a run, common to all tasks. */
struct binary_run {
    const struct binary_step *binary;
    const uint8_t *a, *b;
    uint8_t *out;
};

/* Runs the indices [first, end) of the outermost loop, in pieces. */
static void run_part(const struct binary_run *run, size_t first, size_t end)
{
    const struct binary_step *binary = run->binary;
    const struct hy_broadcast_loop *loop = &binary->params.shape.loops[0];
    const size_t inner = hy_broadcast_count(&binary->params.shape) / loop->size;
    struct binary_step part;

    memcpy(&part, binary, used_size(binary));
    for (struct hy_pieces at =
             hy_pieces(end - first, inner < HY_CPU_PIECE ? HY_CPU_PIECE / inner : 1);
         hy_pieces_next(&at);) {
        const size_t begin = first + at.first;
        part.params.shape.loops[0].size = (uint32_t)at.part;
        binary->kernel(&part.params, run->a + begin * loop->a_stride * binary->in_bytes,
                       run->b + begin * loop->b_stride * binary->in_bytes,
                       run->out + begin * inner * binary->out_bytes);
    }
}

static void run_task(void *argument, uint32_t index)
{
    const struct binary_run *run = argument;
    const uint64_t size = run->binary->params.shape.loops[0].size, tasks = run->binary->tasks;

    run_part(run, size * index / tasks, size * (index + 1) / tasks);
}

enum hy_code hy_cpu_binary_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct binary_step *binary = work->params;
    struct binary_run run = {
        .binary = binary,
        .a = hy_call_input(work->call, 0)->data,
        .b = hy_call_input(work->call, 1)->data,
        .out = hy_call_output(work->call, 0)->data,
    };

    (void)err;
    if (binary->tasks > 1)
        hy_cpu_parallel_for(work, binary->tasks, run_task, &run);
    else if (binary->is_long)
        run_part(&run, 0, binary->params.shape.loops[0].size);
    else
        binary->kernel(&binary->params, run.a, run.b, run.out);
    return HY_OK;
}

/* ---- Bands ----------------------------------------------------------------------------------- */

/* Output elements per index of the outermost loop. */
static size_t inner_elements(const struct hy_broadcast *shape)
{
    return hy_broadcast_count(shape) / shape->loops[0].size;
}

/* True if a pixel of `elements` elements is a whole number of indices of the outermost loop. */
static bool has_pixels(const struct hy_broadcast *shape, size_t elements)
{
    return elements % inner_elements(shape) == 0;
}

static bool begin(const void *params, const struct hy_call *call, struct hy_cpu_lines *lines)
{
    const struct binary_step *binary = params;

    return hy_cpu_lines_of_elements(call, lines) &&
           has_pixels(&binary->params.shape, hy_cpu_pixel_elements(hy_call_output(call, 0), lines));
}

/* An input with as many elements as the output is not broadcast. */
static bool follow(const void *params, const struct hy_call *call, uint32_t input,
                   struct hy_cpu_lines *lines)
{
    const struct binary_step *binary = params;
    const struct hy_value *out = hy_call_output(call, 0);

    return input < 2 && hy_cpu_has_elements_of(hy_call_input(call, input), out) &&
           has_pixels(&binary->params.shape, hy_cpu_pixel_elements(out, lines));
}

/* The data of input `input` from index `first` of the outermost loop on. */
static const void *input_of_band(const struct hy_cpu_band *band, uint32_t input, size_t first,
                                 uint32_t stride)
{
    const struct binary_step *binary = band->params;
    const uint8_t *whole = hy_call_input(band->call, input)->data;

    return band->input == input ? band->in : whole + first * stride * binary->in_bytes;
}

static void run_band(const struct hy_cpu_band *band)
{
    const struct binary_step *binary = band->params;
    const struct hy_broadcast_loop *loop = &binary->params.shape.loops[0];
    const size_t of_pixel = band->pixel_elements / inner_elements(&binary->params.shape);
    const size_t first = band->first * of_pixel;
    struct binary_step part;

    memcpy(&part, binary, used_size(binary));
    part.params.shape.loops[0].size = (uint32_t)(band->count * of_pixel);
    binary->kernel(&part.params, input_of_band(band, 0, first, loop->a_stride),
                   input_of_band(band, 1, first, loop->b_stride), band->out);
}

const struct hy_cpu_banded hy_cpu_binary_banded = {
    .begin = begin, .follow = follow, .run = run_band};
