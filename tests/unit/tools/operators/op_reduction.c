#include "tests/unit/tools/operators/op_builder.h"

/* `x` without the dimensions of `axes` (a bit each), which stay as 1 with `keep_dimensions`. */
static struct hy_op_tensor reduced(const struct hy_op_tensor *x, uint32_t axes,
                                   bool keep_dimensions)
{
    struct hy_op_tensor y = *x;
    y.rank = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (axes & 1u << i) {
            if (keep_dimensions)
                y.dims[y.rank++] = 1;
        } else {
            y.dims[y.rank++] = x->dims[i];
        }
    }
    return y;
}

/* A sum has a scale that holds it, a mean one of its own half of the time. */
static struct hy_op_tensor rescaled(struct hy_op_builder *op_builder, const struct hy_op_tensor *x,
                                    struct hy_op_tensor y, uint32_t axes)
{
    float terms = 1.0f;
    for (uint32_t i = 0; i < x->rank; i++)
        terms *= axes & 1u << i ? (float)x->dims[i] : 1.0f;
    if (op_builder->row->op == HY_TFLITE_OP_SUM)
        return hy_op_scaled(&y, x->scale * (terms * hy_op_real(op_builder, 3.0f, 4.0f) + 0.5f),
                            hy_op_zero_point(op_builder, x->type));
    if (op_builder->row->op == HY_TFLITE_OP_MEAN && hy_op_pick(op_builder, 2))
        return hy_op_scaled(&y, x->scale * hy_op_real(op_builder, 0.3f, 2.0f),
                            hy_op_zero_point(op_builder, x->type));
    return y;
}

/* At least one dimension stays, as NNAPI's results have a rank of 1 or more. */
void hy_op_reduce(struct hy_op_builder *op_builder)
{
    const bool whole_images = hy_op_pick(op_builder, 4) == 0;
    const struct hy_op_tensor x = hy_op_any(op_builder, whole_images ? 4 : 2, 4);
    const uint32_t all = (1u << x.rank) - 1;
    const uint32_t axes = whole_images ? 6 : 1 + hy_op_pick(op_builder, all - 1);
    const bool keep_dimensions = whole_images || hy_op_pick(op_builder, 2);
    int32_t listed[4];
    uint32_t count = 0;

    for (uint32_t i = 0; i < x.rank; i++) {
        if (axes & 1u << i)
            listed[count++] = hy_op_pick(op_builder, 2) ? (int32_t)i : (int32_t)(i - x.rank);
    }
    const struct hy_op_tensor y =
        rescaled(op_builder, &x, reduced(&x, axes, keep_dimensions), axes);
    hy_op_input(op_builder, &x);
    hy_op_ints(op_builder, count, listed);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_REDUCER);
    hy_op_option(op_builder, 0, 1, keep_dimensions);
    hy_op_output(op_builder, &y);
}

void hy_op_arg(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 2, 6);
    const uint32_t axis = hy_op_pick(op_builder, x.rank);
    const struct hy_op_tensor shape = reduced(&x, 1u << axis, false);
    const struct hy_op_tensor y = hy_op_of(op_builder, HY_TFLITE_INT32, shape.rank, shape.dims);

    hy_op_input(op_builder, &x);
    hy_op_int(op_builder, (int32_t)axis);
    hy_op_options(op_builder, op_builder->row->op == HY_TFLITE_OP_ARG_MAX
                                  ? HY_TFLITE_OPTIONS_ARG_MAX
                                  : HY_TFLITE_OPTIONS_ARG_MIN);
    hy_op_option(op_builder, 0, 1, HY_TFLITE_INT32);
    hy_op_output(op_builder, &y);
}

void hy_op_topk(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 6);
    const int32_t k = hy_op_between(op_builder, 1, x.dims[x.rank - 1]);
    struct hy_op_tensor values = x;
    values.dims[x.rank - 1] = k;
    const struct hy_op_tensor indices =
        hy_op_of(op_builder, HY_TFLITE_INT32, values.rank, values.dims);

    hy_op_input(op_builder, &x);
    hy_op_int(op_builder, k);
    hy_op_output(op_builder, &values);
    hy_op_output(op_builder, &indices);
}

void hy_op_cumsum(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    hy_op_input(op_builder, &x);
    hy_op_int(op_builder, hy_op_between(op_builder, -(int32_t)x.rank, (int32_t)x.rank - 1));
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_CUMSUM);
    hy_op_option(op_builder, 0, 1, hy_op_pick(op_builder, 2));
    hy_op_option(op_builder, 1, 1, hy_op_pick(op_builder, 2));
    hy_op_output(op_builder, &x);
}
