#include "cpu_fallback/ops/sequence.h"

enum hy_code hy_cpu_sequence_plan(const struct hy_cpu_site *site, struct hy_cpu_sequence *sequence,
                                  size_t *scratch, struct hy_error *err)
{
    const struct hy_sequence *shape = &sequence->shape;
    enum hy_code code = hy_cpu_floats_init(site->kernels, hy_call_input(site->call, 0)->type,
                                           &sequence->floats, err);
    bool fits = true;

    if (code != HY_OK)
        return code;
    for (uint32_t d = 0; d < shape->count; d++) {
        const struct hy_direction *way = &shape->directions[d];
        struct hy_cpu_sequence_room *room = &sequence->rooms[d];
        uint64_t batch = shape->batch;

        fits = fits &&
               hy_cpu_scratch_take_rows(scratch, batch, way->in_size, sizeof(float), &room->in) &&
               hy_cpu_scratch_take_rows(scratch, batch, way->aux_size, sizeof(float), &room->aux);
        for (uint32_t s = 0; s < HY_CELL_STATES; s++)
            fits = fits && hy_cpu_scratch_take_rows(scratch, batch, way->sizes[s], sizeof(float),
                                                    &room->states[s]);
    }
    return fits ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "its rows are too large");
}

/* Which row of a tensor holds step `step` of batch `b`. */
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

static void store_step(const struct hy_cpu_sequence *sequence, const struct hy_direction *way,
                       size_t step, const float *from, const struct hy_value *out)
{
    for (size_t b = 0; b < sequence->shape.batch; b++) {
        size_t begin = row_of(&sequence->shape, step, b) * way->out_size + way->out_begin;
        hy_cpu_floats_store(&sequence->floats, from + b * way->sizes[0], way->sizes[0], out->data,
                            begin);
    }
}

/* What the step at `time` takes. */
static const float *input_of_step(const struct hy_cpu_sequence *sequence,
                                  const struct hy_cpu_work *work, uint32_t direction,
                                  const struct hy_cpu_stepper *stepper, size_t time)
{
    const struct hy_direction *way = &sequence->shape.directions[direction];
    float *in = hy_cpu_scratch_floats(work, sequence->rooms[direction].in);

    if (stepper->brought)
        return stepper->brought + row_of(&sequence->shape, time, 0) * stepper->columns;
    load_step(sequence, hy_call_input(work->call, way->in), time, way->in_size, in);
    return in;
}

void hy_cpu_sequence_run(const struct hy_cpu_sequence *sequence, const struct hy_cpu_work *work,
                         uint32_t direction, const struct hy_cpu_stepper *stepper)
{
    const struct hy_sequence *shape = &sequence->shape;
    const struct hy_direction *way = &shape->directions[direction];
    const struct hy_cpu_sequence_room *room = &sequence->rooms[direction];
    float *aux = hy_cpu_scratch_floats(work, room->aux);
    float *states[HY_CELL_STATES];

    for (uint32_t s = 0; s < HY_CELL_STATES; s++) {
        states[s] = hy_cpu_scratch_floats(work, room->states[s]);
        if (way->sizes[s])
            hy_cpu_floats_load(&sequence->floats, hy_call_input(work->call, way->state + s)->data,
                               0, (size_t)shape->batch * way->sizes[s], states[s]);
    }
    for (size_t i = 0; i < shape->steps; i++) {
        size_t time = direction == 0 ? i : shape->steps - 1 - i;
        const float *in = input_of_step(sequence, work, direction, stepper, time);

        if (way->aux_size)
            load_step(sequence, hy_call_input(work->call, way->aux), time, way->aux_size, aux);
        stepper->step(stepper->cell, in, aux, states[0], states[1]);
        store_step(sequence, way, time, states[0], hy_call_output(work->call, way->out));
    }
    for (uint32_t s = 0; shape->gives_states && s < HY_CELL_STATES && way->sizes[s]; s++)
        hy_cpu_floats_store(&sequence->floats, states[s], (size_t)shape->batch * way->sizes[s],
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
