#ifndef HY_CPU_FALLBACK_OPS_RECURRENT_PANELS_H
#define HY_CPU_FALLBACK_OPS_RECURRENT_PANELS_H

#include "cpu_fallback/ops/recurrent/sequence.h"

/*
 * Matrix products of a recurrent operation with constant float32 weights, by panels. The
 * input-to-gate products do not depend on the state, so they are one product over all steps of
 * time; each step has another product, of the hidden state. The weights of all gates are packed
 * side by side, once (cpu_fallback/program/weights.h).
 */

/* The matrices and biases of a cell, as indices of the operation's inputs. */
struct hy_cpu_gates {
    uint32_t count, units;
    uint32_t weights, recurrent, bias; /* of the first gate; the other gates follow */
    bool has_parts;                    /* units of a step can be computed independently */
    bool is_lstm;
};

struct hy_cpu_panels {
    const struct hy_conv_kernel *kernel; /* NULL: the cells use unpacked weights */
    double us;                           /* estimated time of all products on one thread */
    struct hy_cpu_panels_way {
        struct hy_conv_params in, hidden; /* the two products; `in` adds the biases */
        const void *in_weights, *hidden_weights;
        const struct hy_lstm_kernel
            /* NULL: a step computes its product, then its gates. */
            *lstm;
        size_t in_step;        /* stride between batch rows of the input-to-gate products */
        uint32_t tasks;        /* tasks of the input-to-gate product */
        uint32_t gates, parts; /* gates of the cell, parts of a step */
        bool is_interleaved;   /* input-to-gate products are interleaved with steps */
        /* Offset in scratch of the input-to-gate products, [steps * batch, count * units], in the
         * order of the input's rows. */
        size_t brought;
    } ways[HY_DIRECTIONS];
};

/*
 * Decides whether the cells of `gates`, one per direction, compute by panels. `suits` is false if
 * the operation cannot. Errors: HY_FAILED (the weights are neither packed for this call nor
 * available unpacked), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_panels_plan(const struct hy_cpu_resolve_ctx *ctx,
                                              const struct hy_cpu_sequence *sequence,
                                              const struct hy_cpu_gates *gates, bool suits,
                                              struct hy_cpu_panels *panels, size_t *scratch,
                                              struct hy_error *err);

/*
 * Computes the input-to-gate products of direction `direction` and returns their address. If steps
 * interleave these products with their own, only the rows of the first steps are computed;
 * `shares`, one per part, to be passed to stepper and cell, then describe the rest, and `params` is
 * set.
 */
const float *hy_cpu_panels_bring(const struct hy_cpu_panels *panels, const struct hy_cpu_work *work,
                                 const struct hy_direction *way, uint32_t direction,
                                 struct hy_conv_partition *partitions);

/* The panel products for the steps of a cell. */
struct hy_cell_panels hy_cpu_panels_of(const struct hy_cpu_panels *panels, uint32_t direction,
                                       const struct hy_conv_partition *partitions);

#endif
