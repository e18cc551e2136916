#include "common/inference/infer_rnn.h"
#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/recurrent/panels.h"
#include "cpu_fallback/ops/recurrent/step_barrier.h"

struct rnn_step {
    struct hy_rnn rnn;
    struct hy_cpu_sequence sequence;
    struct hy_cell_kernels kernels;
    struct hy_cpu_panels panels;
    /* offsets in scratch */
    size_t biases[HY_DIRECTIONS], sums[HY_DIRECTIONS], hidden[HY_DIRECTIONS];
};

static enum hy_code plan_panels(const struct hy_cpu_resolve_ctx *ctx, struct rnn_step *rnn,
                                size_t *scratch, struct hy_error *err)
{
    struct hy_cpu_gates gates[HY_DIRECTIONS] = {0};

    for (uint32_t d = 0; d < rnn->sequence.shape.count; d++) {
        const uint32_t weights = rnn->rnn.inputs[d].weights;
        gates[d] = (struct hy_cpu_gates){.count = 1,
                                         .units = rnn->sequence.shape.directions[d].sizes[0],
                                         .weights = weights,
                                         .recurrent = weights + 1,
                                         .bias = weights + 2,
                                         .has_parts = true};
    }
    return hy_cpu_panels_plan(ctx, &rnn->sequence, gates, true, &rnn->panels, scratch, err);
}

enum hy_code hy_cpu_rnn_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                struct hy_error *err)
{
    struct rnn_step *rnn = hy_arena_alloc(ctx->memory, sizeof *rnn);
    bool fits = true;

    if (!rnn)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    *rnn = (struct rnn_step){0};
    enum hy_code code = hy_rnn_read(ctx->call, &rnn->rnn, err);
    rnn->sequence.shape = rnn->rnn.sequence;
    if (code == HY_OK)
        code = hy_cpu_sequence_plan(ctx, &rnn->sequence, &step->scratch, err);
    if (code == HY_OK)
        code = plan_panels(ctx, rnn, &step->scratch, err);
    if (code != HY_OK)
        return code;

    for (uint32_t d = 0; d < rnn->sequence.shape.count; d++) {
        uint64_t units = rnn->sequence.shape.directions[d].sizes[0];
        fits =
            fits &&
            hy_cpu_scratch_alloc_rows(&step->scratch, 1, units, sizeof(float), &rnn->biases[d]) &&
            hy_cpu_scratch_alloc_rows(&step->scratch, rnn->sequence.shape.batch, units,
                                      sizeof(float), &rnn->sums[d]) &&
            hy_cpu_scratch_alloc_rows(&step->scratch, rnn->sequence.shape.batch, units,
                                      sizeof(float), &rnn->hidden[d]);
    }
    rnn->kernels = hy_cpu_floats_cell_kernels(ctx->kernels, &rnn->sequence.floats);
    step->params = rnn;
    step->us = rnn->panels.us;
    return fits ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "the cells are too large");
}

static struct hy_rnn_cell cell_of(const struct rnn_step *rnn, const struct hy_cpu_work *work,
                                  uint32_t direction)
{
    const struct hy_rnn_inputs *inputs = &rnn->rnn.inputs[direction];
    const struct hy_direction *way = &rnn->sequence.shape.directions[direction];
    uint32_t weights = inputs->weights;

    struct hy_rnn_cell cell = {
        .kernels = rnn->kernels,
        .batch = rnn->sequence.shape.batch,
        .inputs = way->in_size,
        .aux_inputs = way->aux_size,
        .units = way->sizes[0],
        .activation = rnn->rnn.activation,
        .sums = hy_cpu_scratch_floats(work, rnn->sums[direction]),
    };

    if (rnn->panels.kernel) {
        cell.in_step = rnn->panels.ways[direction].in_step;
        return cell;
    }
    cell.weights = hy_call_input(work->call, weights)->data;
    cell.aux_weights = way->aux_size ? hy_call_input(work->call, inputs->aux_weights)->data : NULL;
    cell.recurrent = hy_call_input(work->call, weights + 1)->data;
    cell.bias = hy_cpu_sequence_load(&rnn->sequence, work, weights + 2, way->sizes[0],
                                     hy_cpu_scratch_floats(work, rnn->biases[direction]));
    return cell;
}

enum hy_code hy_cpu_rnn_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct rnn_step *rnn = work->params;

    (void)err;
    for (uint32_t d = 0; d < rnn->sequence.shape.count; d++) {
        const struct hy_direction *way = &rnn->sequence.shape.directions[d];
        struct hy_rnn_cell cell = cell_of(rnn, work, d);
        struct hy_cpu_stepper stepper = {.step = hy_rnn_step, .cell = &cell};
        struct hy_conv_partition partitions[HY_CPU_STEP_BARRIER_PARTS];
        if (rnn->panels.kernel) {
            stepper.step = hy_rnn_panel_step;
            stepper.brought = hy_cpu_panels_bring(&rnn->panels, work, way, d, partitions);
            cell.panels = hy_cpu_panels_of(&rnn->panels, d, partitions);
            stepper.partitions = cell.panels.interleaved ? partitions : NULL;
            stepper.partition_rows = rnn->panels.kernel->interleaved_rows;
            stepper.columns = cell.units;
            stepper.parts = rnn->panels.ways[d].parts;
            stepper.part = hy_rnn_panel_part;
            stepper.hidden = hy_cpu_scratch_floats(work, rnn->hidden[d]);
        }
        hy_cpu_sequence_run(&rnn->sequence, work, d, &stepper);
    }
    return HY_OK;
}
