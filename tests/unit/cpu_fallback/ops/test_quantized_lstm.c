#include <android/NeuralNetworksTypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/operations/operation.h"
#include "common/random.h"
#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/vector_model.h"

/* ---- The published vectors, to the bit ------------------------------------------------------- */

static const json_t *values_of(const json_t *test, const char *side, size_t index)
{
    const json_t *example = json_array_get(json_object_get(test, "examples"), 0);

    return json_array_get(json_object_get(example, side), index);
}

static void run_vector(const json_t *test, struct hy_builder *builder, struct hy_runner *runner)
{
    void *given[HY_RUNNER_ARGUMENTS] = {0};
    uint8_t got[4][256] = {0};
    uint64_t length;

    hy_runner_clear(runner);
    for (uint32_t i = 0; i < builder->input_count; i++) {
        int32_t type = builder->operands[builder->inputs[i]].type;
        if (json_is_null(values_of(test, "inputs", i))) {
            hy_runner_no_input(runner);
            continue;
        }
        given[i] = hy_vector_values(values_of(test, "inputs", i), type, &length);
        hy_runner_input(runner, given[i], length, 0, NULL);
    }
    for (uint32_t i = 0; i < builder->output_count; i++)
        hy_runner_output(runner, got[i], sizeof got[i], 0, NULL);
    EXPECT_INT(hy_runner_execute(runner), HY_STATUS_OK);
    for (uint32_t i = 0; i < builder->output_count; i++) {
        int32_t type = builder->operands[builder->outputs[i]].type;
        void *want = hy_vector_values(values_of(test, "outputs", i), type, &length);
        if (memcmp(want, got[i], length) != 0)
            hy_test_fail(__FILE__, __LINE__, "%s: output %u differs",
                         json_string_value(json_object_get(test, "name")), i);
        free(want);
    }
    for (uint32_t i = 0; i < builder->input_count; i++)
        free(given[i]);
}

static void check_file(const char *name, uint32_t device)
{
    const char *shared = hy_test_shared_dir();
    struct hy_runner runner;
    char path[1024];
    json_t *test;
    size_t i;

    if (!shared)
        return;
    snprintf(path, sizeof path, "%s/conformance/%s", shared, name);
    json_t *file = json_load_file(path, 0, NULL);
    REQUIRE(file);
    EXPECT_INT(hy_runner_open(&runner, hy_cpu_driver(), device), HY_STATUS_OK);
    json_array_foreach(json_object_get(file, "tests"), i, test)
    {
        struct hy_builder builder;
        hy_builder_init(&builder);
        EXPECT(hy_vector_build(test, false, &builder));
        EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&builder)), HY_STATUS_OK);
        run_vector(test, &builder, &runner);
        hy_builder_finish(&builder);
    }
    hy_runner_close(&runner);
    json_decref(file);
}

TEST(cpu_quantized_lstm, published_vectors_are_met_to_the_bit)
{
    for (uint32_t device = 0; device < 2; device++) {
        check_file("V1_2/quantized_lstm.json", device);
        check_file("V1_3/qlstm_noprojection.json", device);
    }
}

/* ---- All options, against real numbers ------------------------------------------------------- */

enum { INPUT, FORGET, CELL, OUTPUT, GATES };
enum { IN = 0, WEIGHTS = 1, PEEPHOLE = 9, BIAS = 12, PROJECTION = 16, STATES = 18, NORM = 20 };
enum { TENSORS = 24, MOST = 64, BATCH = 2, IN_SIZE = 5 };

struct tensor {
    bool given;
    struct hy_builder_type type;
    uint32_t count;
    double real[MOST];
    union {
        int8_t s8[MOST];
        int16_t s16[MOST];
        int32_t s32[MOST];
    } raw;
};

struct qlstm_case {
    struct hy_random random;
    bool cifg, peephole, norm, projection;
    uint32_t units, outs;
    float cell_clip, gate_scale, hidden_scale;
    int32_t hidden_zero_point;
    struct tensor tensors[TENSORS];
    double want_out[MOST], want_state[MOST];
    int8_t got_state[2][MOST], got_out[MOST];
    int16_t got_cell[MOST];
};

/* Real numbers in low..high of a type of this scale; columns 0 make a vector. */
static void fill(struct qlstm_case *test, uint32_t index, bool given, int32_t type, double scale,
                 int32_t zero_point, uint32_t rows, uint32_t columns, double low, double high)
{
    struct tensor *t = &test->tensors[index];

    *t = (struct tensor){.given = given, .count = rows * (columns ? columns : 1)};
    t->type = (struct hy_builder_type){.type = type,
                                       .scale = (float)scale,
                                       .zero_point = zero_point,
                                       .rank = columns ? 2 : 1,
                                       .dims = {rows, columns}};
    for (uint32_t i = 0; i < t->count; i++) {
        double random = (hy_random_real(&test->random, -1, 1) + 1) / 2;
        int32_t raw = (int32_t)lround((low + (high - low) * random) / scale) + zero_point;
        t->real[i] = (raw - zero_point) * scale;
        if (type == ANEURALNETWORKS_TENSOR_INT32)
            t->raw.s32[i] = raw;
        else if (type == ANEURALNETWORKS_TENSOR_QUANT16_SYMM)
            t->raw.s16[i] = (int16_t)raw;
        else
            t->raw.s8[i] = (int8_t)raw;
    }
}

static void make(struct qlstm_case *test, uint64_t seed)
{
    const int32_t s8 = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    const int32_t y8 = ANEURALNETWORKS_TENSOR_QUANT8_SYMM, i32 = ANEURALNETWORKS_TENSOR_INT32;
    const int32_t w16 = ANEURALNETWORKS_TENSOR_QUANT16_SYMM;
    const double step = 1.0 / 128;

    memset(test, 0, sizeof *test);
    test->random.state = seed;
    test->cifg = seed & 1;
    test->peephole = seed & 2;
    test->norm = seed & 4;
    test->projection = seed & 8;
    test->cell_clip = seed & 16 ? 0.25f : 0;
    test->units = (uint32_t)hy_random_between(&test->random, 4, 8);
    test->outs = test->projection ? 3 : test->units;
    test->gate_scale = test->norm ? 0x1p-13f : 0x1p-12f;
    test->hidden_scale = 1.0f / 100;
    test->hidden_zero_point = hy_random_between(&test->random, -8, 8);

    double norm_scale = 0x1p-14, bias_scale = test->norm ? norm_scale / 1024 : step * step;
    fill(test, IN, true, s8, step, 3, BATCH, IN_SIZE, -0.9, 0.9);
    for (uint32_t g = 0; g < GATES; g++) {
        bool has = g != INPUT || !test->cifg;
        fill(test, WEIGHTS + g, has, y8, step, 0, test->units, IN_SIZE, -0.9, 0.9);
        fill(test, WEIGHTS + 4 + g, has, y8, step, 0, test->units, test->outs, -0.9, 0.9);
        fill(test, BIAS + g, has, i32, bias_scale, 0, test->units, 0, -0.5, 0.5);
        fill(test, NORM + g, has && test->norm, w16, norm_scale, 0, test->units, 0, 0.5, 1.5);
    }
    for (uint32_t p = 0; p < 3; p++)
        fill(test, PEEPHOLE + p, test->peephole && (p || !test->cifg), w16, 0x1p-15, 0, test->units,
             0, -0.5, 0.5);
    fill(test, PROJECTION, test->projection, y8, step, 0, test->outs, test->units, -0.3, 0.3);
    fill(test, PROJECTION + 1, test->projection, i32, step * (double)test->hidden_scale, 0,
         test->outs, 0, -0.2, 0.2);
    fill(test, STATES, true, s8, step, -5, BATCH, test->outs, -0.7, 0.7);
    fill(test, STATES + 1, true, w16, 0x1p-11, 0, BATCH, test->units, -1, 1);
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double dot(const struct tensor *matrix, uint32_t row, const double *vector)
{
    uint32_t columns = matrix->type.dims[1];
    double sum = 0;

    for (uint32_t c = 0; c < columns; c++)
        sum += matrix->real[row * columns + c] * vector[c];
    return sum;
}

static void evaluate_gate(const struct qlstm_case *test, uint32_t gate, uint32_t b,
                          const double *cell, double *values)
{
    const struct tensor *t = test->tensors;
    uint32_t units = test->units, peephole = PEEPHOLE + (gate == OUTPUT ? 2 : gate);
    double mean = 0, variance = 0;

    for (uint32_t u = 0; u < units; u++) {
        values[u] = dot(&t[WEIGHTS + gate], u, t[IN].real + b * IN_SIZE) +
                    dot(&t[WEIGHTS + 4 + gate], u, t[STATES].real + b * test->outs);
        if (gate != CELL && t[peephole].given)
            values[u] += t[peephole].real[u] * cell[u];
        mean += values[u] / units;
    }
    for (uint32_t u = 0; u < units; u++)
        variance += (values[u] - mean) * (values[u] - mean) / units;
    for (uint32_t u = 0; u < units; u++) {
        if (test->norm)
            values[u] = (values[u] - mean) / sqrt(variance) * t[NORM + gate].real[u];
        values[u] += t[BIAS + gate].real[u];
        values[u] = gate == CELL ? tanh(values[u]) : logistic(values[u]);
    }
}

static void evaluate_row(struct qlstm_case *test, uint32_t b)
{
    const struct tensor *projection = &test->tensors[PROJECTION];
    double gates[GATES][MOST], m[MOST] = {0}, *cell = test->want_state + b * test->units;

    memcpy(cell, test->tensors[STATES + 1].real + b * test->units, test->units * sizeof *cell);
    for (uint32_t g = test->cifg ? FORGET : INPUT; g < OUTPUT; g++)
        evaluate_gate(test, g, b, cell, gates[g]);
    for (uint32_t u = 0; u < test->units; u++) {
        double in = test->cifg ? 1 - gates[FORGET][u] : gates[INPUT][u];
        cell[u] = gates[FORGET][u] * cell[u] + in * gates[CELL][u];
        if (test->cell_clip > 0)
            cell[u] = fmin(fmax(cell[u], -(double)test->cell_clip), (double)test->cell_clip);
    }
    evaluate_gate(test, OUTPUT, b, cell, gates[OUTPUT]);
    for (uint32_t u = 0; u < test->units; u++)
        m[u] = gates[OUTPUT][u] * tanh(cell[u]);
    for (uint32_t o = 0; o < test->outs; o++)
        test->want_out[b * test->outs + o] =
            test->projection ? (dot(projection, o, m) + projection[1].real[o]) * 128 - 5
                             : m[o] / (double)test->hidden_scale - test->hidden_zero_point;
}

static uint32_t add_inputs(const struct qlstm_case *test, struct hy_builder *builder,
                           uint32_t *inputs)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < TENSORS; i++) {
        const struct tensor *t = &test->tensors[i];
        uint64_t size = t->type.type == ANEURALNETWORKS_TENSOR_INT32          ? 4
                        : t->type.type == ANEURALNETWORKS_TENSOR_QUANT16_SYMM ? 2
                                                                              : 1;
        if (!t->given)
            inputs[count++] = hy_builder_no_value(builder, &t->type);
        else if (i == IN)
            inputs[count++] = hy_builder_input(builder, &t->type);
        else
            inputs[count++] = hy_builder_constant(builder, &t->type, &t->raw, t->count * size);
    }
    inputs[count++] = hy_builder_float(builder, test->cell_clip);
    inputs[count++] = hy_builder_float(builder, 0);
    for (uint32_t g = 0; g < GATES; g++)
        inputs[count++] = hy_builder_float(builder, test->gate_scale);
    inputs[count++] = hy_builder_int(builder, test->hidden_zero_point);
    inputs[count++] = hy_builder_float(builder, test->hidden_scale);
    return count;
}

static int32_t run(struct qlstm_case *test, uint32_t device, struct hy_runner *runner)
{
    struct hy_builder builder;
    uint32_t inputs[32], outputs[3];

    hy_builder_init(&builder);
    uint32_t count = add_inputs(test, &builder, inputs);
    outputs[0] = hy_builder_output(&builder, &test->tensors[STATES].type);
    outputs[1] = hy_builder_output(&builder, &test->tensors[STATES + 1].type);
    outputs[2] = hy_builder_output(&builder, &test->tensors[STATES].type);
    hy_builder_operation(&builder, HY_OP_QUANTIZED_LSTM, count, inputs, 3, outputs);
    EXPECT_INT(hy_runner_open(runner, hy_cpu_driver(), device), HY_STATUS_OK);
    int32_t status = hy_runner_prepare(runner, hy_builder_model(&builder));
    if (status == HY_STATUS_OK) {
        hy_runner_clear(runner);
        hy_runner_input(runner, &test->tensors[IN].raw, test->tensors[IN].count, 0, NULL);
        hy_runner_output(runner, test->got_state, sizeof test->got_state, 0, NULL);
        hy_runner_output(runner, test->got_cell, sizeof test->got_cell, 0, NULL);
        hy_runner_output(runner, test->got_out, sizeof test->got_out, 0, NULL);
        status = hy_runner_execute(runner);
    }
    hy_builder_finish(&builder);
    return status;
}

static void check(uint64_t seed)
{
    static struct qlstm_case test;
    struct hy_runner runner;

    make(&test, seed);
    EXPECT_INT(run(&test, (uint32_t)(seed / 32 % 2), &runner), HY_STATUS_OK);
    for (uint32_t b = 0; b < BATCH; b++)
        evaluate_row(&test, b);
    for (uint32_t i = 0; i < BATCH * test.units; i++)
        if (!(fabs(test.got_cell[i] - test.want_state[i] * 2048) <= 8))
            hy_test_fail(__FILE__, __LINE__, "seed %llu: cell %u is %d, expected %g",
                         (unsigned long long)seed, i, test.got_cell[i], test.want_state[i] * 2048);
    for (uint32_t i = 0; i < BATCH * test.outs; i++)
        if (!(fabs(test.got_out[i] - test.want_out[i]) <= 1.6))
            hy_test_fail(__FILE__, __LINE__, "seed %llu: output %u is %d, expected %g",
                         (unsigned long long)seed, i, test.got_out[i], test.want_out[i]);
    EXPECT(memcmp(test.got_state, test.got_out, (size_t)BATCH * test.outs) == 0);
    hy_runner_close(&runner);
}

TEST(cpu_quantized_lstm, all_options_stay_close_to_real_numbers)
{
    for (uint64_t seed = 0; seed < 256; seed++)
        check(seed);
}

TEST(cpu_quantized_lstm, cell_state_needs_a_power_of_two)
{
    static struct qlstm_case test;
    struct hy_runner runner;

    make(&test, 0);
    test.tensors[STATES + 1].type.scale = 3e-4f;
    EXPECT(run(&test, 0, &runner) != HY_STATUS_OK);
    EXPECT_CONTAINS(runner.message, "needs a power of two");
    hy_runner_close(&runner);
}
