#include <math.h>
#include <string.h>

#include "cpu_fallback/kernels/recurrent.h"

/* The comparisons let NaN pass. */
static void clamp(float least, float most, size_t count, float *values)
{
    for (size_t i = 0; i < count; i++)
        values[i] = values[i] < least ? least : values[i] > most ? most : values[i];
}

void hy_cell_activate(const struct hy_cell_kernels *kernels, int32_t activation, size_t count,
                      float *values)
{
    const struct hy_unary_params all = {.count = count};

    switch (activation) {
    case 1:
        clamp(0, INFINITY, count, values);
        break;
    case 2:
        clamp(-1, 1, count, values);
        break;
    case 3:
        clamp(0, 6, count, values);
        break;
    case 4:
        kernels->tanh(&all, values, values);
        break;
    case 6:
        kernels->logistic(&all, values, values);
        break;
    default:
        break;
    }
}

void hy_cell_panels_run(const struct hy_cell_panels *panels, const float *hidden, float *sums)
{
    const struct hy_conv_kernel *kernel = panels->kernel;

    if (panels->interleaved)
        kernel->run_interleaved(panels->product, hidden, panels->weights, sums,
                                panels->interleaved);
    else
        kernel->run(panels->product, hidden, panels->weights, NULL, sums, NULL, 0,
                    kernel->units(panels->product));
}

void hy_cell_panels_run_part(const struct hy_cell_panels *panels, uint32_t part,
                             const float *hidden, float *sums)
{
    const struct hy_conv_kernel *kernel = panels->kernel;
    const size_t blocks = (size_t)panels->gates * panels->parts;
    const size_t tiles = kernel->units(panels->product) / blocks;

    for (size_t block = part; block < blocks; block += panels->parts)
        kernel->run(panels->product, hidden, panels->weights, NULL, sums, NULL, block * tiles,
                    (block + 1) * tiles);
}

void hy_rnn_step(const void *cell, size_t step, const float *in, const float *aux, float *hidden,
                 float *state)
{
    const struct hy_rnn_cell *rnn = cell;
    size_t units = rnn->units, count = rnn->batch * units;
    (void)step, (void)state;

    for (size_t b = 0; b < rnn->batch; b++)
        memcpy(rnn->sums + b * units, rnn->bias, units * sizeof *rnn->bias);
    rnn->kernels.matvec(&(struct hy_matvec_shape){rnn->batch, units, rnn->inputs}, rnn->weights, in,
                        rnn->sums);
    if (rnn->aux_weights)
        rnn->kernels.matvec(&(struct hy_matvec_shape){rnn->batch, units, rnn->aux_inputs},
                            rnn->aux_weights, aux, rnn->sums);
    rnn->kernels.matvec(&(struct hy_matvec_shape){rnn->batch, units, units}, rnn->recurrent, hidden,
                        rnn->sums);
    hy_cell_activate(&rnn->kernels, rnn->activation, count, rnn->sums);
    memcpy(hidden, rnn->sums, count * sizeof *hidden);
}

/* Finishes `count` units from `first` on, from the products of the input and of the hidden
 * state. */
static void finish_units(const struct hy_rnn_cell *rnn, size_t first, size_t count, const float *in,
                         float *out)
{
    for (size_t b = 0; b < rnn->batch; b++) {
        const float *brought = in + b * rnn->in_step + first;
        const float *sums = rnn->sums + b * rnn->units + first;
        float *row = out + b * rnn->units + first;

        for (size_t u = 0; u < count; u++)
            row[u] = brought[u] + sums[u];
        hy_cell_activate(&rnn->kernels, rnn->activation, count, row);
    }
}

void hy_rnn_panel_step(const void *cell, size_t step, const float *in, const float *aux,
                       float *hidden, float *state)
{
    const struct hy_rnn_cell *rnn = cell;
    (void)step, (void)aux, (void)state;

    hy_cell_panels_run(&rnn->panels, hidden, rnn->sums);
    finish_units(rnn, 0, rnn->units, in, hidden);
}

void hy_rnn_panel_part(const void *cell, size_t step, uint32_t part, const float *in,
                       const float *hidden, float *state, float *out)
{
    const struct hy_rnn_cell *rnn = cell;
    const size_t count = rnn->units / rnn->panels.parts;
    (void)step, (void)state;

    hy_cell_panels_run_part(&rnn->panels, part, hidden, rnn->sums);
    finish_units(rnn, part * count, count, in, out);
}
