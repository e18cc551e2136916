#ifndef HY_CPU_FALLBACK_OPS_RECURRENT_SEQUENCE_H
#define HY_CPU_FALLBACK_OPS_RECURRENT_SEQUENCE_H

#include "common/inference/infer_sequence.h"
#include "cpu_fallback/ops/elements/floats.h"

/* How a recurrent operation runs: cells of either kind are led through the steps of time. */
struct hy_cpu_sequence {
    struct hy_sequence shape;
    struct hy_cpu_floats floats;
    struct hy_cpu_sequence_room {
        size_t in, aux, states[HY_CELL_STATES]; /* offsets in scratch */
    } rooms[HY_DIRECTIONS];
};

/* Finishes `sequence`, whose shape is set; `type` is that of its tensors. */
HY_MUST_CHECK enum hy_code hy_cpu_sequence_plan(const struct hy_cpu_site *site,
                                                struct hy_cpu_sequence *sequence, size_t *scratch,
                                                struct hy_error *err);

/*
 * A cell and its step. Steps that take what the input brings find it in `brought`: rows of
 * `columns` in the order of the input's rows; NULL: they take the input. Those may also go in
 * `parts` (1: they do not), which several threads do in lockstep; `hidden` then is scratch for a
 * second hidden state, as some still read the one while others write the next. With `shares`, one
 * for each part, some of what is brought is not there yet: the steps of `share_rows` rows make that
 * of the next ones.
 */
struct hy_cpu_stepper {
    hy_cell_fn *step;
    const void *cell;
    const float *brought;
    size_t columns;
    uint32_t parts;
    hy_cell_part_fn *part;
    hy_cell_early_fn *early; /* NULL: none */
    float *hidden;
    struct hy_conv_share *shares;
    uint32_t share_rows;
};

/* Leads a cell through time in direction `direction`: the second one starts at the end. Writes the
 * output, and the states where they are asked for. */
void hy_cpu_sequence_run(const struct hy_cpu_sequence *sequence, const struct hy_cpu_work *work,
                         uint32_t direction, const struct hy_cpu_stepper *stepper);

/* Input `index` (of `count` elements) as floats in `to`; NULL where the input was left out. */
const float *hy_cpu_sequence_load(const struct hy_cpu_sequence *sequence,
                                  const struct hy_cpu_work *work, uint32_t index, size_t count,
                                  float *to);

#endif
