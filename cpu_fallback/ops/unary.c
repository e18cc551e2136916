#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/byte_quant.h"
#include "cpu_fallback/ops/elements/elements.h"
#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/program/band.h"

struct unary_step {
    hy_unary_fn *kernel;
    struct hy_cpu_elements elements;
    struct hy_unary_params params; /* count is 0: that of each call comes with it */
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

/* Elements in a microsecond, roughly: bytes are looked up, most functions of reals are series. */
static double elements_per_us(enum hy_unary op, enum hy_element element)
{
    if (hy_cpu_is_byte_quant(element))
        return 2 * HY_CPU_ELEMENTS_PER_US;
    switch (op) {
    case HY_UNARY_ELU:
    case HY_UNARY_EXP:
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
                .activation = hy_activation_bounds(activation, element, in->scale, in->zero_point),
            },
    };
    unary->elements = hy_cpu_elements_plan(site, hy_shape_span(&in->shape, 0, in->shape.rank),
                                           elements_per_us(op, element), step);
    step->params = unary;
    if (op == HY_UNARY_ELU)
        code = hy_call_float(site->call, 1, &unary->params.alpha, err);
    if (code == HY_OK && hy_operand_type_bytes(in->type) == 1)
        code = make_table(site, op, &unary->params, err);
    return code;
}

static void run_elements(const struct hy_cpu_work *work, size_t first, size_t count)
{
    const struct unary_step *unary = work->params;
    struct hy_unary_params params = unary->params;

    params.count = count;
    unary->kernel(&params, hy_cpu_elements_at(hy_call_input(work->call, 0), first),
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
