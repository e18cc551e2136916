#include "cpu_fallback/ops/ops.h"

#include <android/NeuralNetworksTypes.h>

#include "common/inference/infer_transpose_conv.h"
#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "cpu_fallback/buffers/cached_weights.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/conv/conv_cut.h"
#include "cpu_fallback/ops/conv/conv_hybrid.h"
#include "cpu_fallback/ops/conv/conv_pieces.h"
#include "cpu_fallback/ops/conv/conv_row.h"
#include "cpu_fallback/ops/conv/conv_step.h"
#include "cpu_fallback/ops/conv/conv_sums.h"
#include "cpu_fallback/ops/conv/conv_winograd.h"

static bool is_quantised(enum hy_element element)
{
    return element == HY_ELEMENT_U8 || element == HY_ELEMENT_S8 || element == HY_ELEMENT_U8_S8 ||
           element == HY_ELEMENT_S16;
}

/* The kernel variant for the types of input and filter. */
static enum hy_element conv_element(const struct hy_call *call)
{
    int32_t filter = hy_call_input(call, 1)->type;
    enum hy_element element = hy_cpu_element(hy_call_input(call, 0)->type);

    if (element == HY_ELEMENT_U8 && filter == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL)
        return HY_ELEMENT_U8_S8;
    return element;
}

/*
 * True if the product of the scales of input and filter is computed in double, as in TensorFlow
 * Lite: with a scale per channel, and for all int8 and int16 convolutions. For uint8 and
 * FULLY_CONNECTED the product is a float32.
 */
static bool is_product_double(const struct hy_call *call)
{
    return hy_call_input(call, 1)->channel_scales ||
           (call->operation != HY_OP_FULLY_CONNECTED && call->operation != HY_EXT_FULLY_CONNECTED &&
            hy_cpu_element(hy_call_input(call, 0)->type) != HY_ELEMENT_U8);
}

/* One multiplier per output channel, in `memory`. NULL: out of memory. */
static const struct hy_multiplier *make_multipliers(const struct hy_cpu_resolve_ctx *ctx,
                                                    struct hy_arena *memory, uint32_t channels)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    const struct hy_value *filter = hy_call_input(ctx->call, 1);
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    struct hy_multiplier *multipliers = hy_arena_alloc(memory, channels * sizeof *multipliers);

    const bool is_double = is_product_double(ctx->call);

    for (uint32_t i = 0; multipliers && i < channels; i++) {
        const float scale = filter->channel_scales ? filter->channel_scales[i] : filter->scale;
        multipliers[i] = is_double ? hy_multiplier_for_double_product(in->scale, scale, out->scale)
                                   : hy_multiplier_for_product(in->scale, scale, out->scale);
    }
    return multipliers;
}

/* Sets activation and zero points. */
static void set_numbers(const struct hy_cpu_resolve_ctx *ctx, enum hy_element element,
                        int32_t activation, struct hy_conv_params *params)
{
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    enum hy_element out_element = hy_cpu_element(out->type);

    params->activation = hy_activation_bounds(activation, out_element, out->scale, out->zero_point);
    if (!is_quantised(element))
        return;
    params->in_zero_point = hy_call_input(ctx->call, 0)->zero_point;
    params->filter_zero_point = hy_call_input(ctx->call, 1)->zero_point;
    params->out_zero_point = out->zero_point;
    params->has_one_multiplier =
        hy_call_input(ctx->call, 1)->type != ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL;
}

/* Sets the multipliers, in `memory`. Packed weights include them, so only packing, and kernels that
 * do not pack, need multipliers. */
static enum hy_code set_multipliers(const struct hy_cpu_resolve_ctx *ctx, enum hy_element element,
                                    struct hy_arena *memory, struct hy_conv_params *params,
                                    struct hy_error *err)
{
    if (!is_quantised(element))
        return HY_OK;
    params->multipliers = make_multipliers(ctx, memory, params->out_c);
    if (!params->multipliers)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the multipliers");
    return HY_OK;
}

/* Packs constant weights, and frees the multipliers. conv->packed stays NULL if the slot holds
 * weights for another call. */
static enum hy_code pack_weights(const struct hy_cpu_resolve_ctx *ctx, enum hy_element element,
                                 struct conv_step *conv, struct hy_error *err)
{
    struct hy_arena memory = hy_cpu_arena(ctx->host);
    struct hy_conv_params params = conv->params;
    const void *filter = hy_call_input(ctx->call, 1)->data;

    enum hy_code code = set_multipliers(ctx, element, &memory, &params, err);
    if (code == HY_OK && ctx->stored_filter) {
        filter = hy_conv_load_stored(ctx, conv->kernel, &memory, &params);
        if (!filter)
            code = hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the filter");
    }
    if (code == HY_OK)
        code = hy_cpu_weights_get(ctx->weights, conv->kernel, &params, filter,
                                  hy_call_input(ctx->call, 2)->data, &conv->packed, err);
    hy_arena_finish(&memory);
    return code;
}

/* Finds packed constant weights, or packs them now, or reserves scratch to pack others in every
 * run. */
static enum hy_code plan_weights(const struct hy_cpu_resolve_ctx *ctx, enum hy_element element,
                                 struct conv_step *conv, size_t *scratch, struct hy_error *err)
{
    const struct hy_conv_kernel *kernel = conv->kernel;
    const void *filter = hy_call_input(ctx->call, 1)->data;
    const void *bias = hy_call_input(ctx->call, 2)->data;
    const bool is_cached = kernel->pack && ctx->weights && !conv->fallback;

    if (is_cached)
        conv->packed = hy_cpu_weights_find(ctx->weights, kernel, &conv->params);
    enum hy_code code = HY_OK;
    if (is_cached && !conv->packed)
        code = pack_weights(ctx, element, conv, err);
    if (code != HY_OK || conv->packed)
        return code;
    code = set_multipliers(ctx, element, ctx->memory, &conv->params, err);
    if (code != HY_OK)
        return code;
    if (ctx->weights &&
        (!filter || !bias)) /* restored from a cache, which has only packed weights */
        return hy_fail(err, HY_FAILED, "the weights exist only packed for other shapes");
    if (!kernel->pack)
        return HY_OK;
    if (!hy_cpu_scratch_alloc(scratch, kernel->packed_bytes(&conv->params), &conv->weights_offset))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the weights are too large");
    return HY_OK;
}

/* Reserves `each` bytes for each of `count` tasks, and their queues. */
static bool alloc_task_scratch(struct conv_step *conv, size_t each, uint32_t count, size_t *scratch)
{
    size_t offset;

    if (!hy_cpu_scratch_alloc(scratch, count * sizeof(struct hy_conv_chunk_cursor),
                              &conv->cursors_offset) ||
        !hy_cpu_scratch_alloc(&conv->task_scratch, each, &offset))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!hy_cpu_scratch_alloc(scratch, each, &offset))
            return false;
        if (i == 0)
            conv->tasks_offset = offset;
    }
    return true;
}

static size_t count_tiles(const struct conv_step *conv)
{
    struct hy_conv_params params = conv->params;

    params.block = 0;
    return conv->kernel->units(&params);
}

/* Divides the work, with the chosen block or the rule's. Scratch is the same for every choice, so
 * that memory from the host suffices for all of them. */
static enum hy_code plan_tasks(const struct hy_cpu_resolve_ctx *ctx, struct conv_step *conv,
                               struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_conv_work work = {
        .kernel = conv->kernel,
        .params = &conv->params,
        .operation = ctx->call->operation,
        .element_size = conv->element_size,
        .threads = ctx->threads,
        .l2_bytes = ctx->l2_bytes,
        .is_packed = conv->packed != NULL,
    };
    const size_t tiles = count_tiles(conv);
    size_t each = conv->kernel->scratch_bytes ? conv->kernel->scratch_bytes(&conv->params) : 0;
    struct hy_cpu_blockings blockings;

    hy_conv_cut(&work, &blockings, &step->us);
    if (ctx->blocking && !hy_conv_cut_select(&blockings, ctx->blocking->block))
        return hy_fail(err, HY_FAILED, "the blocking of %u channels is not possible",
                       ctx->blocking->block);
    conv->params.block = blockings.selected;
    const size_t units = conv->kernel->units(&conv->params);
    conv->piece = hy_conv_piece(conv->kernel, &conv->params);
    const uint32_t tasks = hy_conv_cut_tasks(&work, blockings.selected, step->us);
    conv->chunk_queue = (struct hy_conv_chunk_queue){
        .tasks = tasks,
        .is_by_pixels = hy_conv_cut_is_by_pixels(tiles, tasks),
        .units = units,
        .tiles = tiles,
        .least = hy_conv_cut_least(units, tasks, step->us),
    };
    const uint32_t most = hy_conv_cut_most_tasks(&work, &blockings, step->us);
    if (!alloc_task_scratch(conv, each, most, &step->scratch))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the scratch memory is too large");
    if (blockings.count == 1)
        return HY_OK;
    step->blockings = hy_arena_copy(ctx->memory, &blockings, 1, sizeof blockings);
    return step->blockings ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the blockings");
}

static enum hy_code plan_copies(const struct hy_cpu_resolve_ctx *ctx, struct conv_step *conv,
                                size_t *scratch, struct hy_error *err)
{
    uint64_t in, out;

    if (!conv->nchw)
        return HY_OK;
    if (!hy_shape_bytes(&hy_call_input(ctx->call, 0)->shape, conv->element_size, &in) ||
        !hy_shape_bytes(&hy_call_output(ctx->call, 0)->shape, conv->element_size, &out) ||
        !hy_cpu_scratch_alloc(scratch, in, &conv->in_offset) ||
        !hy_cpu_scratch_alloc(scratch, out, &conv->out_offset))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the tensors are too large");
    return HY_OK;
}

/* Selects the reference kernel if sums may exceed the 32 bits of fast kernels. Packed weights were
 * checked when they were packed. */
static void check_sums(const struct hy_cpu_resolve_ctx *ctx, const struct hy_conv_kernel *reference,
                       struct conv_step *conv)
{
    const void *bias = hy_call_input(ctx->call, 2)->data;

    if (ctx->weights && conv->kernel->pack &&
        hy_cpu_weights_find(ctx->weights, conv->kernel, &conv->params))
        return;
    conv->largest_products = hy_conv_largest_products(ctx->call, &conv->params);
    if (!hy_conv_sums_fit(conv->largest_products, bias, bias ? conv->params.out_c : 0)) {
        conv->kernel = reference;
        conv->fallback = true;
    } else if (!bias) {
        conv->wide = reference;
    }
}

/* Completes `conv`, whose sizes and layout are set. */
static enum hy_code resolve(const struct hy_cpu_resolve_ctx *ctx, struct conv_step *conv,
                            const struct hy_conv_kernel *kernels,
                            const struct hy_conv_kernel *reference, int32_t activation,
                            struct hy_cpu_step *step, struct hy_error *err)
{
    int32_t type = hy_call_input(ctx->call, 0)->type;
    enum hy_element element = conv_element(ctx->call);

    if (element == HY_ELEMENT_COUNT || !kernels[element].run)
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(type));
    set_numbers(ctx, element, activation, &conv->params);
    const struct hy_conv_kernel *direct =
        hy_cpu_weights_kernel(ctx->weights, &kernels[element], &conv->params);
    conv->kernel = hy_conv_row(ctx, element, &conv->params);
    if (!conv->kernel && element == HY_ELEMENT_F32)
        conv->kernel = hy_conv_hybrid(ctx, &conv->params);
    if (!conv->kernel && hy_conv_is_plain(ctx->call->operation))
        conv->kernel = hy_conv_winograd(ctx, element, direct, &conv->params);
    if (!conv->kernel)
        conv->kernel = direct;
    conv->fallback = conv->kernel->suits && !conv->kernel->suits(&conv->params);
    if (conv->fallback)
        conv->kernel = &reference[element];
    else if (is_quantised(element) && element != HY_ELEMENT_S16) /* s16 sums have 64 bits */
        check_sums(ctx, &reference[element], conv);
    if (conv->kernel->reads_filter)
        conv->filter = hy_call_input(ctx->call, 1)->data;
    conv->element_size = hy_operand_type_bytes(type);
    enum hy_code code = plan_weights(ctx, element, conv, &step->scratch, err);
    if (code == HY_OK)
        code = plan_tasks(ctx, conv, step, err);
    if (code == HY_OK)
        code = plan_copies(ctx, conv, &step->scratch, err);
    if (code != HY_OK)
        return code;
    step->params = hy_arena_copy(ctx->memory, conv, 1, sizeof *conv);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

static struct conv_step conv_sizes(const struct hy_conv_2d *read)
{
    return (struct conv_step){
        .params =
            {
                .batch = read->in.batch,
                .in_h = read->in.height,
                .in_w = read->in.width,
                .in_c = read->in.channels,
                .out_h = read->out.height,
                .out_w = read->out.width,
                .out_c = read->out.channels,
                .filter_h = read->rows.filter,
                .filter_w = read->columns.filter,
                .stride_h = read->rows.stride,
                .stride_w = read->columns.stride,
                .dilation_h = read->rows.dilation,
                .dilation_w = read->columns.dilation,
                .pad_top = read->rows.head,
                .pad_left = read->columns.head,
                .groups = read->groups,
            },
        .in = read->in,
        .out = read->out,
        .nchw = read->nchw,
    };
}

enum hy_code hy_cpu_conv_2d_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                    struct hy_error *err)
{
    struct hy_conv_2d read;
    enum hy_code code = hy_conv_2d_read(ctx->call, &read, err);

    if (code != HY_OK)
        return code;
    struct conv_step conv = conv_sizes(&read);
    return resolve(ctx, &conv, ctx->kernels->conv, ctx->reference->conv, read.activation, step,
                   err);
}

enum hy_code hy_cpu_depthwise_conv_2d_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                              struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_conv_2d read;
    enum hy_code code = hy_depthwise_conv_2d_read(ctx->call, &read, err);

    if (code != HY_OK)
        return code;
    struct conv_step conv = conv_sizes(&read);
    return resolve(ctx, &conv, ctx->kernels->depthwise_conv, ctx->reference->depthwise_conv,
                   read.activation, step, err);
}

enum hy_code hy_cpu_grouped_conv_2d_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                            struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_conv_2d read;
    enum hy_code code = hy_grouped_conv_2d_read(ctx->call, &read, err);

    if (code != HY_OK)
        return code;
    struct conv_step conv = conv_sizes(&read);
    const struct hy_conv_kernel *kernels =
        read.groups == 1 ? ctx->kernels->conv : ctx->kernels->grouped_conv;
    return resolve(ctx, &conv, kernels, ctx->reference->grouped_conv, read.activation, step, err);
}

enum hy_code hy_cpu_transpose_conv_2d_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                              struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_conv_2d read;
    enum hy_code code = hy_transpose_conv_2d_read(ctx->call, &read, err);

    if (code != HY_OK)
        return code;
    struct conv_step conv = conv_sizes(&read);
    return resolve(ctx, &conv, ctx->kernels->transpose_conv, ctx->reference->transpose_conv,
                   read.activation, step, err);
}

enum hy_code hy_cpu_fully_connected_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                            struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_fully_connected read;
    struct conv_step conv = {0};
    enum hy_code code = hy_fully_connected_read(ctx->call, &read, err);

    if (code != HY_OK)
        return code;
    hy_conv_params_set_fully_connected(&conv.params, read.rows, read.inputs, read.units);
    return resolve(ctx, &conv, ctx->kernels->conv, ctx->reference->conv, read.activation, step,
                   err);
}

/* Data of a run, common to all tasks. */
struct conv_run {
    const struct conv_step *conv;
    const void *in, *weights, *bias;
    void *out;
    uint8_t *scratch; /* scratch of the step */
    struct hy_conv_chunk_cursor *cursor;
    struct hy_cpu_cached_weights *cached_weights; /* cache of the weights in use, or NULL */
};

static void run_task(void *argument, uint32_t index)
{
    const struct conv_run *run = argument;
    const struct conv_step *conv = run->conv;
    uint8_t *scratch = run->scratch + conv->tasks_offset + index * conv->task_scratch;
    struct hy_stop_watch *watch = hy_stop_here();
    size_t first, end;

    while (hy_conv_chunk_queue_pop(&conv->chunk_queue, run->cursor, index, &first, &end) &&
           !hy_stop_after(watch, 1))
        hy_conv_run_pieces(conv->kernel, &conv->params, conv->piece, run->in, run->weights,
                           run->bias, run->out, scratch, first, end);
}

/* The cached packed weights of a buffer of the device, or NULL. */
static const void *acquire_cached_weights(const struct hy_cpu_work *work, const void *filter,
                                          const struct hy_value *bias)
{
    const struct conv_step *conv = work->params;
    uint64_t bias_length = 0;

    if (!work->cached_weights || !work->cached_weights->cached_weights ||
        (bias->data &&
         !hy_shape_bytes(&bias->shape, hy_operand_type_bytes(bias->type), &bias_length)))
        return NULL;
    const struct hy_cpu_cached_weights_request request = {
        .host = work->host,
        .operation = work->operation,
        .writes = work->cached_weights->writes,
        .kernel = conv->kernel,
        .params = &conv->params,
        .filter = filter,
        .bias = bias->data,
        .bias_length = (size_t)bias_length,
    };
    return hy_cpu_cached_weights_acquire(work->cached_weights->cached_weights, &request);
}

/* Sets the weights in the order of the kernel. */
static void select_weights(const struct hy_cpu_work *work, struct conv_run *run)
{
    const struct conv_step *conv = run->conv;
    const void *filter = hy_call_input(work->call, 1)->data;
    const struct hy_value *bias = hy_call_input(work->call, 2);

    if (!conv->kernel->pack) {
        run->weights = filter;
        run->bias = bias->data;
    } else if (conv->packed) {
        run->weights = conv->packed;
        run->bias = conv->filter;
    } else if ((run->weights = acquire_cached_weights(work, filter, bias))) {
        run->cached_weights = work->cached_weights->cached_weights;
    } else {
        void *packed = work->scratch + conv->weights_offset;
        conv->kernel->pack(&conv->params, filter, bias->data, packed);
        run->weights = packed;
    }
}

/* Fast path with packed weights, NHWC tensors and one thread, as in tiny networks. */
static void run_at_once(const struct hy_cpu_work *work)
{
    const struct conv_step *conv = work->params;

    hy_conv_run_pieces(conv->kernel, &conv->params, conv->piece, hy_call_input(work->call, 0)->data,
                       conv->packed, conv->filter, hy_call_output(work->call, 0)->data,
                       work->scratch + conv->tasks_offset, 0, conv->chunk_queue.units);
}

/* True if sums exceed 32 bits with the bias of this run. */
static bool is_wide(const struct hy_cpu_work *work)
{
    const struct conv_step *conv = work->params;
    const void *bias = hy_call_input(work->call, 2)->data;

    return conv->wide && !hy_conv_sums_fit(conv->largest_products, bias, conv->params.out_c);
}

/* Runs the whole convolution with sums of 64 bits. */
static void run_wide(const struct hy_cpu_work *work, const struct conv_run *run)
{
    const struct conv_step *conv = run->conv;

    conv->wide->run(&conv->params, run->in, hy_call_input(work->call, 1)->data,
                    hy_call_input(work->call, 2)->data, run->out, NULL, 0,
                    conv->wide->units(&conv->params));
}

/* Runs the whole convolution on several threads. */
static void run_shared(const struct hy_cpu_work *work, struct conv_run *run)
{
    const struct conv_step *conv = run->conv;

    select_weights(work, run);
    hy_conv_chunk_queue_start(&conv->chunk_queue, run->cursor);
    hy_cpu_parallel_for(work, conv->chunk_queue.tasks, run_task, run);
    if (run->cached_weights)
        hy_cpu_cached_weights_release(run->cached_weights);
}

static __attribute__((noinline)) void run_general(const struct hy_cpu_work *work)
{
    const struct conv_step *conv = work->params;
    struct conv_run run = {
        .conv = conv,
        .in = hy_call_input(work->call, 0)->data,
        .out = hy_call_output(work->call, 0)->data,
        .scratch = work->scratch,
        .cursor = (struct hy_conv_chunk_cursor *)(work->scratch + conv->cursors_offset),
    };

    if (conv->nchw) {
        hy_cpu_nchw_to_nhwc(&conv->in, conv->element_size, run.in, work->scratch + conv->in_offset);
        run.in = work->scratch + conv->in_offset;
        run.out = work->scratch + conv->out_offset;
    }
    if (is_wide(work))
        run_wide(work, &run);
    else
        run_shared(work, &run);
    if (conv->nchw)
        hy_cpu_nhwc_to_nchw(&conv->out, conv->element_size, run.out,
                            hy_call_output(work->call, 0)->data);
}

enum hy_code hy_cpu_conv_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct conv_step *conv = work->params;

    (void)err;
    if (conv->packed && !conv->nchw && (conv->chunk_queue.tasks == 1 || work->is_alone))
        run_at_once(work);
    else
        run_general(work);
    return HY_OK;
}
