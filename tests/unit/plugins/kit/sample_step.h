#ifndef HY_TESTS_SAMPLE_STEP_H
#define HY_TESTS_SAMPLE_STEP_H

#include "sample_lstm.h"

/* A step of a recurrent network on the sample driver, with buffers or app memory. The enumerators
 * number the arguments. */
enum { INPUT, STATE_IN, CELLS_IN, SCRATCH, STATE_OUT, CELLS_OUT, OUTPUT, ARGUMENTS };
enum { FIRST_OUTPUT = SCRATCH, OUTPUTS = ARGUMENTS - FIRST_OUTPUT };

#define SAMPLE_BUFFER_FLOATS (LSTM_BATCHES_MAX * 4 * LSTM_UNITS)

/* A device buffer, or app memory if `buffer` is NULL. */
struct sample_buffer {
    void *buffer;
    uint32_t token;
    float bytes[SAMPLE_BUFFER_FLOATS];
};

/* A prepared step with the sizes of all arguments. */
struct sample_step_case {
    struct sample_fixture fixture;
    struct lstm_case lstm;
    struct sample_model model;
    void *prepared;
    size_t sizes[ARGUMENTS];
};

/* Builds the model and computes the sizes. */
void sample_step_describe(struct sample_step_case *step, uint32_t batches);

/* Describes the step and prepares the model on the device of recurrent.json. On failure records a
 * test failure and returns false. */
bool sample_step_init(struct sample_step_case *step, uint32_t batches);
void sample_step_finish(struct sample_step_case *step);
void *sample_step_prepare(const struct sample_fixture *fixture, const struct hy_model *model);

/* Copies the step's inputs into the first three places. */
void sample_step_fill(const struct sample_step_case *step, struct sample_buffer *buffers);

/* Runs the step, or another prepared model, on the given places. A place with a buffer uses the
 * buffer. */
int32_t sample_step_run(const struct sample_step_case *step,
                        struct sample_buffer *const buffers[ARGUMENTS]);
int32_t sample_step_execute(const struct sample_fixture *fixture, void *prepared,
                            uint32_t input_count, uint32_t output_count,
                            struct sample_buffer *const *buffers, const size_t *sizes);

/* Runs a chain of five steps with two alternating sets of states, and returns the last output. */
void sample_step_run_chain(const struct sample_step_case *step, bool on_device, float *output);

/* ---- Buffers --------------------------------------------------------------------------------- */

int32_t sample_buffer_create(const struct sample_fixture *fixture, void *const *prepared,
                             uint32_t prepared_count, const struct hy_buffer_role *roles,
                             uint32_t count, struct sample_buffer *position);

/* Creates a buffer for the state argument STATE_IN or CELLS_IN, with roles as input and as
 * output. */
int32_t sample_buffer_create_state(const struct sample_step_case *step, uint32_t argument,
                                   struct sample_buffer *position);
void sample_buffer_destroy(const struct sample_step_case *step, struct sample_buffer *position);

/* Copies between the buffer of a place and its bytes. */
int32_t sample_buffer_copy_in(const struct sample_step_case *step, struct sample_buffer *position,
                              size_t size);
int32_t sample_buffer_copy_out(const struct sample_step_case *step, struct sample_buffer *position,
                               size_t size);

#endif
