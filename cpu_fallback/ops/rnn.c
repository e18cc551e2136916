#include "common/infer_rnn.h"
#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/sequence.h"

struct rnn_step {
    struct hy_rnn rnn;
    struct hy_cpu_sequence sequence;
    hy_matvec_fn *matvec;
    size_t biases[HY_DIRECTIONS], sums[HY_DIRECTIONS]; /* offsets in scratch */
};

HY_CPU_RESOLVE(hy_cpu_rnn_resolve)
{
    struct rnn_step *rnn = hy_arena_alloc(site->memory, sizeof *rnn);
    bool fits = true;

    if (!rnn)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
    *rnn = (struct rnn_step){0};
    enum hy_code code = hy_rnn_read(site->call, &rnn->rnn, err);
    rnn->sequence.shape = rnn->rnn.sequence;
    if (code == HY_OK)
        code = hy_cpu_sequence_plan(site, &rnn->sequence, &step->scratch, err);
    if (code != HY_OK)
        return code;

    for (uint32_t d = 0; d < rnn->sequence.shape.count; d++) {
        uint64_t units = rnn->sequence.shape.directions[d].sizes[0];
        fits = fits &&
               hy_cpu_scratch_take_rows(&step->scratch, 1, units, sizeof(float), &rnn->biases[d]) &&
               hy_cpu_scratch_take_rows(&step->scratch, rnn->sequence.shape.batch, units,
                                        sizeof(float), &rnn->sums[d]);
    }
    rnn->matvec = site->kernels->matvec[rnn->sequence.floats.element];
    step->params = rnn;
    return fits ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "its cells are too large");
}

static struct hy_rnn_cell cell_of(const struct rnn_step *rnn, const struct hy_cpu_work *work,
                                  uint32_t direction)
{
    const struct hy_rnn_inputs *inputs = &rnn->rnn.inputs[direction];
    const struct hy_direction *way = &rnn->sequence.shape.directions[direction];
    uint32_t weights = inputs->weights;

    return (struct hy_rnn_cell){
        .matvec = rnn->matvec,
        .batch = rnn->sequence.shape.batch,
        .inputs = way->in_size,
        .aux_inputs = way->aux_size,
        .units = way->sizes[0],
        .activation = rnn->rnn.activation,
        .weights = hy_call_input(work->call, weights)->data,
        .aux_weights = way->aux_size ? hy_call_input(work->call, inputs->aux_weights)->data : NULL,
        .recurrent = hy_call_input(work->call, weights + 1)->data,
        .bias = hy_cpu_sequence_load(&rnn->sequence, work, weights + 2, way->sizes[0],
                                     hy_cpu_scratch_floats(work, rnn->biases[direction])),
        .sums = hy_cpu_scratch_floats(work, rnn->sums[direction]),
    };
}

HY_CPU_RUN(hy_cpu_rnn_run)
{
    const struct rnn_step *rnn = work->params;

    (void)err;
    for (uint32_t d = 0; d < rnn->sequence.shape.count; d++) {
        struct hy_rnn_cell cell = cell_of(rnn, work, d);
        hy_cpu_sequence_run(&rnn->sequence, work, d, hy_rnn_step, &cell);
    }
    return HY_OK;
}
