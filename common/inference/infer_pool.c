#include "common/inference/infer_pool.h"
#include "common/inference/infer_rules.h"

/* Reads `count` sizes from input `at` on, each at least `fewest`. */
static enum hy_code read_sizes(const struct hy_call *call, uint32_t at, int32_t fewest,
                               uint32_t count, uint32_t *const sizes[], struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        code = hy_call_size(call, at + i, fewest, sizes[i], err);
    return code;
}

/* The implicit form has 7 or 8 inputs, the explicit one 10 or 11. */
static enum hy_code read_arguments(const struct hy_call *call, struct hy_pool_2d *pool,
                                   int32_t *scheme, struct hy_error *err)
{
    uint32_t *const pads[] = {&pool->columns.head, &pool->columns.tail, &pool->rows.head,
                              &pool->rows.tail};
    uint32_t *const sizes[] = {&pool->columns.stride, &pool->rows.stride, &pool->columns.filter,
                               &pool->rows.filter};
    bool implicit = call->input_count <= 8;
    uint32_t at = implicit ? 2 : 5;

    pool->rows.dilation = pool->columns.dilation = 1;
    enum hy_code code =
        implicit ? hy_call_int(call, 1, scheme, err) : read_sizes(call, 1, 0, 4, pads, err);
    if (code == HY_OK)
        code = read_sizes(call, at, 1, 4, sizes, err);
    if (code == HY_OK)
        code = hy_call_activation(call, at + 4, &pool->activation, err);
    if (code == HY_OK && at + 5 < call->input_count)
        code = hy_call_bool(call, at + 5, &pool->nchw, err);
    return code;
}

static enum hy_code infer_windows(const struct hy_call *call, struct hy_pool_2d *pool,
                                  int32_t scheme, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (call->input_count <= 8) {
        code = hy_window_pad(&pool->rows, scheme, pool->in.height, err);
        if (code == HY_OK)
            code = hy_window_pad(&pool->columns, scheme, pool->in.width, err);
    }
    if (code == HY_OK)
        code = hy_window_output(&pool->rows, pool->in.height, &pool->out.height, err);
    if (code == HY_OK)
        code = hy_window_output(&pool->columns, pool->in.width, &pool->out.width, err);
    return code;
}

enum hy_code hy_pool_2d_read(const struct hy_call *call, struct hy_pool_2d *pool,
                             struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(call, 0);
    struct hy_pool_2d read = {0};
    int32_t scheme = 0;

    enum hy_code code = hy_call_check_rank(call, 0, 4, 4, err);
    if (code == HY_OK)
        code = hy_call_check_output_quant(call, 0, in->scale, in->zero_point, err);
    if (code == HY_OK)
        code = read_arguments(call, &read, &scheme, err);
    if (code != HY_OK)
        return code;

    read.in = hy_image_size_of(&in->shape, read.nchw);
    read.out = (struct hy_image_size){.batch = read.in.batch, .channels = read.in.channels};
    if (read.in.channels == 0 || read.in.channels > INT32_MAX || read.in.batch > INT32_MAX)
        return hy_fail(err, HY_FAILED, "%u images of %u channels cannot be pooled", read.in.batch,
                       read.in.channels);
    code = infer_windows(call, &read, scheme, err);
    if (code == HY_OK)
        *pool = read;
    return code;
}

enum hy_code hy_infer_pool_2d(const struct hy_call *call, struct hy_shape *outputs,
                              struct hy_error *err)
{
    struct hy_pool_2d pool;
    enum hy_code code = hy_pool_2d_read(call, &pool, err);

    if (code == HY_OK)
        outputs[0] = hy_image_shape(&pool.out, pool.nchw);
    return code;
}

enum hy_code hy_infer_max_pool_with_argmax_2d(const struct hy_call *call, struct hy_shape *outputs,
                                              struct hy_error *err)
{
    enum hy_code code = hy_infer_pool_2d(call, outputs, err);

    if (code == HY_OK)
        outputs[1] = outputs[0];
    return code;
}

/* Each input pixel has a window; if windows overlap, the output is cut at both ends. */
static enum hy_code unpool_axis(struct hy_window *window, uint32_t in, uint32_t *out,
                                struct hy_error *err)
{
    const uint64_t size = (uint64_t)in * window->filter;
    const int64_t reach = ((int64_t)in - 1) * window->stride + window->filter;

    if (in == 0 || size > INT32_MAX || reach > INT32_MAX)
        return hy_fail(err, HY_FAILED,
                       "%u windows of %u elements with stride %u do not form an image", in,
                       window->filter, window->stride);
    window->head = reach > (int64_t)size ? (uint32_t)((reach - (int64_t)size) / 2) : 0;
    *out = (uint32_t)size;
    return HY_OK;
}

enum hy_code hy_unpool_2d_read(const struct hy_call *call, struct hy_pool_2d *pool,
                               struct hy_error *err)
{
    struct hy_pool_2d read = {0};
    uint32_t *const sizes[] = {&read.columns.stride, &read.rows.stride, &read.columns.filter,
                               &read.rows.filter};

    enum hy_code code = hy_call_check_rank(call, 0, 4, 4, err);
    if (code == HY_OK)
        code = hy_call_check_shape(call, 1, &hy_call_input(call, 0)->shape, err);
    if (code == HY_OK)
        code = read_sizes(call, 2, 1, 4, sizes, err);
    if (code != HY_OK)
        return code;
    read.in = read.out = hy_image_size_of(&hy_call_input(call, 0)->shape, false);
    code = unpool_axis(&read.rows, read.in.height, &read.out.height, err);
    if (code == HY_OK)
        code = unpool_axis(&read.columns, read.in.width, &read.out.width, err);
    if (code == HY_OK)
        *pool = read;
    return code;
}

enum hy_code hy_infer_max_unpool_2d(const struct hy_call *call, struct hy_shape *outputs,
                                    struct hy_error *err)
{
    struct hy_pool_2d pool;
    enum hy_code code = hy_unpool_2d_read(call, &pool, err);

    if (code == HY_OK)
        outputs[0] = hy_image_shape(&pool.out, false);
    return code;
}
