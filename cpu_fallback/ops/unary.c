#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/pieces.h"

#include <android/NeuralNetworksTypes.h>

#include "common/operand_type.h"
#include "common/operation.h"
#include "cpu_fallback/band.h"
#include "cpu_fallback/ops/byte_quant.h"

struct unary_step {
    hy_unary_fn *kernel;
    struct hy_unary_params params;
};

static const struct {
    enum hy_unary kernel;
    int32_t activation; /* CLAMP */
} rows[] = {
    [HY_OP_ABS] = {HY_UNARY_ABS, 0},
    [HY_OP_ELU] = {HY_UNARY_ELU, 0},
    [HY_OP_EXP] = {HY_UNARY_EXP, 0},
    [HY_OP_FLOOR] = {HY_UNARY_FLOOR, 0},
    [HY_OP_HARD_SWISH] = {HY_UNARY_HARD_SWISH, 0},
    [HY_OP_LOG] = {HY_UNARY_LOG, 0},
    [HY_OP_LOGICAL_NOT] = {HY_UNARY_NOT, 0},
    [HY_OP_LOGISTIC] = {HY_UNARY_LOGISTIC, 0},
    [HY_OP_NEG] = {HY_UNARY_NEG, 0},
    [HY_OP_RELU] = {HY_UNARY_CLAMP, ANEURALNETWORKS_FUSED_RELU},
    [HY_OP_RELU1] = {HY_UNARY_CLAMP, ANEURALNETWORKS_FUSED_RELU1},
    [HY_OP_RELU6] = {HY_UNARY_CLAMP, ANEURALNETWORKS_FUSED_RELU6},
    [HY_OP_RSQRT] = {HY_UNARY_RSQRT, 0},
    [HY_OP_SIN] = {HY_UNARY_SIN, 0},
    [HY_OP_SQRT] = {HY_UNARY_SQRT, 0},
    [HY_OP_TANH] = {HY_UNARY_TANH, 0},
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
    enum hy_unary op = rows[site->call->operation].kernel;
    int32_t activation = rows[site->call->operation].activation;
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
