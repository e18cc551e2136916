#include "common/inference/infer_concat.h"

#include <math.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/byte_quant.h"
#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/strided_copy.h"

/* CONCATENATION, PACK, SPLIT, UNPACK: the whole tensor is rows along the axis; each row is a run of
 * every part. */

/* Adds the copy of a part: `outer` runs of `run` elements. Runs start `from_row` elements apart in
 * the source and `to_row` elements apart in the destination. */
static void add_part(struct hy_cpu_copies *copies, struct hy_cpu_copy_location from,
                     size_t from_row, struct hy_cpu_copy_location to, size_t to_row, size_t outer,
                     size_t run)
{
    struct hy_strided_copy_params *grid = hy_cpu_copies_add(copies, from, to);

    hy_strided_copy_add(grid, outer, (ptrdiff_t)from_row, (ptrdiff_t)to_row);
    hy_strided_copy_add(grid, run, 1, 1);
}

enum hy_code hy_cpu_pack_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                 struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 1);
    uint32_t count = ctx->call->input_count - 1, axis;

    enum hy_code code = hy_pack_axis(ctx->call, &axis, err);
    if (code != HY_OK)
        return code;
    struct hy_cpu_copies *copies = hy_cpu_copies_create(ctx, in->type, count);
    if (!copies)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    size_t outer = hy_shape_span(&in->shape, 0, axis);
    size_t run = hy_shape_span(&in->shape, axis, in->shape.rank);
    for (uint32_t i = 0; i < count; i++)
        add_part(copies, (struct hy_cpu_copy_location){HY_CPU_INPUT, i + 1, 0}, run,
                 (struct hy_cpu_copy_location){HY_CPU_OUTPUT, 0, i * run}, count * run, outer, run);
    hy_cpu_copies_finalize(copies, ctx, step);
    step->params = copies;
    return HY_OK;
}

/* SPLIT and UNPACK (outputs without the axis): each output is the next run of every row. */
enum hy_code hy_cpu_split_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                  struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    struct hy_cpu_copy_location from = {.side = HY_CPU_INPUT};
    uint32_t count = ctx->call->output_count, axis;

    enum hy_code code = hy_split_axis(ctx->call, &axis, err);
    if (code != HY_OK)
        return code;
    struct hy_cpu_copies *copies = hy_cpu_copies_create(ctx, in->type, count);
    if (!copies)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    size_t outer = hy_shape_span(&in->shape, 0, axis);
    size_t row = hy_shape_span(&in->shape, axis, in->shape.rank);
    for (uint32_t i = 0; i < count; i++) {
        const struct hy_shape *out = &hy_call_output(ctx->call, i)->shape;
        size_t run = hy_shape_span(out, axis, out->rank);
        add_part(copies, from, row, (struct hy_cpu_copy_location){HY_CPU_OUTPUT, i, 0}, run, outer,
                 run);
        from.offset += run;
    }
    hy_cpu_copies_finalize(copies, ctx, step);
    step->params = copies;
    return HY_OK;
}

/* An 8-bit input of CONCATENATION whose quantization differs from the output's. */
struct conversion {
    uint32_t input;
    size_t count;  /* bytes */
    size_t offset; /* converted bytes, in scratch */
    uint8_t table[HY_TABLE_SIZE];
};

struct concatenation_step {
    struct hy_cpu_copies *copies;
    hy_unary_fn *look_up;
    struct conversion *conversions;
    uint32_t conversion_count;
};

static bool is_converted(const struct hy_value *in, const struct hy_value *out)
{
    return hy_operand_type_is_quantised(in->type) && hy_operand_type_bytes(in->type) == 1 &&
           (in->scale != out->scale || in->zero_point != out->zero_point);
}

/* Computes q * ratio - zero_point * ratio, rounds half away from zero, and adds the zero point of
 * the output: all in float32, bit-exact with TensorFlow Lite. */
static void fill_table(const struct hy_value *in, const struct hy_value *out,
                       uint8_t table[HY_TABLE_SIZE])
{
    bool is_signed = hy_cpu_byte_quant(in).is_signed;
    float min = is_signed ? INT8_MIN : 0, max = is_signed ? INT8_MAX : UINT8_MAX;
    float ratio = in->scale * (1 / out->scale);
    float bias = (float)-in->zero_point * ratio;

    for (int i = 0; i < HY_TABLE_SIZE; i++) {
        float q = is_signed ? (float)(int8_t)i : (float)i;
        float steps = roundf(q * ratio + bias) + (float)out->zero_point;
        table[i] = (uint8_t)(int)fminf(fmaxf(steps, min), max); /* NaN becomes min */
    }
}

/* Plans the conversion of input `index` to scratch, if necessary. */
static bool add_conversion(const struct hy_cpu_resolve_ctx *ctx, struct concatenation_step *join,
                           uint32_t index, size_t *scratch, struct hy_cpu_copy_location *from)
{
    const struct hy_value *in = hy_call_input(ctx->call, index);
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    size_t count = hy_shape_span(&in->shape, 0, in->shape.rank);

    *from = (struct hy_cpu_copy_location){HY_CPU_INPUT, index, 0};
    if (count == 0 || !is_converted(in, out))
        return true;
    struct conversion *conversion = &join->conversions[join->conversion_count++];
    conversion->input = index;
    conversion->count = count;
    fill_table(in, out, conversion->table);
    if (!hy_cpu_scratch_alloc(scratch, count, &conversion->offset))
        return false;
    *from = (struct hy_cpu_copy_location){HY_CPU_SCRATCH, 0, conversion->offset};
    return true;
}

static struct concatenation_step *create_concatenation(const struct hy_cpu_resolve_ctx *ctx)
{
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    struct concatenation_step *join = hy_arena_alloc(ctx->memory, sizeof *join);
    uint32_t count = ctx->call->input_count - 1, converted = 0;

    for (uint32_t i = 0; i < count; i++)
        converted += is_converted(hy_call_input(ctx->call, i), out);
    if (!join)
        return NULL;
    *join = (struct concatenation_step){
        .copies = hy_cpu_copies_create(ctx, out->type, count),
        .look_up = ctx->kernels->unary[HY_UNARY_CLAMP][HY_ELEMENT_U8],
        .conversions = hy_arena_alloc(ctx->memory, converted * sizeof *join->conversions),
    };
    return join->copies && join->conversions ? join : NULL;
}

enum hy_code hy_cpu_concatenation_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                          struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_shape *out = &hy_call_output(ctx->call, 0)->shape;
    struct concatenation_step *join = create_concatenation(ctx);
    uint32_t axis = 0;

    enum hy_code code = hy_concatenation_axis(ctx->call, &axis, err);
    if (code != HY_OK)
        return code;
    if (!join)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    size_t outer = hy_shape_span(out, 0, axis), row = hy_shape_span(out, axis, out->rank);
    struct hy_cpu_copy_location from, to = {.side = HY_CPU_OUTPUT};
    for (uint32_t i = 0; i + 1 < ctx->call->input_count; i++) {
        const struct hy_shape *in = &hy_call_input(ctx->call, i)->shape;
        size_t run = hy_shape_span(in, axis, in->rank);
        if (!add_conversion(ctx, join, i, &step->scratch, &from))
            return hy_fail(err, HY_OUT_OF_MEMORY, "the tensors are too large");
        add_part(join->copies, from, run, to, row, outer, run);
        to.offset += run;
    }
    hy_cpu_copies_finalize(join->copies, ctx, step);
    step->params = join;
    return HY_OK;
}

enum hy_code hy_cpu_concatenation_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct concatenation_step *join = work->params;

    (void)err;
    for (uint32_t i = 0; i < join->conversion_count; i++) {
        const struct conversion *conversion = &join->conversions[i];
        struct hy_unary_params params = {.count = conversion->count, .table = conversion->table};
        join->look_up(&params, hy_call_input(work->call, conversion->input)->data,
                      work->scratch + conversion->offset);
    }
    hy_cpu_copies_play(join->copies, work);
    return HY_OK;
}
