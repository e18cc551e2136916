#include "cpu_fallback/ops/elements/through_reals.h"

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/floats.h"

/* A block of float32 fits the L1 cache. */
enum { BLOCK = 1024 };

enum hy_code hy_cpu_through_reals_init(const struct hy_kernel_table *kernels,
                                       const struct hy_value *in, const struct hy_value *out,
                                       struct hy_cpu_through_reals *reals, struct hy_error *err)
{
    const enum hy_element element = hy_cpu_element(in->type);

    if (element == HY_ELEMENT_COUNT || out->type != in->type ||
        !kernels->quantize[HY_ELEMENT_F32][element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    *reals = (struct hy_cpu_through_reals){
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

void hy_cpu_through_reals_load(const struct hy_cpu_through_reals *reals, size_t count,
                               const void *in, float *out)
{
    const struct hy_dequantize_params params = {
        .outer = 1,
        .channels = 1,
        .inner = count,
        .scales = &reals->in_scale,
        .zero_point = reals->in_zero_point,
    };
    reals->load(&params, in, out);
}

void hy_cpu_through_reals_store(const struct hy_cpu_through_reals *reals, size_t count,
                                const float *in, void *out)
{
    struct hy_quantize_params params = reals->out;

    params.count = count;
    reals->store(&params, in, out);
}

bool hy_cpu_goes_through_reals(const struct hy_call *call)
{
    return hy_type_is_extension(call->operation) && hy_call_input(call, 0)->scale > 0;
}

enum hy_code hy_cpu_through_reals_take(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                       struct hy_cpu_through_reals *reals, struct hy_error *err)
{
    enum hy_code code = hy_cpu_through_reals_init(site->kernels, hy_call_input(site->call, 0),
                                                  hy_call_output(site->call, 0), reals, err);
    size_t offset;

    if (code == HY_OK &&
        !hy_cpu_scratch_take_rows(&step->scratch, 1, reals->count, sizeof(float), &offset))
        return hy_fail(err, HY_FAILED, "input 0 is too large");
    return code;
}

float *hy_cpu_through_reals_open(const struct hy_cpu_through_reals *reals,
                                 const struct hy_cpu_work *work)
{
    float *floats = hy_cpu_scratch_floats(work, 0);

    hy_cpu_through_reals_load(reals, reals->count, hy_call_input(work->call, 0)->data, floats);
    return floats;
}

void hy_cpu_through_reals_close(const struct hy_cpu_through_reals *reals,
                                const struct hy_cpu_work *work)
{
    hy_cpu_through_reals_store(reals, reals->count, hy_cpu_scratch_floats(work, 0),
                               hy_call_output(work->call, 0)->data);
}

void hy_cpu_through_reals_apply(const struct hy_cpu_through_reals *reals, hy_unary_fn *kernel,
                                const struct hy_unary_params *params, const void *in, void *out)
{
    const uint8_t *values = in;
    uint8_t *results = out;
    struct hy_unary_params part = *params;
    float block[BLOCK];

    for (size_t done = 0; done < params->count; done += part.count) {
        const size_t at = done * reals->bytes;
        part.count = params->count - done < BLOCK ? params->count - done : BLOCK;
        hy_cpu_through_reals_load(reals, part.count, values + at, block);
        kernel(&part, block, block);
        hy_cpu_through_reals_store(reals, part.count, block, results + at);
    }
}
