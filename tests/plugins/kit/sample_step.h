#ifndef HY_TESTS_SAMPLE_STEP_H
#define HY_TESTS_SAMPLE_STEP_H

#include "sample_lstm.h"

/* One step of a recurrent network on the sample driver, over buffers or memory of the app.
 * Arguments go by these numbers. */
enum { INPUT, STATE_IN, CELLS_IN, SCRATCH, STATE_OUT, CELLS_OUT, OUTPUT, ARGUMENTS };
enum { FIRST_OUTPUT = SCRATCH, OUTPUTS = ARGUMENTS - FIRST_OUTPUT };

#define SAMPLE_ROOM (LSTM_BATCHES_MAX * 4 * LSTM_UNITS)

/* A buffer, or the memory of the app. */
struct sample_place {
    void *buffer;
    uint32_t token;
    float bytes[SAMPLE_ROOM];
};

/* One step of a network, prepared, with memory for each argument. */
struct sample_step_case {
    struct sample_fixture fixture;
    struct lstm_case lstm;
    struct sample_model model;
    void *prepared;
    size_t sizes[ARGUMENTS];
};

/* The model, and the memory that it needs. */
void sample_step_describe(struct sample_step_case *step, uint32_t batches);

/* The same, prepared on the device of recurrent.json. False is a recorded failure. */
bool sample_step_init(struct sample_step_case *step, uint32_t batches);
void sample_step_finish(struct sample_step_case *step);
void *sample_step_prepare(const struct sample_fixture *fixture, const struct hy_model *model);

/* The step's inputs into the first three places. */
void sample_step_fill(const struct sample_step_case *step, struct sample_place *places);

/* Runs the step, or another prepared model, over these places: their buffers, where they have one.
 */
int32_t sample_step_run(const struct sample_step_case *step,
                        struct sample_place *const places[ARGUMENTS]);
int32_t sample_step_execute(const struct sample_fixture *fixture, void *prepared,
                            uint32_t input_count, uint32_t output_count,
                            struct sample_place *const *places, const size_t *sizes);

/* Five steps of a chain, states in two sets of places used in turn; the last output. */
void sample_step_run_chain(const struct sample_step_case *step, bool on_device, float *output);

/* ---- Buffers --------------------------------------------------------------------------------- */

int32_t sample_place_create(const struct sample_fixture *fixture, void *const *prepared,
                            uint32_t prepared_count, const struct hy_buffer_role *roles,
                            uint32_t count, struct sample_place *place);

/* For the state that is argument STATE_IN or CELLS_IN: what it comes in and goes out by. */
int32_t sample_place_create_state(const struct sample_step_case *step, uint32_t argument,
                                  struct sample_place *place);
void sample_place_destroy(const struct sample_step_case *step, struct sample_place *place);

/* Between the buffer of a place and its bytes. */
int32_t sample_place_copy_in(const struct sample_step_case *step, struct sample_place *place,
                             size_t size);
int32_t sample_place_copy_out(const struct sample_step_case *step, struct sample_place *place,
                              size_t size);

#endif
