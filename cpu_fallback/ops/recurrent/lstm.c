#include <assert.h>
#include <string.h>

#include "common/inference/infer_lstm.h"
#include "common/operations/operation.h"
#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/recurrent/panels.h"
#include "cpu_fallback/ops/recurrent/step_barrier.h"
#include "cpu_fallback/program/program.h"

static_assert((int)HY_GATE_INPUT == (int)HY_LSTM_INPUT &&
                  (int)HY_GATE_OUTPUT == (int)HY_LSTM_OUTPUT,
              "operands and kernels count gates alike");

/* Vectors per cell: peepholes, normalization weights and biases of every gate. */
#define VECTORS (UINT64_C(3) * HY_LSTM_GATES)

enum { TANH = 4 }; /* activation code */

struct lstm_step {
    struct hy_lstm lstm;
    struct hy_cpu_sequence sequence;
    struct hy_cell_kernels kernels;
    struct hy_cpu_panels panels;
    hy_lstm_row_fn *row; /* for panel steps */
    struct lstm_layout {
        size_t vectors, projection_bias, gates, values; /* offsets in scratch */
    } layouts[HY_DIRECTIONS];
};

static bool alloc_scratch(const struct hy_sequence *shape, const struct hy_direction *way,
                          size_t *scratch, struct lstm_layout *layout)
{
    uint64_t units = way->sizes[1];

    return hy_cpu_scratch_alloc_rows(scratch, VECTORS, units, sizeof(float), &layout->vectors) &&
           hy_cpu_scratch_alloc_rows(scratch, 1, way->sizes[0], sizeof(float),
                                     &layout->projection_bias) &&
           hy_cpu_scratch_alloc_rows(scratch, (uint64_t)shape->batch * HY_LSTM_GATES, units,
                                     sizeof(float), &layout->gates) &&
           hy_cpu_scratch_alloc_rows(scratch, shape->batch, units, sizeof(float), &layout->values);
}

static enum hy_code plan_panels(const struct hy_cpu_resolve_ctx *ctx, struct lstm_step *lstm,
                                size_t *scratch, struct hy_error *err)
{
    struct hy_cpu_gates gates[HY_DIRECTIONS] = {0};
    bool suits = lstm->lstm.activation == TANH;

    for (uint32_t d = 0; d < lstm->sequence.shape.count; d++) {
        const struct hy_lstm_inputs *inputs = &lstm->lstm.inputs[d];
        const uint32_t first = inputs->cifg ? HY_GATE_FORGET : HY_GATE_INPUT;
        gates[d] = (struct hy_cpu_gates){
            .count = HY_GATE_COUNT - first,
            .units = inputs->units,
            .weights = inputs->weights + first,
            .recurrent = inputs->weights + HY_LSTM_RECURRENT + first,
            .bias = inputs->weights + HY_LSTM_BIAS + first,
            .is_lstm = true,
            .has_parts = !hy_call_has_input(ctx->call, inputs->weights + HY_LSTM_PROJECTION),
        };
        suits = suits && !inputs->layer_norm;
    }
    return hy_cpu_panels_plan(ctx, &lstm->sequence, gates, suits, &lstm->panels, scratch, err);
}

enum hy_code hy_cpu_lstm_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                 struct hy_error *err)
{
    struct lstm_step *lstm = hy_arena_alloc(ctx->memory, sizeof *lstm);
    bool fits = true;

    if (!lstm)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    *lstm = (struct lstm_step){0};
    enum hy_code code = hy_lstm_read(ctx->call, &lstm->lstm, err);
    lstm->sequence.shape = lstm->lstm.sequence;
    if (code == HY_OK)
        code = hy_cpu_sequence_plan(ctx, &lstm->sequence, &step->scratch, err);
    if (code == HY_OK)
        code = plan_panels(ctx, lstm, &step->scratch, err);
    if (code != HY_OK)
        return code;

    const struct hy_sequence *shape = &lstm->sequence.shape;
    for (uint32_t d = 0; d < shape->count; d++)
        fits =
            fits && alloc_scratch(shape, &shape->directions[d], &step->scratch, &lstm->layouts[d]);
    lstm->kernels = hy_cpu_floats_cell_kernels(ctx->kernels, &lstm->sequence.floats);
    lstm->row = ctx->kernels->lstm_row;
    step->params = lstm;
    step->us = lstm->panels.us;
    return fits ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "the cells are too large");
}

/* A run in one direction. */
struct lstm_run {
    const struct lstm_step *lstm;
    const struct hy_cpu_work *work;
    const struct hy_lstm_inputs *inputs;
    const struct hy_direction *way;
    const struct lstm_layout *layout;
};

/* The matrix of input `index`; NULL: omitted. */
static const void *matrix(const struct lstm_run *run, uint32_t index)
{
    const struct hy_call *call = run->work->call;
    return hy_call_has_input(call, index) ? hy_call_input(call, index)->data : NULL;
}

/* The vector of input `index` as floats; `place` is one of VECTORS. */
static const float *vector(const struct lstm_run *run, uint32_t index, size_t position)
{
    float *vectors = hy_cpu_scratch_floats(run->work, run->layout->vectors);
    size_t units = run->inputs->units;

    return hy_cpu_sequence_load(&run->lstm->sequence, run->work, index, units,
                                vectors + position * units);
}

static void set_gate(const struct lstm_run *run, uint32_t gate, struct hy_lstm_cell *cell)
{
    const struct hy_lstm_inputs *inputs = run->inputs;
    uint32_t weights = inputs->weights;

    if (gate != HY_GATE_CELL) {
        uint32_t peephole = gate == HY_GATE_OUTPUT ? 2 : gate;
        cell->peephole[gate] = vector(run, weights + HY_LSTM_PEEPHOLE + peephole, (size_t)3 * gate);
    }
    if (run->lstm->panels.kernel) /* panels have the rest */
        return;
    cell->weights[gate] = matrix(run, weights + gate);
    cell->recurrent[gate] = matrix(run, weights + HY_LSTM_RECURRENT + gate);
    if (run->way->aux_size)
        cell->aux_weights[gate] = matrix(run, inputs->aux_weights + gate);
    cell->norm[gate] = vector(run, inputs->norm + gate, 3 * gate + 1);
    cell->bias[gate] = vector(run, weights + HY_LSTM_BIAS + gate, 3 * gate + 2);
}

static struct hy_lstm_cell cell_of(const struct lstm_run *run)
{
    const struct lstm_step *lstm = run->lstm;
    uint32_t weights = run->inputs->weights;
    struct hy_lstm_cell cell = {
        .kernels = lstm->kernels,
        .batch = lstm->sequence.shape.batch,
        .inputs = run->way->in_size,
        .aux_inputs = run->way->aux_size,
        .units = run->way->sizes[1],
        .outputs = run->way->sizes[0],
        .activation = lstm->lstm.activation,
        .cell_clip = lstm->lstm.cell_clip,
        .projection_clip = lstm->lstm.projection_clip,
        .projection = matrix(run, weights + HY_LSTM_PROJECTION),
        .projection_bias = hy_cpu_sequence_load(
            &lstm->sequence, run->work, weights + HY_LSTM_PROJECTION_BIAS, run->way->sizes[0],
            hy_cpu_scratch_floats(run->work, run->layout->projection_bias)),
        .gates = hy_cpu_scratch_floats(run->work, run->layout->gates),
    };

    for (uint32_t gate = 0; gate < HY_LSTM_GATES; gate++)
        set_gate(run, gate, &cell);
    return cell;
}

static void run_cell(const struct lstm_run *run, uint32_t direction)
{
    const struct hy_lstm_cell cell = cell_of(run);
    const struct hy_cpu_stepper stepper = {.step = hy_lstm_step, .cell = &cell};

    hy_cpu_sequence_run(&run->lstm->sequence, run->work, direction, &stepper);
}

static void run_panels(const struct lstm_run *run, uint32_t direction)
{
    const struct lstm_step *lstm = run->lstm;
    const struct hy_cpu_panels_way *way = &lstm->panels.ways[direction];
    struct hy_conv_partition partitions[HY_CPU_STEP_BARRIER_PARTS];
    const float *brought =
        hy_cpu_panels_bring(&lstm->panels, run->work, run->way, direction, partitions);
    const struct hy_lstm_panel_cell cell = {
        .cell = cell_of(run),
        .panels = hy_cpu_panels_of(&lstm->panels, direction, partitions),
        .row = lstm->row,
        .kernel = way->lstm,
        .in_step = way->in_step,
        .is_coupled = run->inputs->cifg,
        .values = hy_cpu_scratch_floats(run->work, run->layout->values),
    };
    const struct hy_cpu_stepper stepper = {
        .step = way->lstm ? hy_lstm_units_step : hy_lstm_panel_step,
        .cell = &cell,
        .brought = brought,
        .columns = way->in.out_c,
        .parts = way->parts,
        .part = way->lstm ? hy_lstm_units_part : hy_lstm_panel_part,
        .early = way->lstm && way->parts == 2 ? hy_lstm_units_early : NULL,
        .hidden = cell.values, /* scratch of a projection, which has no parts */
        .partitions = cell.panels.interleaved ? partitions : NULL,
        .partition_rows = lstm->panels.kernel->interleaved_rows,
    };

    hy_cpu_sequence_run(&lstm->sequence, run->work, direction, &stepper);
}

enum hy_code hy_cpu_lstm_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct lstm_step *lstm = work->params;
    const struct hy_value *first = hy_call_output(work->call, 0);

    (void)err;
    for (uint32_t d = 0; d < lstm->sequence.shape.count; d++) {
        const struct lstm_run run = {lstm, work, &lstm->lstm.inputs[d],
                                     &lstm->sequence.shape.directions[d], &lstm->layouts[d]};
        if (lstm->panels.kernel)
            run_panels(&run, d);
        else
            run_cell(&run, d);
    }
    /* Clears the output that the API calls scratch, so that its contents are defined. */
    if (work->call->operation == HY_OP_LSTM)
        memset(first->data, 0, hy_cpu_value_bytes(first));
    return HY_OK;
}
