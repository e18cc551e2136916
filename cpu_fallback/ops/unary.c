#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/recurrent/pieces.h"

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/byte_quant.h"
#include "cpu_fallback/program/band.h"

struct unary_step {
    hy_unary_fn *kernel;
    struct hy_unary_params params;
};

/* All results of an 8-bit type. */
static enum hy_code make_table(const struct hy_cpu_site *site, enum hy_unary op,
                               struct hy_unary_params *params, struct hy_error *err)
{
    struct hy_byte_quant in = hy_cpu_byte_quant(hy_call_input(site->call, 0));
    struct hy_byte_quant out = hy_cpu_byte_quant(hy_call_output(site->call, 0));
    uint8_t *table = hy_arena_alloc(site->memory, HY_TABLE_SIZE);

    if (!table)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its table");
    hy_table_fill(op, &in, &out, &params->activation, table);
    params->table = table;
    return HY_OK;
}

enum hy_code hy_cpu_unary_resolve(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                  struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(site->call, 0);
    enum hy_element element = hy_cpu_element(in->type);
    enum hy_unary op = step->op->kind;
    int32_t activation = hy_cpu_activation_of(site->call->operation);
    enum hy_code code = HY_OK;

    if (element == HY_ELEMENT_COUNT || !site->kernels->unary[op][element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    struct unary_step *unary = hy_arena_alloc(site->memory, sizeof *unary);
    if (!unary)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
    *unary = (struct unary_step){
        .kernel = site->kernels->unary[op][element],
        .params =
            {
                .count = hy_shape_span(&in->shape, 0, in->shape.rank),
                .activation = hy_activation_bounds(activation, element, in->scale, in->zero_point),
            },
    };
    step->params = unary;
    if (op == HY_UNARY_ELU)
        code = hy_call_float(site->call, 1, &unary->params.alpha, err);
    if (code == HY_OK && hy_operand_type_bytes(in->type) == 1)
        code = make_table(site, op, &unary->params, err);
    return code;
}

enum hy_code hy_cpu_unary_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct unary_step *unary = work->params;

    struct hy_unary_params params = unary->params;
    const struct hy_value *in = hy_call_input(work->call, 0);
    const uint8_t *from = in->data;
    uint8_t *to = hy_call_output(work->call, 0)->data;
    const size_t bytes = hy_operand_type_bytes(in->type);

    (void)err;
    for (struct hy_pieces at = hy_pieces(unary->params.count, HY_CPU_PIECE); hy_pieces_next(&at);) {
        params.count = at.part;
        unary->kernel(&params, from + at.first * bytes, to + at.first * bytes);
    }
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
    const struct unary_step *unary = band->params;
    const struct hy_value *in = hy_call_input(band->call, 0);
    const size_t pixel_bytes = band->pixel_elements * hy_operand_type_bytes(in->type);
    struct hy_unary_params params = unary->params;

    params.count = band->count * band->pixel_elements;
    unary->kernel(&params,
                  band->input == 0 ? band->in
                                   : (const uint8_t *)in->data + band->first * pixel_bytes,
                  band->out);
}

const struct hy_cpu_banded hy_cpu_unary_banded = {begin, follow, NULL, run_band};
