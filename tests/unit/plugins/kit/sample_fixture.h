#ifndef HY_TESTS_SAMPLE_FIXTURE_H
#define HY_TESTS_SAMPLE_FIXTURE_H

#include "plugin_fixture.h"

#include <android/NeuralNetworks.h>

#define SAMPLE_MODEL_OPERANDS 40u
#define SAMPLE_MODEL_OPS      4u
#define SAMPLE_MODEL_INPUTS   28u /* of the model, and of a single operation */

/* The sample driver, opened through its manifest in the build directory. */
struct sample_fixture {
    struct plugin_fixture plugins;
    const struct hy_device *table;
    void *device;
};

bool sample_fixture_init(struct sample_fixture *fixture);

/* Opens another driver of the family by its manifest, such as "minimal.json". */
bool sample_fixture_init_member(struct sample_fixture *fixture, const char *manifest);
void sample_fixture_finish(struct sample_fixture *fixture);

/* A small hand-made model. Tests may change members before passing the model to the driver. */
struct sample_model {
    struct hy_operand operands[SAMPLE_MODEL_OPERANDS];
    uint32_t dims[SAMPLE_MODEL_OPERANDS][4];
    struct hy_operation operations[SAMPLE_MODEL_OPS];
    uint32_t operation_inputs[SAMPLE_MODEL_OPS][SAMPLE_MODEL_INPUTS];
    uint32_t operation_outputs[SAMPLE_MODEL_OPS][4];
    uint32_t inputs[SAMPLE_MODEL_INPUTS], outputs[4];
    uint8_t values[8192];
    struct hy_subgraph graph;
    struct hy_model model;
};

void sample_model_init(struct sample_model *model);

/* A non-constant tensor. Inputs and outputs are added to the lists of the model. */
uint32_t sample_model_tensor(struct sample_model *model, int32_t type, int32_t lifetime,
                             uint32_t rank, const uint32_t *dims, float scale, int32_t zero_point);

/* A constant; rank 0 for a scalar. */
uint32_t sample_model_constant(struct sample_model *model, int32_t type, uint32_t rank,
                               const uint32_t *dims, float scale, int32_t zero_point,
                               const void *data, size_t size);
uint32_t sample_model_i32(struct sample_model *model, int32_t value);

void sample_model_operation(struct sample_model *model, int32_t type, uint32_t input_count,
                            const uint32_t *inputs, uint32_t output);

/* LSTM with 23 or 27 inputs and four outputs. */
void sample_model_lstm(struct sample_model *model, uint32_t input_count, const uint32_t *inputs,
                       const uint32_t outputs[4]);

/* The reason for refusing the first operation; "" if supported. */
const char *sample_refusal(const struct sample_fixture *fixture, const struct sample_model *model);

/* Prepares, runs once with whole buffers and destroys. Returns the status of the first failed call.
 * A NULL input is omitted. */
int32_t sample_run(const struct sample_fixture *fixture, const struct sample_model *model,
                   const void *const *inputs, const size_t *input_sizes, void *const *outputs,
                   const size_t *output_sizes);

#endif
