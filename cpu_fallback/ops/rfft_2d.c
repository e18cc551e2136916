/* RFFT_2D and COMPLEX_ABS of org.halyard.operations. Complex numbers are pairs of float32. */
#include "common/inference/infer_signal.h"

#include <math.h>
#include <string.h>

#include "cpu_fallback/kernels/fft.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/elements/elements.h"
#include "cpu_fallback/ops/elements/floats.h"
#include "cpu_fallback/ops/ops.h"

/* ---- RFFT_2D --------------------------------------------------------------------------------- */

struct rfft_step {
    size_t count, height, width; /* matrices */
    size_t rows, columns;        /* transformed size; smaller matrices are padded with zeros */
    size_t spectrum_columns;     /* transformed columns; the others mirror these */
    const struct hy_complex *row_twiddles, *column_twiddles;
    size_t matrix, line, temporary; /* offsets in scratch: [rows, kept] and two lines */
};

static enum hy_code make_twiddles(const struct hy_cpu_resolve_ctx *ctx, size_t n,
                                  const struct hy_complex **out, struct hy_error *err)
{
    struct hy_complex *twiddles = hy_arena_alloc(ctx->memory, n * sizeof *twiddles);

    if (!twiddles)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a transform of %zu numbers", n);
    hy_fft_twiddles(n, twiddles);
    *out = twiddles;
    return HY_OK;
}

enum hy_code hy_cpu_rfft_2d_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                    struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(ctx->call, 0)->shape;
    struct rfft_step *rfft = hy_arena_alloc(ctx->memory, sizeof *rfft);
    const size_t size = sizeof(struct hy_complex);
    uint32_t lengths[2] = {0};

    if (!rfft)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    enum hy_code code = hy_rfft_2d_read(ctx->call, lengths, err);
    if (code != HY_OK)
        return code;
    *rfft = (struct rfft_step){
        .count = hy_shape_span(in, 0, in->rank - 2),
        .height = in->dims[in->rank - 2],
        .width = in->dims[in->rank - 1],
        .rows = lengths[0],
        .columns = lengths[1],
        .spectrum_columns = lengths[1] / 2 + 1,
    };
    const size_t longest = rfft->rows > rfft->columns ? rfft->rows : rfft->columns;
    if (!hy_cpu_scratch_alloc_rows(&step->scratch, rfft->rows, rfft->spectrum_columns, size,
                                   &rfft->matrix) ||
        !hy_cpu_scratch_alloc_rows(&step->scratch, 1, longest, size, &rfft->line) ||
        !hy_cpu_scratch_alloc_rows(&step->scratch, 1, longest, size, &rfft->temporary))
        return hy_fail(err, HY_OUT_OF_MEMORY, "%zu numbers are too many", longest);
    code = make_twiddles(ctx, rfft->rows, &rfft->row_twiddles, err);
    if (code == HY_OK)
        code = make_twiddles(ctx, rfft->columns, &rfft->column_twiddles, err);
    step->params = rfft;
    return code;
}

static struct hy_complex *complex_at(const struct hy_cpu_work *work, size_t offset)
{
    return (struct hy_complex *)(void *)(work->scratch + offset);
}

static void transform_rows(const struct hy_cpu_work *work, const float *in)
{
    const struct rfft_step *rfft = work->params;
    struct hy_complex *matrix = complex_at(work, rfft->matrix),
                      *line = complex_at(work, rfft->line);
    const size_t width = rfft->width < rfft->columns ? rfft->width : rfft->columns;

    for (size_t r = 0; r < rfft->rows && !hy_stop_after(hy_stop_here(), rfft->columns); r++) {
        memset(line, 0, rfft->columns * sizeof *line);
        for (size_t c = 0; r < rfft->height && c < width; c++)
            line[c].real = (double)in[r * rfft->width + c];
        if (r < rfft->height)
            hy_fft(rfft->columns, rfft->column_twiddles, line, complex_at(work, rfft->temporary));
        memcpy(matrix + r * rfft->spectrum_columns, line, rfft->spectrum_columns * sizeof *line);
    }
}

static void transform_columns(const struct hy_cpu_work *work, float *out)
{
    const struct rfft_step *rfft = work->params;
    const struct hy_complex *matrix = complex_at(work, rfft->matrix);
    struct hy_complex *line = complex_at(work, rfft->line);

    for (size_t c = 0; c < rfft->spectrum_columns && !hy_stop_after(hy_stop_here(), rfft->rows);
         c++) {
        for (size_t r = 0; r < rfft->rows; r++)
            line[r] = matrix[r * rfft->spectrum_columns + c];
        hy_fft(rfft->rows, rfft->row_twiddles, line, complex_at(work, rfft->temporary));
        for (size_t r = 0; r < rfft->rows; r++) {
            out[2 * (r * rfft->spectrum_columns + c)] = (float)line[r].real;
            out[2 * (r * rfft->spectrum_columns + c) + 1] = (float)line[r].imaginary;
        }
    }
}

enum hy_code hy_cpu_rfft_2d_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct rfft_step *rfft = work->params;
    const float *in = hy_call_input(work->call, 0)->data;
    float *out = hy_call_output(work->call, 0)->data;

    (void)err;
    for (size_t i = 0; i < rfft->count; i++) {
        transform_rows(work, in + i * rfft->height * rfft->width);
        transform_columns(work, out + i * rfft->rows * rfft->spectrum_columns * 2);
    }
    return HY_OK;
}

/* ---- COMPLEX_ABS ----------------------------------------------------------------------------- */

/* Limited by a square root per element. */
#define MAGNITUDES_PER_US 500.0

enum hy_code hy_cpu_complex_abs_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                        struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_shape *out = &hy_call_output(ctx->call, 0)->shape;
    const struct hy_cpu_elements elements =
        hy_cpu_elements_plan(ctx, hy_shape_span(out, 0, out->rank), MAGNITUDES_PER_US, step);

    step->params = hy_arena_copy(ctx->memory, &elements, 1, sizeof elements);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

/* Computes in float64, so squares cannot overflow. */
static void run_magnitudes(const struct hy_cpu_work *work, size_t first, size_t count)
{
    const float *in = (const float *)hy_call_input(work->call, 0)->data + 2 * first;
    float *out = hy_cpu_elements_at(hy_call_output(work->call, 0), first);

    for (size_t i = 0; i < count; i++) {
        const double real = (double)in[2 * i], imaginary = (double)in[2 * i + 1];
        out[i] = (float)sqrt(real * real + imaginary * imaginary);
    }
}

enum hy_code hy_cpu_complex_abs_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    (void)err;
    hy_cpu_elements_run(work, work->params, run_magnitudes);
    return HY_OK;
}
