#ifndef HY_TESTS_UNIT_CPU_FALLBACK_KIT_RECURRENT_CASE_H
#define HY_TESTS_UNIT_CPU_FALLBACK_KIT_RECURRENT_CASE_H

#include <stdbool.h>

#include "common/random.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/model_builder.h"

/*
 * One recurrent operation with random operands, run through the driver table. Operand numbers are
 * the numbers of the bidirectional form; a unidirectional form uses some of the numbers.
 */
enum { RECURRENT_TENSORS = 61, RECURRENT_VALUES = 2048, RECURRENT_OUTPUTS = 6 };

struct recurrent_tensor {
    bool given;
    uint32_t rank, dims[3];
    size_t count;
    double values[RECURRENT_VALUES]; /* exactly representable in the stored type */
};

struct recurrent_case {
    uint64_t seed;
    struct hy_random random;
    bool half; /* float16 instead of float32 */
    struct recurrent_tensor tensors[RECURRENT_TENSORS];
    /* the growing model */
    struct hy_builder builder;
    uint32_t inputs[RECURRENT_TENSORS], input_count, outputs[RECURRENT_OUTPUTS], output_count;
    union recurrent_bytes {
        float floats[RECURRENT_VALUES];
        uint16_t halves[RECURRENT_VALUES];
    } given[RECURRENT_TENSORS], results[RECURRENT_OUTPUTS];
    size_t given_bytes[RECURRENT_TENSORS], given_count;
    char message[512]; /* of a failed run */
};

void recurrent_init(struct recurrent_case *test, uint64_t seed);
void recurrent_finish(struct recurrent_case *test);

/* Fills tensor `index` with random numbers in [-1, 1) and sets `given`. An extent of 0 ends the
 * shape. */
void recurrent_fill(struct recurrent_case *test, uint32_t index, bool given, uint32_t a, uint32_t b,
                    uint32_t c);

/* Adds tensor `index` as the next input: constant, model input, or omitted. */
void recurrent_add(struct recurrent_case *test, uint32_t index, bool is_constant);
void recurrent_add_range(struct recurrent_case *test, uint32_t first, uint32_t last);
void recurrent_add_int(struct recurrent_case *test, int32_t value);
void recurrent_add_bool(struct recurrent_case *test, bool value);
void recurrent_add_real(struct recurrent_case *test, float value);

/* Adds an output of unknown extents. */
void recurrent_add_output(struct recurrent_case *test, uint32_t rank);

/* Prepares and executes on device `device`. Returns the status of the first failure, or OK. */
int32_t recurrent_run(struct recurrent_case *test, int32_t operation, uint32_t device);

/* Expects the given numbers in output `output`, from first to last. */
void recurrent_expect(const struct recurrent_case *test, uint32_t output, size_t count,
                      const double *want);

/* `activation`: 0 none, 1 RELU, 3 RELU6, 4 tanh, 6 sigmoid */
double recurrent_activate(int activation, double x);

/* Row `row` of a matrix times a vector. */
double recurrent_dot(const struct recurrent_tensor *matrix, size_t row, const double *vector);

#endif
