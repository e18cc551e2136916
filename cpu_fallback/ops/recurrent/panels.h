#ifndef HY_CPU_FALLBACK_OPS_RECURRENT_PANELS_H
#define HY_CPU_FALLBACK_OPS_RECURRENT_PANELS_H

#include "cpu_fallback/ops/recurrent/sequence.h"

/*
 * The products of a recurrent operation with constant float32 weights by panels. What the input
 * brings to the gates does not depend on the state, so it is one product over all steps of time;
 * each step has one product more, of the hidden state. The weights of all gates lie side by side,
 * packed once (cpu_fallback/program/weights.h).
 */

/* The matrices and biases of one cell, as numbers of the operation's inputs. */
struct hy_cpu_gates {
    uint32_t count, units;
    uint32_t weights, recurrent, bias; /* of the first gate; those of the others follow */
    bool has_parts;                    /* units of a step can be computed apart from each other */
    bool is_lstm;
};

struct hy_cpu_panels {
    const struct hy_conv_kernel *kernel; /* NULL: the cells take their weights as they are */
    double us;                           /* that one thread takes for all products, roughly */
    struct hy_cpu_panels_way {
        struct hy_conv_params in, hidden; /* the products, biases with the first */
        const void *in_weights, *hidden_weights;
        const struct hy_lstm_kernel
            *lstm;             /* NULL: a step has its product, and the gates after it */
        size_t in_step;        /* from row to row of the batch, of what the input brings */
        uint32_t tasks;        /* that share the product of the input */
        uint32_t gates, parts; /* of a step */
        bool is_beside;        /* one thread multiplies inputs while it reads a step's weights */
        size_t brought; /* offset in scratch, [steps * batch, count * units] in the input's order */
    } ways[HY_DIRECTIONS];
};

/*
 * Decides whether the cells of `gates`, one for each direction, compute by panels; `suits` is false
 * where their operation knows that they cannot. HY_FAILED where the weights are neither packed for
 * this operation nor there as they are.
 */
HY_MUST_CHECK enum hy_code hy_cpu_panels_plan(const struct hy_cpu_site *site,
                                              const struct hy_cpu_sequence *sequence,
                                              const struct hy_cpu_gates *gates, bool suits,
                                              struct hy_cpu_panels *panels, size_t *scratch,
                                              struct hy_error *err);

/*
 * Computes what the input brings in direction `direction`, and returns where it lies. Where steps
 * do that for steps to come, beside products of their own, only what the first of them need:
 * `shares`, one for each part, which go to stepper and cell, then have `params`.
 */
const float *hy_cpu_panels_bring(const struct hy_cpu_panels *panels, const struct hy_cpu_work *work,
                                 const struct hy_direction *way, uint32_t direction,
                                 struct hy_conv_share *shares);

/* For the cell's steps. */
struct hy_cell_panels hy_cpu_panels_of(const struct hy_cpu_panels *panels, uint32_t direction,
                                       const struct hy_conv_share *shares);

#endif
