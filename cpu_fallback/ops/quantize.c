#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/byte_quant.h"
#include "cpu_fallback/ops/elements/elements.h"
#include "cpu_fallback/ops/elements/requantise.h"
#include "cpu_fallback/ops/ops.h"

/* Real inputs use a kernel; quantized inputs use hy_cpu_requantise, or a table of its 256
 * results. */
struct quantize_step {
    hy_quantize_fn *kernel;
    hy_unary_fn *lookup;
    const uint8_t *table;
    struct hy_cpu_elements elements;
    struct hy_quantize_params params; /* `count` is 0, set in each call */
    struct hy_cpu_requantise requantise;
};

/* Makes a table from bytes to bytes. */
static enum hy_code make_table(const struct hy_cpu_resolve_ctx *ctx, struct quantize_step *quantize,
                               struct hy_error *err)
{
    uint8_t *table = hy_arena_alloc(ctx->memory, HY_TABLE_SIZE);

    if (!table)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the table");
    for (int byte = 0; byte < HY_TABLE_SIZE; byte++)
        table[byte] = (uint8_t)byte;
    hy_cpu_requantise(&quantize->requantise, HY_TABLE_SIZE, table, table);
    quantize->lookup = ctx->kernels->unary[HY_UNARY_CLAMP][HY_ELEMENT_U8];
    quantize->table = table;
    return HY_OK;
}

enum hy_code hy_cpu_quantize_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                     struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    enum hy_element from = hy_cpu_element(in->type), to = hy_cpu_element(out->type);
    const bool is_real = from != HY_ELEMENT_COUNT && hy_wide_of(from) == HY_WIDE_REAL;
    enum hy_code code = HY_OK;

    if (to == HY_ELEMENT_COUNT || (is_real && !ctx->kernels->quantize[from][to]))
        return hy_fail(err, HY_FAILED, "no kernel from %s to %s", hy_operand_type_name(in->type),
                       hy_operand_type_name(out->type));
    struct quantize_step *quantize = hy_arena_alloc(ctx->memory, sizeof *quantize);
    if (!quantize)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    *quantize = (struct quantize_step){
        .kernel = is_real ? ctx->kernels->quantize[from][to] : NULL,
        .params =
            {
                .scale = out->scale,
                .zero_point = out->zero_point,
            },
    };
    quantize->elements = hy_cpu_elements_plan(ctx, hy_shape_span(&in->shape, 0, in->shape.rank),
                                              HY_CPU_ELEMENTS_PER_US, step);
    step->params = quantize;
    if (!is_real)
        code = hy_cpu_requantise_init(ctx->kernels, in, out, &quantize->requantise, err);
    if (code == HY_OK && hy_cpu_is_byte_quant(from) && hy_cpu_is_byte_quant(to))
        code = make_table(ctx, quantize, err);
    return code;
}

static void run_elements(const struct hy_cpu_work *work, size_t first, size_t count)
{
    const struct quantize_step *quantize = work->params;
    const void *in = hy_cpu_elements_at(hy_call_input(work->call, 0), first);
    void *out = hy_cpu_elements_at(hy_call_output(work->call, 0), first);

    if (quantize->kernel) {
        struct hy_quantize_params params = quantize->params;
        params.count = count;
        quantize->kernel(&params, in, out);
    } else if (quantize->table) {
        quantize->lookup(&(struct hy_unary_params){.count = count, .table = quantize->table}, in,
                         out);
    } else {
        hy_cpu_requantise(&quantize->requantise, count, in, out);
    }
}

enum hy_code hy_cpu_quantize_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct quantize_step *quantize = work->params;

    (void)err;
    hy_cpu_elements_run(work, &quantize->elements, run_elements);
    return HY_OK;
}
