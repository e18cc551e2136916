#ifndef HY_TESTS_SAMPLE_LSTM_H
#define HY_TESTS_SAMPLE_LSTM_H

#include "sample_fixture.h"

/* LSTM in all of its forms, with inputs made by chance and a model of what has to come out. */
#define LSTM_BATCHES_MAX 17u
#define LSTM_UNITS       5u
#define LSTM_INPUTS      27u

struct lstm_form {
    uint32_t batches;
    bool has_input_gate, has_peepholes, has_projection, has_norms;
    bool is_open; /* weights come with requests, and the model does not tell whether they do */
    int32_t activation;
    float cell_clip, projection_clip;
};

/* The operation's tensors, by their numbers; those of the outputs in double. */
struct lstm_case {
    struct lstm_form form;
    uint32_t inputs, units, outputs; /* extents */
    float values[LSTM_INPUTS][LSTM_BATCHES_MAX * LSTM_UNITS];
    double states[LSTM_BATCHES_MAX * LSTM_UNITS], cells[LSTM_BATCHES_MAX * LSTM_UNITS];
};

void lstm_case_init(const struct lstm_form *form, struct lstm_case *out);

/* Whether input `number` is there in this form; a scalar is none. */
bool lstm_case_has(const struct lstm_case *lstm, uint32_t number);
size_t lstm_case_count(const struct lstm_case *lstm, uint32_t number); /* elements */

/* A model of one LSTM. In the model's inputs stand 0, 18 and 19, or all tensors that are open. */
void lstm_case_model(const struct lstm_case *lstm, struct sample_model *model);

#endif
