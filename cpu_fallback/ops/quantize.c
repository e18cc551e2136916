#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/recurrent/pieces.h"

#include "common/operations/operand_type.h"

struct quantize_step {
    hy_quantize_fn *kernel;
    struct hy_quantize_params params;
};

enum hy_code hy_cpu_quantize_resolve(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                     struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(site->call, 0);
    const struct hy_value *out = hy_call_output(site->call, 0);
    enum hy_element from = hy_cpu_element(in->type), to = hy_cpu_element(out->type);

    if (from == HY_ELEMENT_COUNT || to == HY_ELEMENT_COUNT || !site->kernels->quantize[from][to])
        return hy_fail(err, HY_FAILED, "no kernel from %s to %s", hy_operand_type_name(in->type),
                       hy_operand_type_name(out->type));
    struct quantize_step *quantize = hy_arena_alloc(site->memory, sizeof *quantize);
    if (!quantize)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
    *quantize = (struct quantize_step){
        .kernel = site->kernels->quantize[from][to],
        .params =
            {
                .count = hy_shape_span(&in->shape, 0, in->shape.rank),
                .scale = out->scale,
                .zero_point = out->zero_point,
            },
    };
    step->params = quantize;
    return HY_OK;
}

enum hy_code hy_cpu_quantize_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct quantize_step *quantize = work->params;

    struct hy_quantize_params params = quantize->params;
    const struct hy_value *in = hy_call_input(work->call, 0);
    const size_t bytes = hy_operand_type_bytes(in->type);
    const uint8_t *from = in->data;
    uint8_t *to = hy_call_output(work->call, 0)->data; /* of 8 bits */

    (void)err;
    for (struct hy_pieces at = hy_pieces(quantize->params.count, HY_CPU_PIECE);
         hy_pieces_next(&at);) {
        params.count = at.part;
        quantize->kernel(&params, from + at.first * bytes, to + at.first);
    }
    return HY_OK;
}
