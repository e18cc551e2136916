#include "cpu_fallback/ops/recurrent/sequence.h"

#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/recurrent/step_barrier.h"

enum hy_code hy_cpu_sequence_plan(const struct hy_cpu_resolve_ctx *ctx,
                                  struct hy_cpu_sequence *sequence, size_t *scratch,
                                  struct hy_error *err)
{
    const struct hy_sequence *shape = &sequence->shape;
    enum hy_code code =
        hy_cpu_floats_init(ctx->kernels, hy_call_input(ctx->call, 0)->type, &sequence->floats, err);
    bool fits = true;

    if (code != HY_OK)
        return code;
    for (uint32_t d = 0; d < shape->count; d++) {
        const struct hy_direction *way = &shape->directions[d];
        struct hy_cpu_sequence_layout *layout = &sequence->layouts[d];
        uint64_t batch = shape->batch;

        fits =
            fits &&
            hy_cpu_scratch_alloc_rows(scratch, batch, way->in_size, sizeof(float), &layout->in) &&
            hy_cpu_scratch_alloc_rows(scratch, batch, way->aux_size, sizeof(float), &layout->aux);
        for (uint32_t s = 0; s < HY_CELL_STATES; s++)
            fits = fits && hy_cpu_scratch_alloc_rows(scratch, batch, way->sizes[s], sizeof(float),
                                                     &layout->states[s]);
    }
    return fits ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "the rows are too large");
}

/* The row of a tensor for step `step` of batch `b`. */
static size_t row_of(const struct hy_sequence *shape, size_t step, size_t b)
{
    return shape->time_major ? step * shape->batch + b : b * shape->steps + step;
}

static void load_step(const struct hy_cpu_sequence *sequence, const struct hy_value *in,
                      size_t step, size_t size, float *to)
{
    for (size_t b = 0; b < sequence->shape.batch; b++)
        hy_cpu_floats_load(&sequence->floats, in->data, row_of(&sequence->shape, step, b) * size,
                           size, to + b * size);
}

/* Stores `count` units from unit `first` on. */
static void store_units(const struct hy_cpu_sequence *sequence, const struct hy_direction *way,
                        size_t step, size_t first, size_t count, const float *from,
                        const struct hy_value *out)
{
    for (size_t b = 0; b < sequence->shape.batch; b++) {
        size_t begin = row_of(&sequence->shape, step, b) * way->out_size + way->out_begin + first;
        hy_cpu_floats_store(&sequence->floats, from + b * way->sizes[0] + first, count, out->data,
                            begin);
    }
}

/* The input of the step at `time`. */
static const float *input_of_step(const struct hy_cpu_sequence *sequence,
                                  const struct hy_cpu_work *work, uint32_t direction,
                                  const struct hy_cpu_stepper *stepper, size_t time)
{
    const struct hy_direction *way = &sequence->shape.directions[direction];
    float *in = hy_cpu_scratch_floats(work, sequence->layouts[direction].in);

    if (stepper->brought)
        return stepper->brought + row_of(&sequence->shape, time, 0) * stepper->columns;
    load_step(sequence, hy_call_input(work->call, way->in), time, way->in_size, in);
    return in;
}

/* A run of a sequence in one direction. */
struct sequence_run {
    const struct hy_cpu_sequence *sequence;
    const struct hy_cpu_work *work;
    const struct hy_cpu_stepper *stepper;
    uint32_t direction;
    float *states[HY_CELL_STATES];
};

static const struct hy_direction *way_of(const struct sequence_run *run)
{
    return &run->sequence->shape.directions[run->direction];
}

/* Direction 1 starts at the end. */
static size_t time_of(const struct sequence_run *run, size_t step)
{
    return run->direction == 0 ? step : run->sequence->shape.steps - 1 - step;
}

static void store(const struct sequence_run *run, size_t step, size_t first, size_t count,
                  const float *from)
{
    const struct hy_direction *way = way_of(run);

    store_units(run->sequence, way, time_of(run, step), first, count, from,
                hy_call_output(run->work->call, way->out));
}

/* Sets the share of the step at `time` in the products of the next group of rows of this
 * direction. */
static void set_partition(const struct sequence_run *run, size_t time, uint32_t part_of_step)
{
    const size_t rows = run->stepper->partition_rows, group = time / rows;
    const size_t groups = run->sequence->shape.steps / rows;
    const bool has_next = run->direction == 0 ? group + 1 < groups : group > 0 && group < groups;
    const size_t part = run->direction == 0 ? time % rows : rows - 1 - time % rows;
    struct hy_conv_partition *partition = &run->stepper->partitions[part_of_step];

    partition->row = (run->direction == 0 ? group + 1 : group - 1) * rows;
    partition->part = (uint32_t)part;
    partition->parts = has_next ? (uint32_t)rows : 0;
}

static void run_steps(const struct sequence_run *run)
{
    const struct hy_cpu_sequence *sequence = run->sequence;
    const struct hy_direction *way = way_of(run);
    const struct hy_cpu_stepper *stepper = run->stepper;
    float *aux = hy_cpu_scratch_floats(run->work, sequence->layouts[run->direction].aux);

    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t i = 0; i < sequence->shape.steps && !hy_stop_after(watch, HY_STOP_UNITS / 8); i++) {
        const size_t time = time_of(run, i);
        const float *in = input_of_step(sequence, run->work, run->direction, stepper, time);

        if (way->aux_size)
            load_step(sequence, hy_call_input(run->work->call, way->aux), time, way->aux_size, aux);
        if (stepper->partitions)
            set_partition(run, time, 0);
        stepper->step(stepper->cell, i, in, aux, run->states[0], run->states[1]);
        store(run, i, 0, way->sizes[0], run->states[0]);
    }
}

/* The hidden state that step `step` reads; even and odd steps alternate. */
static float *hidden_of(const struct sequence_run *run, size_t step)
{
    return step % 2 == 0 ? run->states[0] : run->stepper->hidden;
}

static void run_part(const void *context, uint32_t step, uint32_t part)
{
    const struct sequence_run *run = context;
    const struct hy_cpu_stepper *stepper = run->stepper;
    const size_t row = row_of(&run->sequence->shape, time_of(run, step), 0);
    const size_t units = way_of(run)->sizes[0] / stepper->parts;
    const size_t hidden_count = (size_t)run->sequence->shape.batch * way_of(run)->sizes[0];
    const float *hidden = hidden_of(run, step);
    float *next = hidden_of(run, step + 1);

    /* Prefetches the hidden state, most of which other threads have just written. */
    for (size_t i = 0; i < hidden_count; i += 16)
        __builtin_prefetch(&hidden[i]);
    if (stepper->partitions)
        set_partition(run, time_of(run, step), part);
    stepper->part(stepper->cell, step, part, stepper->brought + row * stepper->columns, hidden,
                  run->states[1], next);
    store(run, step, part * units, units, next);
}

static void begin_part(const void *context, uint32_t step, uint32_t part)
{
    const struct sequence_run *run = context;

    run->stepper->early(run->stepper->cell, step, part, hidden_of(run, step));
}

static void run_in_parts(struct sequence_run *run)
{
    const struct hy_cpu_step_barrier step_barrier = {.steps = run->sequence->shape.steps,
                                                     .parts = run->stepper->parts,
                                                     .run = run_part,
                                                     .begin =
                                                         run->stepper->early ? begin_part : NULL,
                                                     .context = run};

    hy_cpu_step_barrier_run(run->work, &step_barrier);
    run->states[0] = hidden_of(run, step_barrier.steps);
}

void hy_cpu_sequence_run(const struct hy_cpu_sequence *sequence, const struct hy_cpu_work *work,
                         uint32_t direction, const struct hy_cpu_stepper *stepper)
{
    const struct hy_sequence *shape = &sequence->shape;
    const struct hy_direction *way = &shape->directions[direction];
    const struct hy_cpu_sequence_layout *layout = &sequence->layouts[direction];
    struct sequence_run run = {sequence, work, stepper, direction, {0}};

    for (uint32_t s = 0; s < HY_CELL_STATES; s++) {
        run.states[s] = hy_cpu_scratch_floats(work, layout->states[s]);
        if (way->sizes[s])
            hy_cpu_floats_load(&sequence->floats, hy_call_input(work->call, way->state + s)->data,
                               0, (size_t)shape->batch * way->sizes[s], run.states[s]);
    }
    if (stepper->parts > 1 && !work->is_alone)
        run_in_parts(&run);
    else
        run_steps(&run);
    for (uint32_t s = 0; shape->gives_states && s < HY_CELL_STATES && way->sizes[s]; s++)
        hy_cpu_floats_store(&sequence->floats, run.states[s], (size_t)shape->batch * way->sizes[s],
                            hy_call_output(work->call, way->state_out + s)->data, 0);
}

const float *hy_cpu_sequence_load(const struct hy_cpu_sequence *sequence,
                                  const struct hy_cpu_work *work, uint32_t index, size_t count,
                                  float *to)
{
    if (!hy_call_has_input(work->call, index))
        return NULL;
    hy_cpu_floats_load(&sequence->floats, hy_call_input(work->call, index)->data, 0, count, to);
    return to;
}
