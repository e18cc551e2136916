#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/byte_quant.h"
#include "cpu_fallback/ops/elements/elements.h"
#include "cpu_fallback/ops/elements/requantise.h"
#include "cpu_fallback/ops/elements/via_float.h"
#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/program/band.h"

/* The method for quantized numbers in operations of the extension. NNAPI's own 8-bit operations
 * have other forms. */
enum way {
    OF_ELEMENTS, /* not quantized, or by a table */
    BY_SCALES,   /* 16 bits: piecewise linear functions with a bend at zero */
    VIA_FLOAT    /* 16 bits: the kernel is of float32 */
};

struct unary_step {
    enum way way;
    hy_unary_fn *kernel;
    struct hy_cpu_via_float via_float;
    struct hy_cpu_requantise scales;
    struct hy_cpu_elements elements;
    struct hy_unary_params params; /* `count` is 0, set in each call */
};

static enum way way_of(const struct hy_call *call, enum hy_unary op)
{
    if (!hy_type_is_extension(call->operation) || !(hy_call_input(call, 0)->scale > 0))
        return OF_ELEMENTS;
    return op == HY_UNARY_ABS || op == HY_UNARY_CLAMP || op == HY_UNARY_LEAKY_RELU ? BY_SCALES
                                                                                   : VIA_FLOAT;
}

static enum hy_code set_scales(const struct hy_cpu_resolve_ctx *ctx, enum hy_unary op,
                               struct unary_step *unary, struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    enum hy_code code = hy_cpu_requantise_init(ctx->kernels, in, out, &unary->scales, err);

    if (code != HY_OK)
        return code;
    if (op == HY_UNARY_CLAMP)
        hy_cpu_requantise_clamp(&unary->scales, out, unary->params.activation.min,
                                unary->params.activation.max);
    else
        hy_cpu_requantise_slope(&unary->scales, in, out,
                                op == HY_UNARY_ABS ? -1 : unary->params.alpha);
    return HY_OK;
}

static void run_kernel(const struct unary_step *unary, size_t count, const void *in, void *out)
{
    struct hy_unary_params params = unary->params;

    params.count = count;
    if (unary->way == BY_SCALES)
        hy_cpu_requantise(&unary->scales, count, in, out);
    else if (unary->way == VIA_FLOAT)
        hy_cpu_via_float_apply(&unary->via_float, unary->kernel, &params, in, out);
    else
        unary->kernel(&params, in, out);
}

/* Makes the table of all results of an 8-bit type. */
static enum hy_code make_table(const struct hy_cpu_resolve_ctx *ctx, enum hy_unary op,
                               struct unary_step *unary, struct hy_error *err)
{
    const struct hy_byte_quant in = hy_cpu_byte_quant(hy_call_input(ctx->call, 0));
    const struct hy_byte_quant out = hy_cpu_byte_quant(hy_call_output(ctx->call, 0));
    uint8_t *table = hy_arena_alloc(ctx->memory, HY_TABLE_SIZE);

    if (!table)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the table");
    if (unary->way == OF_ELEMENTS) {
        hy_table_fill(op, &in, &out, &unary->params.activation, table);
    } else {
        for (int byte = 0; byte < HY_TABLE_SIZE; byte++)
            table[byte] = (uint8_t)byte;
        run_kernel(unary, HY_TABLE_SIZE, table, table);
    }
    unary->way = OF_ELEMENTS;
    unary->kernel = ctx->kernels->unary[op][hy_cpu_element(hy_call_input(ctx->call, 0)->type)];
    unary->params.table = table;
    return HY_OK;
}

/* Approximate elements per microsecond: bytes use a table, most functions of reals are series. */
static double elements_per_us(enum hy_unary op, enum hy_element element)
{
    if (hy_cpu_is_byte_quant(element))
        return 2 * HY_CPU_ELEMENTS_PER_US;
    switch (op) {
    case HY_UNARY_COS:
    case HY_UNARY_ELU:
    case HY_UNARY_ERF:
    case HY_UNARY_EXP:
    case HY_UNARY_GELU:
    case HY_UNARY_GELU_TANH:
    case HY_UNARY_LOG:
    case HY_UNARY_LOGISTIC:
    case HY_UNARY_RSQRT:
    case HY_UNARY_SIN:
    case HY_UNARY_TANH:
        return HY_CPU_ELEMENTS_PER_US / 2;
    default:
        return HY_CPU_ELEMENTS_PER_US;
    }
}

static struct hy_activation activation_of(const struct hy_call *call, enum hy_element element)
{
    const struct hy_value *in = hy_call_input(call, 0);

    if (call->operation == HY_EXT_RELU_0_TO_1)
        return (struct hy_activation){.min = 0, .max = 1};
    return hy_activation_bounds(hy_cpu_activation_of(call->operation), element, in->scale,
                                in->zero_point);
}

/* Reads the parameters of the operation. */
static enum hy_code read_parameters(const struct hy_call *call, enum hy_unary *op, float *alpha,
                                    struct hy_error *err)
{
    bool is_approximate = false;
    enum hy_code code = HY_OK;

    if (*op == HY_UNARY_ELU || *op == HY_UNARY_LEAKY_RELU)
        code = hy_call_float(call, 1, alpha, err);
    if (*op == HY_UNARY_GELU)
        code = hy_call_bool(call, 1, &is_approximate, err);
    if (is_approximate)
        *op = HY_UNARY_GELU_TANH;
    return code;
}

enum hy_code hy_cpu_unary_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                  struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    const enum hy_element element = hy_cpu_element(in->type);
    enum hy_unary op = step->op->kind;
    float alpha = 0;

    enum hy_code code = read_parameters(ctx->call, &op, &alpha, err);
    if (code != HY_OK)
        return code;
    const enum way way = way_of(ctx->call, op);
    const enum hy_element computed = way == OF_ELEMENTS ? element : HY_ELEMENT_F32;
    if (computed == HY_ELEMENT_COUNT || !ctx->kernels->unary[op][computed])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    struct unary_step *unary = hy_arena_alloc(ctx->memory, sizeof *unary);
    if (!unary)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    *unary = (struct unary_step){
        .way = way,
        .kernel = ctx->kernels->unary[op][computed],
        .params = {.alpha = alpha, .activation = activation_of(ctx->call, element)},
    };
    unary->elements = hy_cpu_elements_plan(ctx, hy_shape_span(&in->shape, 0, in->shape.rank),
                                           elements_per_us(op, element), step);
    step->params = unary;
    if (way == BY_SCALES)
        code = set_scales(ctx, op, unary, err);
    else if (way == VIA_FLOAT)
        code = hy_cpu_via_float_init(ctx->kernels, in, out, &unary->via_float, err);
    if (code == HY_OK && (hy_cpu_is_byte_quant(element) || element == HY_ELEMENT_BOOL))
        code = make_table(ctx, op, unary, err);
    return code;
}

static void run_elements(const struct hy_cpu_work *work, size_t first, size_t count)
{
    run_kernel(work->params, count, hy_cpu_elements_at(hy_call_input(work->call, 0), first),
               hy_cpu_elements_at(hy_call_output(work->call, 0), first));
}

enum hy_code hy_cpu_unary_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct unary_step *unary = work->params;

    (void)err;
    hy_cpu_elements_run(work, &unary->elements, run_elements);
    return HY_OK;
}

/* ---- Bands ----------------------------------------------------------------------------------- */

static bool begin(const void *params, const struct hy_call *call, struct hy_cpu_lines *lines)
{
    (void)params;
    return hy_cpu_lines_of_elements(call, lines);
}

static bool follow(const void *params, const struct hy_call *call, uint32_t input,
                   struct hy_cpu_lines *lines)
{
    (void)params, (void)call, (void)lines;
    return input == 0;
}

static void run_band(const struct hy_cpu_band *band)
{
    const struct hy_value *in = hy_call_input(band->call, 0);
    const size_t pixel_bytes = band->pixel_elements * hy_operand_type_bytes(in->type);

    run_kernel(band->params, band->count * band->pixel_elements,
               band->input == 0 ? band->in : (const uint8_t *)in->data + band->first * pixel_bytes,
               band->out);
}

const struct hy_cpu_banded hy_cpu_unary_banded = {
    .begin = begin, .follow = follow, .run = run_band};
