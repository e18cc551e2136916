#include "recurrent_case.h"

#include <android/NeuralNetworksTypes.h>
#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/half.h"
#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/test.h"

void recurrent_init(struct recurrent_case *test, uint64_t seed)
{
    memset(test, 0, sizeof *test);
    test->seed = test->random.state = seed;
    hy_builder_init(&test->builder);
}

void recurrent_finish(struct recurrent_case *test)
{
    hy_builder_finish(&test->builder);
}

static struct hy_builder_type type_of(const struct recurrent_case *test, uint32_t rank,
                                      const uint32_t *dims)
{
    struct hy_builder_type type = {
        .type = test->half ? ANEURALNETWORKS_TENSOR_FLOAT16 : ANEURALNETWORKS_TENSOR_FLOAT32,
        .rank = rank,
    };

    memcpy(type.dims, dims, rank * sizeof *dims);
    return type;
}

void recurrent_fill(struct recurrent_case *test, uint32_t index, bool given, uint32_t a, uint32_t b,
                    uint32_t c)
{
    struct recurrent_tensor *tensor = &test->tensors[index];

    *tensor = (struct recurrent_tensor){
        .given = given,
        .rank = c   ? 3
                : b ? 2
                    : 1,
        .dims = {a, b, c},
        .count = (size_t)a * (b ? b : 1) * (c ? c : 1),
    };
    assert(tensor->count <= RECURRENT_VALUES);
    for (size_t i = 0; i < tensor->count; i++) {
        float value = hy_random_real(&test->random, -1, 1);
        if (test->half)
            value = hy_half_to_float_soft(hy_half_from_float_soft(value));
        tensor->values[i] = (double)value;
    }
}

static size_t store(const struct recurrent_case *test, const struct recurrent_tensor *tensor,
                    union recurrent_bytes *bytes)
{
    for (size_t i = 0; i < tensor->count; i++) {
        if (test->half)
            bytes->halves[i] = hy_half_from_float_soft((float)tensor->values[i]);
        else
            bytes->floats[i] = (float)tensor->values[i];
    }
    return tensor->count * (test->half ? sizeof *bytes->halves : sizeof *bytes->floats);
}

void recurrent_add(struct recurrent_case *test, uint32_t index, bool is_constant)
{
    const struct recurrent_tensor *tensor = &test->tensors[index];
    struct hy_builder_type type = type_of(test, tensor->given ? tensor->rank : 0, tensor->dims);
    union recurrent_bytes *bytes = &test->given[test->given_count];
    uint32_t *input = &test->inputs[test->input_count++];

    if (!tensor->given) {
        *input = hy_builder_no_value(&test->builder, &type);
        return;
    }
    size_t length = store(test, tensor, bytes);
    if (is_constant) {
        *input = hy_builder_constant(&test->builder, &type, bytes, length);
        return;
    }
    *input = hy_builder_input(&test->builder, &type);
    test->given_bytes[test->given_count++] = length;
}

void recurrent_add_range(struct recurrent_case *test, uint32_t first, uint32_t last)
{
    for (uint32_t index = first; index <= last; index++)
        recurrent_add(test, index, true);
}

void recurrent_add_int(struct recurrent_case *test, int32_t value)
{
    test->inputs[test->input_count++] = hy_builder_int(&test->builder, value);
}

void recurrent_add_bool(struct recurrent_case *test, bool value)
{
    test->inputs[test->input_count++] = hy_builder_bool(&test->builder, value);
}

void recurrent_add_real(struct recurrent_case *test, float value)
{
    const struct hy_builder_type type = {.type = ANEURALNETWORKS_FLOAT16};
    uint16_t half = hy_half_from_float_soft(value);

    test->inputs[test->input_count++] =
        test->half ? hy_builder_constant(&test->builder, &type, &half, sizeof half)
                   : hy_builder_float(&test->builder, value);
}

void recurrent_add_output(struct recurrent_case *test, uint32_t rank)
{
    struct hy_builder_type type = type_of(test, rank, (const uint32_t[3]){0});

    test->outputs[test->output_count++] = hy_builder_output(&test->builder, &type);
}

static int32_t execute(struct recurrent_case *test, struct hy_runner *runner)
{
    int32_t status = hy_runner_prepare(runner, hy_builder_model(&test->builder));

    if (status != HY_STATUS_OK)
        return status;
    hy_runner_clear(runner);
    for (size_t i = 0; i < test->given_count; i++)
        hy_runner_input(runner, &test->given[i], test->given_bytes[i], 0, NULL);
    for (uint32_t i = 0; i < test->output_count; i++)
        hy_runner_output(runner, &test->results[i], sizeof test->results[i], 0, NULL);
    return hy_runner_execute(runner);
}

int32_t recurrent_run(struct recurrent_case *test, int32_t operation, uint32_t device)
{
    struct hy_runner runner;

    hy_builder_operation(&test->builder, operation, test->input_count, test->inputs,
                         test->output_count, test->outputs);
    int32_t status = hy_runner_open(&runner, hy_cpu_driver(), device);
    if (status == HY_STATUS_OK)
        status = execute(test, &runner);
    memcpy(test->message, runner.message, sizeof test->message);
    hy_runner_close(&runner);
    return status;
}

void recurrent_expect(const struct recurrent_case *test, uint32_t output, size_t count,
                      const double *want)
{
    const union recurrent_bytes *bytes = &test->results[output];

    for (size_t i = 0; i < count; i++) {
        double got =
            test->half ? (double)hy_half_to_float_soft(bytes->halves[i]) : (double)bytes->floats[i];
        double tolerance = test->half ? 2e-3 : 2e-5;
        if (fabs(got - want[i]) <= tolerance * (1 + fabs(want[i])))
            continue;
        hy_test_fail(__FILE__, __LINE__, "seed %llu: output %u, element %zu is %.9g, expected %.9g",
                     (unsigned long long)test->seed, output, i, got, want[i]);
        return;
    }
    hy_test_pass(__FILE__, __LINE__);
}

double recurrent_activate(int activation, double x)
{
    switch (activation) {
    case 1:
        return fmax(x, 0);
    case 3:
        return fmin(fmax(x, 0), 6);
    case 4:
        return tanh(x);
    case 6:
        return 1 / (1 + exp(-x));
    default:
        return x;
    }
}

double recurrent_dot(const struct recurrent_tensor *matrix, size_t row, const double *vector)
{
    size_t columns = matrix->dims[1];
    double sum = 0;

    for (size_t c = 0; matrix->given && c < columns; c++)
        sum += matrix->values[row * columns + c] * vector[c];
    return sum;
}
