#ifndef HY_TESTS_CPU_FALLBACK_KIT_RECURRENT_CASE_H
#define HY_TESTS_CPU_FALLBACK_KIT_RECURRENT_CASE_H

#include <stdbool.h>

#include "common/random.h"
#include "support/driver_runner.h"
#include "support/model_builder.h"

/*
 * One recurrent operation with random operands, run through the driver table. Operands have the
 * numbers of the two-way form of their operation; a form in one direction takes some of them.
 */
enum { RECURRENT_TENSORS = 61, RECURRENT_VALUES = 2048, RECURRENT_OUTPUTS = 6 };

struct recurrent_tensor {
    bool given;
    uint32_t rank, dims[3];
    size_t count;
    double values[RECURRENT_VALUES]; /* exactly what is stored */
};

struct recurrent_case {
    uint64_t seed;
    struct hy_random random;
    bool half; /* float16 instead of float32 */
    struct recurrent_tensor tensors[RECURRENT_TENSORS];
    /* the model, as it grows */
    struct hy_builder builder;
    uint32_t inputs[RECURRENT_TENSORS], input_count, outputs[RECURRENT_OUTPUTS], output_count;
    union recurrent_bytes {
        float floats[RECURRENT_VALUES];
        uint16_t halves[RECURRENT_VALUES];
    } given[RECURRENT_TENSORS], results[RECURRENT_OUTPUTS];
    size_t given_bytes[RECURRENT_TENSORS], given_count;
    char message[512]; /* of the run, when it failed */
};

void recurrent_init(struct recurrent_case *test, uint64_t seed);
void recurrent_finish(struct recurrent_case *test);

/* Random numbers in [-1, 1) for tensor `index`, when it is `given`; sizes of 0 end the shape. */
void recurrent_fill(struct recurrent_case *test, uint32_t index, bool given, uint32_t a, uint32_t b,
                    uint32_t c);

/* Adds tensor `index` as the next input: constant, of the model, or left out. */
void recurrent_add(struct recurrent_case *test, uint32_t index, bool is_constant);
void recurrent_add_range(struct recurrent_case *test, uint32_t first, uint32_t last);
void recurrent_add_int(struct recurrent_case *test, int32_t value);
void recurrent_add_bool(struct recurrent_case *test, bool value);
void recurrent_add_real(struct recurrent_case *test, float value);

/* Adds an output of unknown extents. */
void recurrent_add_output(struct recurrent_case *test, uint32_t rank);

/* Prepares and executes on device `device`; the status of what failed first. */
int32_t recurrent_run(struct recurrent_case *test, int32_t operation, uint32_t device);

/* Output `output` has these numbers, first to last. */
void recurrent_expect(const struct recurrent_case *test, uint32_t output, size_t count,
                      const double *want);

/* activation 0 none, 1 RELU, 3 RELU6, 4 tanh, 6 sigmoid */
double recurrent_activate(int activation, double x);

/* Row `row` of a matrix times a vector. */
double recurrent_dot(const struct recurrent_tensor *matrix, size_t row, const double *vector);

#endif
