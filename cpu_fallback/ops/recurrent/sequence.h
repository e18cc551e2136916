#ifndef HY_CPU_FALLBACK_OPS_RECURRENT_SEQUENCE_H
#define HY_CPU_FALLBACK_OPS_RECURRENT_SEQUENCE_H

#include "common/inference/infer_sequence.h"
#include "cpu_fallback/ops/elements/floats.h"

/* The plan of a recurrent operation: cells of any kind run through the steps of time. */
struct hy_cpu_sequence {
    struct hy_sequence shape;
    struct hy_cpu_floats floats;
    struct hy_cpu_sequence_layout {
        size_t in, aux, states[HY_CELL_STATES]; /* offsets in scratch */
    } layouts[HY_DIRECTIONS];
};

/* Completes `sequence`, whose shape is set, and reserves its scratch. Errors: HY_FAILED (no kernel
 * for the type of input 0), HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_cpu_sequence_plan(const struct hy_cpu_resolve_ctx *ctx,
                                                struct hy_cpu_sequence *sequence, size_t *scratch,
                                                struct hy_error *err);

/*
 * A cell and its step function. `brought` are input-to-gate products: rows of `columns` elements in
 * the order of the input's rows; NULL: the step reads the input itself. With `parts` above 1,
 * several threads compute the parts of a step in lockstep; `hidden` is then scratch for a second
 * hidden state, since some threads still read the old state while others write the new. With
 * `shares`, one per part, `brought` is incomplete: the steps of `partition_rows` rows compute the
 * products of the next rows.
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
    struct hy_conv_partition *partitions;
    uint32_t partition_rows;
};

/* Runs a cell over all steps of direction `direction`; direction 1 runs backwards in time. Writes
 * the output, and the final states if requested. */
void hy_cpu_sequence_run(const struct hy_cpu_sequence *sequence, const struct hy_cpu_work *work,
                         uint32_t direction, const struct hy_cpu_stepper *stepper);

/* Loads input `index` of `count` elements as floats into `to` and returns `to`; NULL: the input is
 * omitted. */
const float *hy_cpu_sequence_load(const struct hy_cpu_sequence *sequence,
                                  const struct hy_cpu_work *work, uint32_t index, size_t count,
                                  float *to);

#endif
