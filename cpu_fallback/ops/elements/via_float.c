#include "cpu_fallback/ops/elements/via_float.h"

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/floats.h"

/* A block of float32 fits the L1 cache. */
enum { BLOCK = 1024 };

enum hy_code hy_cpu_via_float_init(const struct hy_kernel_table *kernels, const struct hy_value *in,
                                   const struct hy_value *out, struct hy_cpu_via_float *via_float,
                                   struct hy_error *err)
{
    const enum hy_element element = hy_cpu_element(in->type);

    if (element == HY_ELEMENT_COUNT || out->type != in->type ||
        !kernels->quantize[HY_ELEMENT_F32][element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    *via_float = (struct hy_cpu_via_float){
        .bytes = hy_operand_type_bytes(in->type),
        .count = hy_shape_span(&in->shape, 0, in->shape.rank),
        .load = kernels->dequantize[element][HY_ELEMENT_F32],
        .store = kernels->quantize[HY_ELEMENT_F32][element],
        .in_scale = in->scale,
        .in_zero_point = in->zero_point,
        .out = {.scale = out->scale, .zero_point = out->zero_point},
    };
    return HY_OK;
}

void hy_cpu_via_float_load(const struct hy_cpu_via_float *via_float, size_t count, const void *in,
                           float *out)
{
    const struct hy_dequantize_params params = {
        .outer = 1,
        .channels = 1,
        .inner = count,
        .scales = &via_float->in_scale,
        .zero_point = via_float->in_zero_point,
    };
    via_float->load(&params, in, out);
}

void hy_cpu_via_float_store(const struct hy_cpu_via_float *via_float, size_t count, const float *in,
                            void *out)
{
    struct hy_quantize_params params = via_float->out;

    params.count = count;
    via_float->store(&params, in, out);
}

bool hy_cpu_runs_via_float(const struct hy_call *call)
{
    return hy_type_is_extension(call->operation) && hy_call_input(call, 0)->scale > 0;
}

enum hy_code hy_cpu_via_float_alloc(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                    struct hy_cpu_via_float *via_float, struct hy_error *err)
{
    enum hy_code code = hy_cpu_via_float_init(ctx->kernels, hy_call_input(ctx->call, 0),
                                              hy_call_output(ctx->call, 0), via_float, err);
    size_t offset;

    if (code == HY_OK &&
        !hy_cpu_scratch_alloc_rows(&step->scratch, 1, via_float->count, sizeof(float), &offset))
        return hy_fail(err, HY_FAILED, "input 0 is too large");
    return code;
}

float *hy_cpu_via_float_open(const struct hy_cpu_via_float *via_float,
                             const struct hy_cpu_work *work)
{
    float *floats = hy_cpu_scratch_floats(work, 0);

    hy_cpu_via_float_load(via_float, via_float->count, hy_call_input(work->call, 0)->data, floats);
    return floats;
}

void hy_cpu_via_float_close(const struct hy_cpu_via_float *via_float,
                            const struct hy_cpu_work *work)
{
    hy_cpu_via_float_store(via_float, via_float->count, hy_cpu_scratch_floats(work, 0),
                           hy_call_output(work->call, 0)->data);
}

void hy_cpu_via_float_apply(const struct hy_cpu_via_float *via_float, hy_unary_fn *kernel,
                            const struct hy_unary_params *params, const void *in, void *out)
{
    const uint8_t *values = in;
    uint8_t *results = out;
    struct hy_unary_params part = *params;
    float block[BLOCK];

    for (size_t done = 0; done < params->count; done += part.count) {
        const size_t at = done * via_float->bytes;
        part.count = params->count - done < BLOCK ? params->count - done : BLOCK;
        hy_cpu_via_float_load(via_float, part.count, values + at, block);
        kernel(&part, block, block);
        hy_cpu_via_float_store(via_float, part.count, block, results + at);
    }
}
