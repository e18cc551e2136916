#include "cpu_fallback/ops/ops.h"

#include <string.h>

#include "common/inference/infer_matmul.h"
#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/conv/conv_pieces.h"
#include "cpu_fallback/ops/recurrent/pieces.h"
#include "cpu_fallback/program/image_order.h"

/*
 * Two methods. By strides: the plain kernel reads both sides in place. By panels: each matrix
 * product is a FULLY_CONNECTED of the rows of the left side, with the columns of the right side as
 * weights that are packed in every run.
 */

/* With fewer rows, packing the right side does not pay; packing int16 always pays. */
#define LEAST_ROWS      4u
#define LEAST_WIDE_ROWS 1u

/* Offsets in the scratch of a task. */
struct matmul_layout {
    size_t left;  /* transposed left side, if needed */
    size_t right; /* transposed right side, if needed */
    size_t packed;
    size_t units; /* scratch of the kernel */
    size_t bytes; /* total */
};

struct matmul_step {
    struct hy_matmul_params params;
    hy_matmul_fn *plain;                /* by strides */
    const struct hy_conv_kernel *panel; /* by panels; NULL: by strides */
    struct hy_conv_params product;      /* of one matrix */
    const void *bias;                   /* zeros, one for each column */
    uint32_t element_size;
    struct matmul_layout layout;
    uint32_t tasks; /* tasks that divide the matrices */
};

/* Dimension `index` of the `batch_rank` dimensions before the matrices; 1 if the rank is lower. */
static uint32_t batch_extent(const struct hy_shape *shape, uint32_t batch_rank, uint32_t index)
{
    const uint32_t missing = batch_rank + 2 - shape->rank;

    return index < missing ? 1 : shape->dims[index - missing];
}

/* The strides of a side; an extent of 1 is broadcast. */
static struct hy_matmul_side side_of(const struct hy_shape *shape, uint32_t batch_rank,
                                     bool adjoint)
{
    size_t rows = shape->dims[shape->rank - 2], columns = shape->dims[shape->rank - 1];
    struct hy_matmul_side side = {.row_stride = adjoint ? 1 : columns,
                                  .column_stride = adjoint ? columns : 1};
    size_t stride = rows * columns;

    for (uint32_t i = batch_rank; i-- > 0;) {
        const uint32_t extent = batch_extent(shape, batch_rank, i);
        if (extent > 1)
            side.batch_strides[i] = stride;
        stride *= extent;
    }
    return side;
}

static struct hy_matmul_params matmul_params(const struct hy_call *call,
                                             const struct hy_batch_matmul *read)
{
    const struct hy_value *lhs = hy_call_input(call, 0), *rhs = hy_call_input(call, 1);
    const struct hy_value *out = hy_call_output(call, 0);
    const uint32_t batch_rank = read->out.rank - 2;
    struct hy_matmul_params params = {
        .batch_rank = batch_rank,
        .rows = read->rows,
        .depth = read->depth,
        .columns = read->columns,
        .lhs = side_of(&lhs->shape, batch_rank, read->lhs_adjoint),
        .rhs = side_of(&rhs->shape, batch_rank, read->rhs_adjoint),
        .lhs_zero_point = lhs->zero_point,
        .rhs_zero_point = rhs->zero_point,
        .out_zero_point = out->zero_point,
    };

    for (uint32_t i = 0; i < batch_rank; i++)
        params.batch[i] = read->out.dims[i];
    return params;
}

/* ---- By panels ------------------------------------------------------------------------------- */

static bool is_transposed_left(const struct hy_matmul_params *params)
{
    return params->lhs.column_stride != 1;
}

/* True if the right side is not stored as a row of `depth` elements per column, the order of
 * weights. */
static bool is_transposed_right(const struct hy_matmul_params *params)
{
    return params->rhs.row_stride != 1;
}

/* True if the right side must be transposed before packing. */
static bool transposes_right(const struct matmul_step *matmul)
{
    return is_transposed_right(&matmul->params) && !matmul->panel->pack_transposed;
}

static bool plan_layout(const struct matmul_step *matmul, struct matmul_layout *layout)
{
    const struct hy_matmul_params *params = &matmul->params;
    const struct hy_conv_kernel *panel = matmul->panel;
    const size_t left = params->rows * params->depth * matmul->element_size;
    const size_t right = params->columns * params->depth * matmul->element_size;

    *layout = (struct matmul_layout){0};
    return hy_cpu_scratch_alloc(&layout->bytes, is_transposed_left(params) ? left : 0,
                                &layout->left) &&
           hy_cpu_scratch_alloc(&layout->bytes, transposes_right(matmul) ? right : 0,
                                &layout->right) &&
           hy_cpu_scratch_alloc(&layout->bytes, panel->packed_bytes(&matmul->product),
                                &layout->packed) &&
           hy_cpu_scratch_alloc(&layout->bytes,
                                panel->scratch_bytes ? panel->scratch_bytes(&matmul->product) : 0,
                                &layout->units);
}

/* Estimated microseconds on one thread. */
static double estimate_us(const struct matmul_step *matmul)
{
    const struct hy_matmul_params *params = &matmul->params;
    const double products = (double)hy_matmul_count(params) * (double)params->rows *
                            (double)params->depth * (double)params->columns;

    return products / matmul->panel->products_per_us;
}

static uint32_t plan_tasks(const struct matmul_step *matmul, double us, uint32_t threads)
{
    const struct hy_matmul_params *params = &matmul->params;
    const double worth = us / HY_CPU_TASK_US;
    uint32_t tasks = threads;

    if (worth < tasks)
        tasks = (uint32_t)worth;
    if (hy_matmul_count(params) < tasks)
        tasks = (uint32_t)hy_matmul_count(params);
    return tasks > 1 ? tasks : 1;
}

/* Makes a multiplier per column, all equal. NULL: out of memory. */
static const struct hy_multiplier *make_multipliers(const struct hy_cpu_resolve_ctx *ctx,
                                                    const struct hy_matmul_params *params)
{
    struct hy_multiplier *multipliers =
        hy_arena_alloc(ctx->memory, params->columns * sizeof *multipliers);

    for (size_t i = 0; multipliers && i < params->columns; i++)
        multipliers[i] = params->multiplier;
    return multipliers;
}

/* True if nothing is empty, each extent suits convolutions, and sums of bytes fit 32 bits. */
static bool fits_panels(const struct hy_matmul_params *params, enum hy_element element)
{
    if (element == HY_ELEMENT_S8 && params->depth > INT32_MAX / (UINT8_MAX * UINT8_MAX))
        return false;
    return params->depth > 0 && params->columns > 0 && params->rows <= INT32_MAX &&
           params->depth <= INT32_MAX && params->columns <= INT32_MAX;
}

/* The panel kernel; `pack` is NULL if there is none. */
static const struct hy_conv_kernel *panel_kernel(const struct hy_cpu_resolve_ctx *ctx,
                                                 enum hy_element element,
                                                 const struct hy_conv_params *product)
{
    if (element == HY_ELEMENT_S16) /* s16 convolutions have 8-bit weights */
        return &ctx->kernels->matmul_wide;
    return hy_conv_kernel_for(&ctx->kernels->conv[element], product);
}

/* Switches the step to panels if there is a kernel. */
static enum hy_code choose_panels(const struct hy_cpu_resolve_ctx *ctx, enum hy_element element,
                                  struct matmul_step *matmul, struct hy_cpu_step *step,
                                  struct hy_error *err)
{
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    const struct hy_matmul_params *params = &matmul->params;
    struct hy_conv_params *product = &matmul->product;

    const size_t least_rows = element == HY_ELEMENT_S16 ? LEAST_WIDE_ROWS : LEAST_ROWS;
    if (params->rows < least_rows || !fits_panels(params, element))
        return HY_OK;
    hy_conv_params_set_fully_connected(product, (uint32_t)params->rows, (uint32_t)params->depth,
                                       (uint32_t)params->columns);
    product->in_zero_point = params->lhs_zero_point;
    product->filter_zero_point = params->rhs_zero_point;
    product->out_zero_point = params->out_zero_point;
    product->activation = hy_activation_bounds(0, element, out->scale, out->zero_point);
    product->multipliers = &params->multiplier;
    const struct hy_conv_kernel *panel = panel_kernel(ctx, element, product);
    if (!panel->pack || (panel->suits && !panel->suits(product)))
        return HY_OK;

    float *bias = hy_arena_alloc(ctx->memory, params->columns * sizeof *bias);
    product->multipliers = make_multipliers(ctx, params);
    if (!bias || !product->multipliers)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %zu columns", params->columns);
    memset(bias, 0, params->columns * sizeof *bias); /* also zeros as integers */
    matmul->bias = bias;
    matmul->panel = panel;
    step->us = estimate_us(matmul);
    matmul->tasks = plan_tasks(matmul, step->us, ctx->threads);
    size_t offset;
    bool fits = plan_layout(matmul, &matmul->layout);
    for (uint32_t i = 0; i < matmul->tasks; i++)
        fits = fits && hy_cpu_scratch_alloc(&step->scratch, matmul->layout.bytes, &offset);
    return fits ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "the matrices are too large");
}

enum hy_code hy_cpu_batch_matmul_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                         struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_value *lhs = hy_call_input(ctx->call, 0), *rhs = hy_call_input(ctx->call, 1);
    enum hy_element element = hy_cpu_element(lhs->type);
    struct hy_batch_matmul read;

    if (element == HY_ELEMENT_COUNT || !ctx->kernels->matmul[element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(lhs->type));
    enum hy_code code = hy_batch_matmul_read(ctx->call, &read, err);
    if (code != HY_OK)
        return code;

    struct matmul_step *matmul = hy_arena_alloc(ctx->memory, sizeof *matmul);
    if (!matmul)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    *matmul = (struct matmul_step){
        .params = matmul_params(ctx->call, &read),
        .plain = ctx->kernels->matmul[element],
        .element_size = hy_operand_type_bytes(lhs->type),
    };
    if (element == HY_ELEMENT_S8 || element == HY_ELEMENT_S16)
        matmul->params.multiplier =
            hy_multiplier_for_product(lhs->scale, rhs->scale, hy_call_output(ctx->call, 0)->scale);
    step->params = matmul;
    return choose_panels(ctx, element, matmul, step, err);
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Data of a run, common to all tasks. */
struct matmul_run {
    const struct matmul_step *matmul;
    const uint8_t *lhs, *rhs;
    uint8_t *out;
    uint8_t *scratch;
};

/* Transposes [rows, columns] to [columns, rows]. */
static const void *transpose_matrix(const struct matmul_step *matmul, const void *matrix,
                                    size_t rows, size_t columns, void *to)
{
    const struct hy_image_size size = {
        .batch = 1, .height = 1, .width = (uint32_t)columns, .channels = (uint32_t)rows};

    hy_cpu_nchw_to_nhwc(&size, matmul->element_size, matrix, to);
    return to;
}

static const uint8_t *matrix_of(const struct matmul_step *matmul, const struct hy_matmul_side *side,
                                const uint8_t *data, size_t index)
{
    return data + hy_matmul_at(&matmul->params, side, index) * matmul->element_size;
}

/* The left side of matrix `index`, row by row. */
static const void *prepare_left(const struct matmul_run *run, size_t index, uint8_t *scratch)
{
    const struct matmul_step *matmul = run->matmul;
    const struct hy_matmul_params *params = &matmul->params;
    const void *matrix = matrix_of(matmul, &params->lhs, run->lhs, index);

    if (!is_transposed_left(params))
        return matrix;
    return transpose_matrix(matmul, matrix, params->depth, params->rows,
                            scratch + matmul->layout.left);
}

/* Packs the right side. */
static void pack_right(const struct matmul_run *run, const void *matrix, uint8_t *scratch)
{
    const struct matmul_step *matmul = run->matmul;
    const struct hy_matmul_params *params = &matmul->params;
    const bool pack_transposed = is_transposed_right(params) && !transposes_right(matmul);

    if (transposes_right(matmul))
        matrix = transpose_matrix(matmul, matrix, params->depth, params->columns,
                                  scratch + matmul->layout.right);
    (pack_transposed ? matmul->panel->pack_transposed : matmul->panel->pack)(
        &matmul->product, matrix, matmul->bias, scratch + matmul->layout.packed);
}

/* The first of `count` items of task `index`. */
static size_t first_of(const struct matmul_step *matmul, size_t count, uint32_t index)
{
    return (size_t)((uint64_t)count * index / matmul->tasks);
}

static void run_matrices(void *argument, uint32_t index)
{
    const struct matmul_run *run = argument;
    const struct matmul_step *matmul = run->matmul;
    const struct hy_matmul_params *params = &matmul->params;
    const size_t bytes = params->rows * params->columns * matmul->element_size;
    const size_t count = hy_matmul_count(params), end = first_of(matmul, count, index + 1);
    uint8_t *scratch = run->scratch + index * matmul->layout.bytes;

    const size_t piece = hy_conv_piece(matmul->panel, &matmul->product);
    struct hy_stop_watch *watch = hy_stop_here();
    const void *packed = NULL; /* the packed matrix; several products may share it */

    for (size_t i = first_of(matmul, count, index); i < end && !hy_stop_after(watch, params->rows);
         i++) {
        const void *left = prepare_left(run, i, scratch);
        const void *right = matrix_of(matmul, &params->rhs, run->rhs, i);
        if (right != packed)
            pack_right(run, right, scratch);
        packed = right;
        hy_conv_run_pieces(matmul->panel, &matmul->product, piece, left,
                           scratch + matmul->layout.packed, NULL, run->out + i * bytes,
                           scratch + matmul->layout.units, 0,
                           matmul->panel->units(&matmul->product));
    }
}

enum hy_code hy_cpu_batch_matmul_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct matmul_step *matmul = work->params;
    struct matmul_run run = {
        .matmul = matmul,
        .lhs = hy_call_input(work->call, 0)->data,
        .rhs = hy_call_input(work->call, 1)->data,
        .out = hy_call_output(work->call, 0)->data,
        .scratch = work->scratch,
    };

    (void)err;
    if (!matmul->panel)
        matmul->plain(&matmul->params, run.lhs, run.rhs, run.out);
    else
        hy_cpu_parallel_for(work, matmul->tasks, run_matrices, &run);
    return HY_OK;
}
