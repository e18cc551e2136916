#include <math.h>
#include <stdbool.h>

#include "cpu_fallback/kernels/fixed_point_16.h"
#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

enum { WEIGHTS_SLOT, IN_SLOT, OUT_SLOT, STATE_SLOT, PEEPHOLE_SLOT };

/* out = 1 + matrix * in, against sums in double. */
static void check_matvec(uint64_t seed, enum hy_element element, enum hy_kernel_isa_level level)
{
    struct hy_random r = {seed};
    struct hy_matvec_shape shape = {.batch = (size_t)hy_random_between(&r, 0, 3),
                                    .rows = (size_t)hy_random_between(&r, 0, 40),
                                    .columns = (size_t)hy_random_between(&r, 0, 70)};
    size_t count = shape.batch * shape.rows;
    void *weights = tensor_random(&r, WEIGHTS_SLOT, element, shape.rows * shape.columns);
    float *in = tensor_random(&r, IN_SLOT, HY_ELEMENT_F32, shape.batch * shape.columns);
    float *out = tensor_blank(OUT_SLOT, HY_ELEMENT_F32, count);

    for (size_t i = 0; i < count; i++)
        out[i] = 1;
    tested_kernels_at(level)->matvec[element](&shape, weights, in, out);
    for (size_t i = 0; i < count; i++) {
        size_t b = i / shape.rows, row = i % shape.rows;
        double want = 1;
        for (size_t c = 0; c < shape.columns; c++)
            want += tensor_at(element, weights, row * shape.columns + c) *
                    (double)in[b * shape.columns + c];
        if (!(fabs(want - (double)out[i]) <= 1e-5))
            hy_test_fail(__FILE__, __LINE__, "%s seed %llu element %d: %zu is %.9g, expected %.9g",
                         hy_kernel_isa_level_name(level), (unsigned long long)seed, (int)element, i,
                         (double)out[i], want);
    }
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_matvec, every_level_is_the_sum_of_products)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 800 && tested_kernels_at(level); seed++)
            check_matvec(seed, seed % 2 ? HY_ELEMENT_F16 : HY_ELEMENT_F32,
                         (enum hy_kernel_isa_level)level);
}

/* ---- What an LSTM does with the sums of its gates -------------------------------------------- */

enum { MOST_UNITS = 40 };

struct row_case {
    uint64_t seed;
    enum hy_kernel_isa_level level;
    struct hy_lstm_row row;
    float *state, *out;
    double before[MOST_UNITS];
};

static void init_row(struct row_case *c, uint64_t seed, enum hy_kernel_isa_level level)
{
    struct hy_random r = {seed};
    const size_t units = (size_t)hy_random_between(&r, 0, MOST_UNITS), all = HY_LSTM_GATES * units;
    const int first = hy_random_one_in(&r, 3) ? HY_LSTM_FORGET : HY_LSTM_INPUT;
    const bool sees = hy_random_one_in(&r, 2);
    const float *in = tensor_random(&r, IN_SLOT, HY_ELEMENT_F32, all);
    const float *hidden = tensor_random(&r, WEIGHTS_SLOT, HY_ELEMENT_F32, all);
    const float *peephole = tensor_random(&r, PEEPHOLE_SLOT, HY_ELEMENT_F32, all);

    *c = (struct row_case){.seed = seed, .level = level};
    c->row.units = units;
    c->row.cell_clip = hy_random_one_in(&r, 2) ? 0.4f : 0;
    c->state = tensor_random(&r, STATE_SLOT, HY_ELEMENT_F32, units);
    c->out = tensor_blank(OUT_SLOT, HY_ELEMENT_F32, units);
    for (int gate = first; gate < HY_LSTM_GATES; gate++) {
        c->row.in[gate] = in + (size_t)gate * units;
        c->row.hidden[gate] = hidden + (size_t)gate * units;
        if (sees && gate != HY_LSTM_CELL)
            c->row.peephole[gate] = peephole + (size_t)gate * units;
    }
    for (size_t u = 0; u < units; u++)
        c->before[u] = (double)c->state[u];
}

static double gate_sum(const struct row_case *c, int gate, size_t u, double state)
{
    const float *peephole = c->row.peephole[gate];
    return (double)c->row.in[gate][u] + (double)c->row.hidden[gate][u] +
           (peephole ? (double)peephole[u] * state : 0);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void expect_unit(const struct row_case *c, size_t u)
{
    const double before = c->before[u], limit = (double)c->row.cell_clip;
    const double forget = sigmoid(gate_sum(c, HY_LSTM_FORGET, u, before));
    const double input =
        c->row.in[HY_LSTM_INPUT] ? sigmoid(gate_sum(c, HY_LSTM_INPUT, u, before)) : 1 - forget;
    double state = forget * before + input * tanh(gate_sum(c, HY_LSTM_CELL, u, 0));

    if (limit > 0)
        state = fmin(fmax(state, -limit), limit);
    const double out = sigmoid(gate_sum(c, HY_LSTM_OUTPUT, u, state)) * tanh(state);
    if (!(fabs(state - (double)c->state[u]) <= 1e-6 && fabs(out - (double)c->out[u]) <= 1e-6))
        hy_test_fail(__FILE__, __LINE__,
                     "%s seed %llu: unit %zu is %.9g and %.9g, expected %.9g and %.9g",
                     hy_kernel_isa_level_name(c->level), (unsigned long long)c->seed, u,
                     (double)c->state[u], (double)c->out[u], state, out);
}

TEST(kernels_lstm_row, every_level_is_the_formula)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 500 && tested_kernels_at(level); seed++) {
            struct row_case c;
            init_row(&c, seed, (enum hy_kernel_isa_level)level);
            tested_kernels_at(c.level)->lstm_row(&c.row, c.state, c.out);
            for (size_t u = 0; u < c.row.units; u++)
                expect_unit(&c, u);
            EXPECT(guarded_front_is_intact(OUT_SLOT) && guarded_front_is_intact(STATE_SLOT));
        }
}

TEST(kernels_lstm_row, nan_passes_a_clip)
{
    const float sums[HY_LSTM_GATES] = {0, 0, NAN, 0}, zero = 0;
    struct hy_lstm_row row = {.units = 1, .cell_clip = 1};

    for (int gate = 0; gate < HY_LSTM_GATES; gate++) {
        row.in[gate] = &sums[gate];
        row.hidden[gate] = &zero;
    }
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        float state = 0, out = 0;
        if (!tested_kernels_at(level))
            continue;
        tested_kernels_at(level)->lstm_row(&row, &state, &out);
        EXPECT(isnan(state) && isnan(out));
    }
}

/* The largest distance of a 16-bit function from the real one, in units of 2^-15. */
static double worst(int16_t (*function)(int16_t x, int integer_bits), double (*real)(double x),
                    int integer_bits)
{
    double distance = 0;

    for (int x = INT16_MIN; x <= INT16_MAX; x++) {
        double want = real(x * exp2(integer_bits - 15)) * 32768;
        distance = fmax(distance, fabs(function((int16_t)x, integer_bits) - want));
    }
    return distance;
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

TEST(kernels_fixed_point_16, tanh_and_logistic_are_close_for_every_input)
{
    for (int bits = 0; bits <= 6; bits++) {
        double tanh_distance = worst(hy_tanh_16, tanh, bits);
        double logistic_distance = worst(hy_logistic_16, logistic, bits);

        if (tanh_distance > 24 || logistic_distance > 12)
            hy_test_fail(__FILE__, __LINE__, "%d integer bits: off by %g and %g units", bits,
                         tanh_distance, logistic_distance);
        EXPECT_INT(hy_tanh_16(0, bits), 0);
        EXPECT_INT(hy_logistic_16(0, bits), 1 << 14);
    }
}

TEST(kernels_fixed_point_16, inverse_square_root_is_close_over_its_range)
{
    for (uint64_t value = 2; value <= UINT32_MAX; value += 1 + value / 7) {
        struct hy_multiplier inverse = hy_inverse_sqrt((uint32_t)value);
        double got = inverse.mantissa * exp2(inverse.exponent - 31);
        double want = 1 / sqrt((double)value);

        if (!(fabs(got - want) <= 2e-6 * want))
            hy_test_fail(__FILE__, __LINE__, "1 / sqrt(%llu) is %g, expected %g",
                         (unsigned long long)value, got, want);
    }
    EXPECT_INT(hy_inverse_sqrt(0).mantissa, INT32_MAX);
    EXPECT_INT(hy_inverse_sqrt(1).exponent, 0);
}

TEST(kernels_fixed_point_16, shifts_round_halves_away_from_zero)
{
    EXPECT_INT(hy_round_shift(5, 1), 3);
    EXPECT_INT(hy_round_shift(-5, 1), -3);
    EXPECT_INT(hy_round_shift(-6, 2), -2);
    EXPECT_INT(hy_round_shift(INT32_MIN, 31), -1);
    EXPECT_INT(hy_round_shift(7, 0), 7);
    EXPECT_INT(hy_product_16(INT16_MIN, INT16_MIN), INT16_MAX);
}
