#include "common/inference/infer_transform.h"

#include <math.h>
#include <string.h>

#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/ops.h"

/* TRANSFORM_TENSOR_BILINEAR, LANDMARKS_TO_TRANSFORM_MATRIX, TRANSFORM_LANDMARKS, of float32. */

static enum hy_code save_params(const struct hy_cpu_resolve_ctx *ctx, const void *read,
                                size_t bytes, struct hy_cpu_step *step, struct hy_error *err)
{
    step->params = hy_arena_copy(ctx->memory, read, 1, bytes);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

/* A row of a 4x4 matrix, applied to points with z = 0. */
struct line {
    float x, y, shift;
};

static struct line line_of(const float *matrix, size_t row, float scale)
{
    return (struct line){matrix[4 * row], matrix[4 * row + 1], matrix[4 * row + 3] * scale};
}

static float along(const struct line *line, float x, float y)
{
    return line->x * x + line->y * y + line->shift;
}

/* ---- TRANSFORM_TENSOR_BILINEAR --------------------------------------------------------------- */

enum hy_code hy_cpu_transform_tensor_bilinear_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                                      struct hy_cpu_step *step,
                                                      struct hy_error *err)
{
    struct hy_transform_tensor transform;
    const enum hy_code code = hy_transform_tensor_read(ctx->call, &transform, err);

    return code == HY_OK ? save_params(ctx, &transform, sizeof transform, step, err) : code;
}

/* The two pixels around a position, and its distance from the lower pixel. */
struct position {
    size_t low, high;
    float part;
};

/* False: the position lies outside of `size` pixels, or is NaN. */
static bool find(float at, uint32_t size, struct position *out)
{
    if (!(at >= 0 && (double)at <= (double)size - 1))
        return false;
    out->low = (size_t)at;
    out->high = out->low + 1 < size ? out->low + 1 : out->low;
    out->part = at - (float)out->low;
    return true;
}

static void interpolate(const float *image, const struct hy_image_size *size,
                        const struct position *row, const struct position *column, float *out)
{
    const float *upper = image + row->low * size->width * size->channels;
    const float *lower = image + row->high * size->width * size->channels;
    const size_t left = column->low * size->channels, right = column->high * size->channels;

    for (size_t c = 0; c < size->channels; c++) {
        const float above = (1 - column->part) * upper[left + c] + column->part * upper[right + c];
        const float below = (1 - column->part) * lower[left + c] + column->part * lower[right + c];
        out[c] = row->part * below + (1 - row->part) * above;
    }
}

enum hy_code hy_cpu_transform_tensor_bilinear_run(const struct hy_cpu_work *work,
                                                  struct hy_error *err)
{
    const struct hy_transform_tensor *transform = work->params;
    const struct hy_image_size *in = &transform->in, *out = &transform->out;
    const float *matrix = hy_call_input(work->call, 1)->data;
    const float *image = hy_call_input(work->call, 0)->data;
    const float half = transform->half_pixel_centers ? 0.5f : 0;
    const struct line to_x = line_of(matrix, 0, 1), to_y = line_of(matrix, 1, 1);
    const size_t image_size = (size_t)in->height * in->width * in->channels;
    float *pixel = hy_call_output(work->call, 0)->data;

    (void)err;
    for (uint32_t n = 0; n < out->batch; n++, image += image_size) {
        for (uint32_t y = 0; y < out->height; y++) {
            if (hy_stop_after(hy_stop_here(), (size_t)out->width * out->channels))
                return HY_OK;
            for (uint32_t x = 0; x < out->width; x++, pixel += out->channels) {
                const float from_x = (float)x + half, from_y = (float)y + half;
                struct position row, column;
                if (find(along(&to_x, from_x, from_y) - half, in->width, &column) &&
                    find(along(&to_y, from_x, from_y) - half, in->height, &row)) {
                    interpolate(image, in, &row, &column, pixel);
                    continue;
                }
                for (size_t c = 0; c < out->channels; c++)
                    pixel[c] = 0;
            }
        }
    }
    return HY_OK;
}

/* ---- LANDMARKS_TO_TRANSFORM_MATRIX ----------------------------------------------------------- */

enum hy_code hy_cpu_landmarks_to_transform_matrix_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                                          struct hy_cpu_step *step,
                                                          struct hy_error *err)
{
    struct hy_landmarks_matrix matrix;
    enum hy_code code = hy_landmarks_matrix_read(ctx->call, &matrix, err);

    if (code != HY_OK)
        return code;
    matrix.indices =
        hy_arena_copy(ctx->memory, matrix.indices, matrix.subset, sizeof *matrix.indices);
    if (!matrix.indices)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %u landmarks", matrix.subset);
    return save_params(ctx, &matrix, sizeof matrix, step, err);
}

enum hy_code hy_cpu_landmarks_to_transform_matrix_run(const struct hy_cpu_work *work,
                                                      struct hy_error *err)
{
    const struct hy_landmarks_matrix *matrix = work->params;
    const float *landmarks = hy_call_input(work->call, 0)->data;
    float *out = hy_call_output(work->call, 0)->data;
    const float *left = landmarks + 3 * (size_t)matrix->left;
    const float *right = landmarks + 3 * (size_t)matrix->right;
    const float angle = matrix->rotation - atan2f(right[1] - left[1], right[0] - left[0]);
    const float cosine = cosf(angle), sine = sinf(angle);
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};

    (void)err;
    for (uint32_t i = 0; i < matrix->subset; i++) { /* rotated upright */
        const float *at = landmarks + 3 * (size_t)matrix->indices[i];
        const float turned[2] = {cosine * at[0] - sine * at[1], sine * at[0] + cosine * at[1]};
        for (uint32_t k = 0; k < 2; k++) {
            low[k] = turned[k] < low[k] ? turned[k] : low[k];
            high[k] = turned[k] > high[k] ? turned[k] : high[k];
        }
    }
    const float x = (low[0] + high[0]) / 2, y = (low[1] + high[1]) / 2;
    const float width = matrix->scale_x * (high[0] - low[0]);
    const float height = matrix->scale_y * (high[1] - low[1]);
    const float scale_x = width / (float)matrix->width, scale_y = height / (float)matrix->height;
    /* Scales pixels, moves their center to the center of the box, and rotates back. */
    const float from_x = x - width / 2, from_y = y - height / 2;
    const float rows[4][4] = {
        {cosine * scale_x, sine * scale_y, 0, cosine * from_x + sine * from_y},
        {-sine * scale_x, cosine * scale_y, 0, cosine * from_y - sine * from_x},
        {0, 0, 1, 0},
        {0, 0, 0, 1},
    };
    memcpy(out, rows, sizeof rows);
    return HY_OK;
}

/* ---- TRANSFORM_LANDMARKS --------------------------------------------------------------------- */

enum hy_code hy_cpu_transform_landmarks_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                                struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_transform_landmarks transform;
    const enum hy_code code = hy_transform_landmarks_read(ctx->call, &transform, err);

    return code == HY_OK ? save_params(ctx, &transform, sizeof transform, step, err) : code;
}

enum hy_code hy_cpu_transform_landmarks_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct hy_transform_landmarks *transform = work->params;
    const float *in = hy_call_input(work->call, 0)->data;
    const float *matrix = hy_call_input(work->call, 1)->data;
    const struct line to_x = line_of(matrix, 0, transform->scale);
    const struct line to_y = line_of(matrix, 1, transform->scale);
    float *out = hy_call_output(work->call, 0)->data;

    (void)err;
    for (uint32_t i = 0; i < transform->landmarks && !hy_stop_after(hy_stop_here(), 3); i++) {
        out[0] = along(&to_x, in[0], in[1]);
        out[1] = along(&to_y, in[0], in[1]);
        if (transform->dimensions == 3)
            out[2] = in[2];
        in += transform->dimensions;
        out += transform->dimensions;
    }
    return HY_OK;
}
