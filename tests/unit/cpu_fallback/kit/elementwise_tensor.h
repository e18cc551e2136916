#ifndef HY_TESTS_UNIT_CPU_FALLBACK_KIT_ELEMENTWISE_TENSOR_H
#define HY_TESTS_UNIT_CPU_FALLBACK_KIT_ELEMENTWISE_TENSOR_H

#include <stdbool.h>

#include "tests/kit/driver_runner.h"
#include "tests/kit/model_builder.h"

/* Small random tensors of any type, and models with one operation. */
#define HY_TENSOR_ELEMENTS 256

struct hy_tensor {
    struct hy_builder_type type;
    uint32_t count;
    uint32_t data[HY_TENSOR_ELEMENTS];
};

/* Sets a type without extents. Quantised types get a random scale and zero point. */
void hy_tensor_init(struct hy_tensor *tensor, int32_t type, uint32_t *seed);

void hy_tensor_set_shape(struct hy_tensor *tensor, uint32_t rank, const uint32_t *dims);

/* Random elements: floats in [-8, 8), small integers, any bytes. */
void hy_tensor_fill(struct hy_tensor *tensor, uint32_t *seed);

/* The stored number, and its real value in float32 precision. */
double hy_tensor_stored(const struct hy_tensor *tensor, uint32_t index);
double hy_tensor_real(const struct hy_tensor *tensor, uint32_t index);

/* `real` in units of the stored number: clamped to the type's range, but not rounded. */
double hy_tensor_steps(const struct hy_tensor *tensor, double real);

/*
 * Runs one operation on device `device` of the CPU driver. Scalars follow the tensors in the
 * inputs. Returns the status. `message`, unless NULL, receives the text of the last failure.
 */
#define HY_TENSOR_INPUTS 3
struct hy_tensor_call {
    int32_t operation;
    uint32_t input_count;
    struct hy_tensor *inputs[HY_TENSOR_INPUTS];
    struct hy_tensor *output;
    bool has_activation, has_alpha;
    int32_t activation;
    float alpha;
};

int32_t hy_tensor_run(const struct hy_tensor_call *call, uint32_t device, char message[512]);

#endif
