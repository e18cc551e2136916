#include "common/inference/infer_pool.h"

#include <math.h>
#include <string.h>

#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/ops.h"

/* MAX_POOL_WITH_ARGMAX_2D, and its inverse MAX_UNPOOL_2D. */

struct pool_indices_step {
    struct hy_pool_2d pool;
    struct hy_activation activation;
};

static enum hy_code save_params(const struct hy_cpu_resolve_ctx *ctx, const struct hy_pool_2d *pool,
                                struct hy_cpu_step *step, struct hy_error *err)
{
    const struct pool_indices_step indices = {
        .pool = *pool,
        .activation = hy_activation_bounds(pool->activation, HY_ELEMENT_F32, 0, 0),
    };

    step->params = hy_arena_copy(ctx->memory, &indices, 1, sizeof indices);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

enum hy_code hy_cpu_max_pool_with_argmax_2d_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                                    struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_pool_2d pool;
    const enum hy_code code = hy_pool_2d_read(ctx->call, &pool, err);

    return code == HY_OK ? save_params(ctx, &pool, step, err) : code;
}

enum hy_code hy_cpu_max_unpool_2d_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                          struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_pool_2d pool;
    const enum hy_code code = hy_unpool_2d_read(ctx->call, &pool, err);

    return code == HY_OK ? save_params(ctx, &pool, step, err) : code;
}

/* The start of a window in the larger image. */
static int64_t begin_of(const struct hy_window *window, uint32_t at)
{
    return (int64_t)at * window->stride - window->head;
}

static bool is_inside(int64_t at, uint32_t size)
{
    return at >= 0 && at < size;
}

/* The cells of a window inside the image. */
struct cells {
    uint32_t begin, end;
};

static struct cells cells_of(const struct hy_window *window, int64_t first, uint32_t size)
{
    const int64_t left = (int64_t)size - first;

    return (struct cells){first < 0 ? (uint32_t)-first : 0,
                          left < window->filter ? (uint32_t)left : window->filter};
}

static size_t pixel_of(const struct hy_image_size *size, uint32_t n, size_t y, size_t x)
{
    return (((size_t)n * size->height + y) * size->width + x) * size->channels;
}

/* Finds the largest element of a window and its position, for every channel. */
static void choose(const struct hy_pool_2d *pool, const float *in, uint32_t n, uint32_t y,
                   uint32_t x, float *largest, float *indices)
{
    const int64_t top = begin_of(&pool->rows, y), left = begin_of(&pool->columns, x);
    const struct cells rows = cells_of(&pool->rows, top, pool->in.height);
    const struct cells columns = cells_of(&pool->columns, left, pool->in.width);
    bool is_first = true;

    for (uint32_t i = rows.begin; i < rows.end; i++) {
        for (uint32_t j = columns.begin; j < columns.end; j++) {
            const float *pixel = in + pixel_of(&pool->in, n, (size_t)(top + i), (size_t)(left + j));
            const float position = (float)((size_t)i * pool->columns.filter + j) + 0.1f;
            for (uint32_t c = 0; c < pool->in.channels; c++) {
                if (is_first)
                    largest[c] = -INFINITY;
                if (is_first || pixel[c] > largest[c])
                    indices[c] = position;
                if (pixel[c] > largest[c])
                    largest[c] = pixel[c];
            }
            is_first = false;
        }
    }
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static float activated(const struct hy_activation *activation, float value)
{
    return fminf(fmaxf(value, activation->min), activation->max);
}

enum hy_code hy_cpu_max_pool_with_argmax_2d_run(const struct hy_cpu_work *work,
                                                struct hy_error *err)
{
    const struct pool_indices_step *step = work->params;
    const struct hy_pool_2d *pool = &step->pool;
    const size_t cells = (size_t)least(pool->rows.filter, pool->in.height) *
                         least(pool->columns.filter, pool->in.width);
    struct hy_stop_watch *watch = hy_stop_here();
    float *largest = hy_call_output(work->call, 0)->data;
    float *indices = hy_call_output(work->call, 1)->data;

    (void)err;
    for (uint32_t n = 0; n < pool->out.batch; n++) {
        for (uint32_t y = 0; y < pool->out.height; y++) {
            for (uint32_t x = 0; x < pool->out.width; x++) {
                if (hy_stop_after(watch, pool->in.channels * cells))
                    return HY_OK;
                choose(pool, hy_call_input(work->call, 0)->data, n, y, x, largest, indices);
                for (uint32_t c = 0; c < pool->in.channels; c++)
                    largest[c] = activated(&step->activation, largest[c]);
                largest += pool->in.channels;
                indices += pool->in.channels;
            }
        }
    }
    return HY_OK;
}

/* Stores an element at its position in the window; an invalid position is ignored. */
static void put(const struct hy_pool_2d *pool, uint32_t n, const int64_t begin[2], float position,
                size_t channel, float element, float *out)
{
    const double cells = (double)pool->rows.filter * pool->columns.filter;

    if (!((double)position > -1 && (double)position < cells))
        return;
    const int64_t at = (int64_t)position;
    const int64_t y = begin[0] + at / pool->columns.filter;
    const int64_t x = begin[1] + at % pool->columns.filter;
    if (is_inside(y, pool->out.height) && is_inside(x, pool->out.width))
        out[pixel_of(&pool->out, n, (size_t)y, (size_t)x) + channel] = element;
}

enum hy_code hy_cpu_max_unpool_2d_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct pool_indices_step *step = work->params;
    const struct hy_pool_2d *pool = &step->pool;
    const float *in = hy_call_input(work->call, 0)->data;
    const float *indices = hy_call_input(work->call, 1)->data;
    float *out = hy_call_output(work->call, 0)->data;
    struct hy_stop_watch *watch = hy_stop_here();
    const size_t elements = (size_t)pool->out.batch * pool->out.height * pool->out.width;

    (void)err;
    memset(out, 0, elements * pool->out.channels * sizeof *out);
    for (uint32_t n = 0; n < pool->in.batch; n++) {
        for (uint32_t y = 0; y < pool->in.height; y++) {
            for (uint32_t x = 0; x < pool->in.width; x++) {
                const int64_t begin[2] = {begin_of(&pool->rows, y), begin_of(&pool->columns, x)};
                const size_t pixel = pixel_of(&pool->in, n, y, x);
                if (hy_stop_after(watch, pool->in.channels))
                    return HY_OK;
                for (size_t c = 0; c < pool->in.channels; c++)
                    put(pool, n, begin, indices[pixel + c], c, in[pixel + c], out);
            }
        }
    }
    return HY_OK;
}
