#ifndef HY_TESTS_SAMPLE_LSTM_H
#define HY_TESTS_SAMPLE_LSTM_H

#include "sample_fixture.h"

/* LSTM in all forms, with random inputs and a reference implementation. */
#define LSTM_BATCHES_MAX 17u
#define LSTM_UNITS       5u
#define LSTM_INPUTS      27u

struct lstm_form {
    uint32_t batches;
    bool has_input_gate, has_peepholes, has_projection, has_norms;
    bool is_open; /* weights are inputs, and optional tensors are unknown until the request */
    int32_t activation;
    float cell_clip, projection_clip;
};

/* The operation's tensors by number; expected outputs in double. */
struct lstm_case {
    struct lstm_form form;
    uint32_t inputs, units, outputs; /* extents */
    float values[LSTM_INPUTS][LSTM_BATCHES_MAX * LSTM_UNITS];
    double states[LSTM_BATCHES_MAX * LSTM_UNITS], cells[LSTM_BATCHES_MAX * LSTM_UNITS];
};

void lstm_case_init(const struct lstm_form *form, struct lstm_case *out);

/* Whether the form has tensor `number`. Scalars are excluded. */
bool lstm_case_has(const struct lstm_case *lstm, uint32_t number);
size_t lstm_case_count(const struct lstm_case *lstm, uint32_t number); /* elements */

/* A model of one LSTM. The model inputs are 0, 18 and 19, or all tensors with `is_open`. */
void lstm_case_model(const struct lstm_case *lstm, struct sample_model *model);

#endif
