#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

/*
 * Steps of an LSTM, products and gates at once: against the formula, in parts, with one half of the
 * hidden state before the other, and with another product beside them.
 */
enum { MOST_DEPTH = 70, MOST_PANELS = 3, MOST_UNITS = 32 * MOST_PANELS };

enum {
    PACKED_SLOT,
    IN_SLOT,
    HIDDEN_SLOT,
    STATE_SLOT,
    OUT_SLOT,
    PEEPHOLE_SLOT,
    SUMS_SLOT,
    MATRIX_SLOT
};

struct step {
    uint64_t seed;
    const struct hy_conv_kernel *kernel;
    struct hy_lstm_units units;
    int first_gate;
    size_t columns;                                               /* of all gates */
    const float *matrix;                                          /* [columns, depth] */
    float blank;                                                  /* what outputs are before */
    float before[MOST_UNITS], state[MOST_UNITS], out[MOST_UNITS]; /* what a whole step makes */
};

static void init(struct step *s, struct hy_random *r, uint64_t seed,
                 const struct hy_conv_kernel *kernel)
{
    const size_t units = (size_t)hy_random_between(r, 1, MOST_PANELS) * kernel->panel;
    const size_t depth = (size_t)hy_random_between(r, 0, MOST_DEPTH);

    *s = (struct step){.seed = seed, .kernel = kernel};
    s->blank = *(const float *)tensor_blank(OUT_SLOT, HY_ELEMENT_F32, 1);
    s->first_gate = hy_random_one_in(r, 3) ? HY_LSTM_FORGET : HY_LSTM_INPUT;
    s->columns = (size_t)(HY_LSTM_GATES - s->first_gate) * units;
    s->matrix = tensor_random(r, MATRIX_SLOT, HY_ELEMENT_F32, s->columns * depth);
    s->units = (struct hy_lstm_units){
        .units = units,
        .depth = depth,
        .count = units,
        .is_coupled = s->first_gate == HY_LSTM_FORGET,
        .cell_clip = hy_random_one_in(r, 2) ? 0.4f : 0,
        .in = tensor_random(r, IN_SLOT, HY_ELEMENT_F32, s->columns),
        .hidden = tensor_random(r, HIDDEN_SLOT, HY_ELEMENT_F32, depth),
    };
    const float *peephole = tensor_random(r, PEEPHOLE_SLOT, HY_ELEMENT_F32, HY_LSTM_GATES * units);
    const bool sees = hy_random_one_in(r, 2);
    const float *matrices[HY_LSTM_GATES];

    for (int gate = s->first_gate; gate < HY_LSTM_GATES; gate++) {
        matrices[gate - s->first_gate] = s->matrix + (size_t)(gate - s->first_gate) * units * depth;
        if (sees && gate != HY_LSTM_CELL)
            s->units.peephole[gate] = peephole + (size_t)gate * units;
    }
    void *packed = guarded_alloc(PACKED_SLOT, kernel->lstm->packed_bytes(&s->units), 0);
    kernel->lstm->pack(&s->units, matrices, packed);
    s->units.weights = packed;
    memcpy(s->before, tensor_random(r, STATE_SLOT, HY_ELEMENT_F32, units), units * sizeof(float));
}

/* The state before the step, for a kernel to change. */
static float *new_state(const struct step *s)
{
    float *state = tensor_blank(STATE_SLOT, HY_ELEMENT_F32, s->units.units);

    memcpy(state, s->before, s->units.units * sizeof *state);
    return state;
}

static void run_whole(struct step *s)
{
    float *state = new_state(s), *out = tensor_blank(OUT_SLOT, HY_ELEMENT_F32, s->units.units);

    s->kernel->lstm->units(&s->units, NULL, NULL, state, out);
    memcpy(s->state, state, s->units.units * sizeof *state);
    memcpy(s->out, out, s->units.units * sizeof *out);
}

static double gate_sum(const struct step *s, int gate, size_t u, double state)
{
    const size_t column = (size_t)(gate - s->first_gate) * s->units.units + u;
    const float *peephole = s->units.peephole[gate];
    double sum = (double)s->units.in[column];

    for (size_t k = 0; k < s->units.depth; k++)
        sum += (double)s->units.hidden[k] * (double)s->matrix[column * s->units.depth + k];
    return sum + (peephole ? (double)peephole[u] * state : 0);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void expect_formula(const struct step *s)
{
    const double limit = (double)s->units.cell_clip;

    for (size_t u = 0; u < s->units.units; u++) {
        const double before = (double)s->before[u];
        const double forget = sigmoid(gate_sum(s, HY_LSTM_FORGET, u, before));
        const double input =
            s->units.is_coupled ? 1 - forget : sigmoid(gate_sum(s, HY_LSTM_INPUT, u, before));
        double state = forget * before + input * tanh(gate_sum(s, HY_LSTM_CELL, u, 0));

        if (limit > 0)
            state = fmin(fmax(state, -limit), limit);
        const double out = sigmoid(gate_sum(s, HY_LSTM_OUTPUT, u, state)) * tanh(state);
        if (fabs(state - (double)s->state[u]) <= 1e-5 && fabs(out - (double)s->out[u]) <= 1e-5)
            continue;
        hy_test_fail(__FILE__, __LINE__,
                     "%s seed %llu: unit %zu is %.9g and %.9g, expected %.9g and %.9g",
                     s->kernel->name, (unsigned long long)s->seed, u, (double)s->state[u],
                     (double)s->out[u], state, out);
        return;
    }
}

/* Units `first` and following are those of the whole step to the bit, others are as they were. */
static void expect_units(const struct step *s, const struct hy_lstm_units *units,
                         const float *state, const float *out, const char *how)
{
    for (size_t u = 0; u < units->units; u++) {
        const bool is_own = u >= units->first && u < units->first + units->count;
        const float want_state = is_own ? s->state[u] : s->before[u];
        const float want_out = is_own ? s->out[u] : s->blank;
        if (memcmp(&state[u], &want_state, sizeof want_state) == 0 &&
            memcmp(&out[u], &want_out, sizeof want_out) == 0)
            continue;
        hy_test_fail(__FILE__, __LINE__, "%s seed %llu, %s: unit %zu is another", s->kernel->name,
                     (unsigned long long)s->seed, how, u);
        break;
    }
    EXPECT(guarded_front_is_intact(STATE_SLOT) && guarded_front_is_intact(OUT_SLOT));
}

static struct hy_lstm_units random_part(const struct step *s, struct hy_random *r)
{
    const int32_t panel = (int32_t)s->kernel->panel, panels = (int32_t)s->units.units / panel;
    const int32_t first = hy_random_between(r, 0, panels);
    struct hy_lstm_units part = s->units;

    part.first = (size_t)first * (size_t)panel;
    part.count = (size_t)hy_random_between(r, 0, panels - first) * (size_t)panel;
    part.is_backwards = hy_random_one_in(r, 2);
    return part;
}

static void check_part(const struct step *s, struct hy_random *r)
{
    const struct hy_lstm_units part = random_part(s, r);
    float *state = new_state(s), *out = tensor_blank(OUT_SLOT, HY_ELEMENT_F32, s->units.units);

    s->kernel->lstm->units(&part, NULL, NULL, state, out);
    expect_units(s, &part, state, out, "a part");
}

/* The half that is not there yet has other values when the first one is multiplied. */
static void check_half(const struct step *s, struct hy_random *r, int half)
{
    struct hy_lstm_units part = random_part(s, r);
    float early[MOST_DEPTH], *sums = tensor_blank(SUMS_SLOT, HY_ELEMENT_F32, s->columns);
    float *state = new_state(s), *out = tensor_blank(OUT_SLOT, HY_ELEMENT_F32, s->units.units);
    const float *hidden = part.hidden;

    for (size_t k = 0; k < part.depth; k++)
        early[k] = (k < part.depth / 2) == (half == 0) ? hidden[k] : NAN;
    part.half = half;
    part.hidden = early;
    s->kernel->lstm->half(&part, sums);
    part.hidden = hidden;
    s->kernel->lstm->units(&part, sums, NULL, state, out);
    EXPECT(guarded_front_is_intact(SUMS_SLOT));
    expect_units(s, &part, state, out, half == 0 ? "the first half known" : "the second");
}

/* Room for all values of the other product, of three panels. */
struct other {
    struct hy_conv_params params;
    float *in, *weights, *out, *want;
    size_t rows;
};

static void *floats(size_t count)
{
    float *values = calloc(count + 1, sizeof *values);

    if (!values)
        abort();
    return values;
}

static void init_other(struct other *other, struct hy_random *r,
                       const struct hy_conv_kernel *kernel)
{
    const uint32_t depth = (uint32_t)hy_random_between(r, 1, MOST_DEPTH);
    const uint32_t columns = kernel->panel * (uint32_t)hy_random_between(r, 1, 3);

    *other = (struct other){.rows = 2 * kernel->interleaved_rows};
    other->params.activation.min = hy_random_one_in(r, 2) ? -INFINITY : -0.5f;
    other->params.activation.max = hy_random_one_in(r, 2) ? INFINITY : 0.5f;
    hy_conv_params_set_fully_connected(&other->params, (uint32_t)other->rows, depth, columns);
    other->in = floats(other->rows * depth);
    for (size_t i = 0; i < other->rows * depth; i++)
        other->in[i] = (float)hy_random_between(r, -50, 50) / 50;
    other->weights = floats(kernel->packed_bytes(&other->params) / sizeof(float));
    for (size_t i = 0; i < kernel->packed_bytes(&other->params) / sizeof(float); i++)
        other->weights[i] = (float)hy_random_between(r, -50, 50) / 50;
    other->out = floats(other->rows * columns);
    other->want = floats(other->rows * columns);
    kernel->run(&other->params, other->in, other->weights, NULL, other->want, NULL, 0,
                kernel->units(&other->params));
}

static void check_interleaved(const struct step *s, struct hy_random *r)
{
    const struct hy_conv_kernel *kernel = s->kernel;
    struct other other;

    if (kernel->interleaved_rows == 0)
        return;
    init_other(&other, r, kernel);
    const size_t count = kernel->interleaved_rows * other.params.out_c;
    struct hy_conv_partition partition = {
        .params = &other.params,
        .in = other.in,
        .weights = other.weights,
        .out = other.out,
        .row = hy_random_one_in(r, 2) ? 0 : kernel->interleaved_rows,
        .parts = (uint32_t)hy_random_between(r, 0, 4),
    };

    /* All parts of the share, one with each step. */
    const bool knows = hy_random_one_in(r, 2);
    float *sums = tensor_blank(SUMS_SLOT, HY_ELEMENT_F32, s->columns);
    kernel->lstm->half(&s->units, sums);
    for (uint32_t part = 0; part == 0 || part < partition.parts; part++) {
        float *state = new_state(s), *out = tensor_blank(OUT_SLOT, HY_ELEMENT_F32, s->units.units);
        partition.part = part;
        kernel->lstm->units(&s->units, knows ? sums : NULL, &partition, state, out);
        expect_units(s, &s->units, state, out, "beside another product");
    }
    const float *got = other.out + partition.row * other.params.out_c;
    const float *want = other.want + partition.row * other.params.out_c;
    if (partition.parts > 0 && memcmp(got, want, count * sizeof *got) != 0)
        hy_test_fail(__FILE__, __LINE__, "%s seed %llu: the other product is another", kernel->name,
                     (unsigned long long)s->seed);
    free(other.in);
    free(other.weights);
    free(other.out);
    free(other.want);
}

static void check(uint64_t seed, const struct hy_conv_kernel *kernel)
{
    struct hy_random r = {seed};
    struct step step;

    init(&step, &r, seed, kernel);
    run_whole(&step);
    expect_formula(&step);
    check_part(&step, &r);
    check_half(&step, &r, 0);
    check_half(&step, &r, 1);
    check_interleaved(&step, &r);
}

TEST(kernels_lstm_units, every_way_to_a_step_is_the_formula_and_the_same_to_the_bit)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *kernels = tested_kernels_at(level);
        const struct hy_conv_kernel *kernel = kernels ? &kernels->conv[HY_ELEMENT_F32] : NULL;
        if (!kernel || !kernel->lstm || !tested_is_own(level, kernel, sizeof *kernel))
            continue;
        for (uint64_t seed = 0; seed < 1000; seed++)
            check(seed, kernel);
    }
}
