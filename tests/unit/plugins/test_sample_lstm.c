/* LSTM of the sample driver, against arithmetic in double. */
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/sample_lstm.h"

#include <math.h>
#include <string.h>

static const struct lstm_form plain = {.batches = 1, .has_input_gate = true, .activation = 4};

static void expect_near(const char *what, const float *got, const double *real, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs(got[i] - real[i]) <= 2e-6 + 2e-6 * fabs(real[i])))
            hy_test_fail(__FILE__, __LINE__, "%s: element %zu is %g, expected %g", what, i,
                         (double)got[i], real[i]);
    CU_PASS("all elements");
}

/* Runs it with what the model wants, and compares what comes out. */
static void expect_right(const struct sample_fixture *fixture, const struct lstm_form *form)
{
    static struct lstm_case lstm;
    static struct sample_model model;
    float scratch[LSTM_BATCHES_MAX * 4 * LSTM_UNITS];
    float results[3][LSTM_BATCHES_MAX * LSTM_UNITS];
    const void *inputs[LSTM_INPUTS];
    size_t sizes[LSTM_INPUTS];
    uint32_t count = 0;
    lstm_case_init(form, &lstm);
    lstm_case_model(&lstm, &model);
    EXPECT_STR(sample_refusal(fixture, &model), "");
    for (uint32_t i = 0; i < LSTM_INPUTS; i++) {
        const bool is_state = i == 0 || i == 18 || i == 19, is_scalar = i >= 20 && i <= 22;
        if (is_scalar || (!is_state && !form->is_open))
            continue;
        inputs[count] = lstm_case_has(&lstm, i) ? lstm.values[i] : NULL;
        sizes[count++] = lstm_case_count(&lstm, i) * sizeof(float);
    }
    EXPECT_INT(count, model.graph.input_count);

    const size_t states = form->batches * lstm.outputs, cells = form->batches * lstm.units;
    const size_t gates = form->has_input_gate ? 4 : 3;
    void *const outputs[] = {scratch, results[0], results[1], results[2]};
    const size_t output_sizes[] = {cells * gates * sizeof(float), states * sizeof(float),
                                   cells * sizeof(float), states * sizeof(float)};
    EXPECT_INT(sample_run(fixture, &model, inputs, sizes, outputs, output_sizes), HY_STATUS_OK);
    expect_near("output state", results[0], lstm.states, states);
    expect_near("cell state", results[1], lstm.cells, cells);
    expect_near("output", results[2], lstm.states, states);
}

TEST(sample_lstm, every_form_is_right)
{
    struct sample_fixture fixture;
    REQUIRE(sample_fixture_init_member(&fixture, "recurrent.json"));
    for (uint32_t bits = 0; bits < 32; bits++) {
        struct lstm_form form = plain;
        form.has_input_gate = bits & 1;
        form.has_peepholes = bits & 2;
        form.has_projection = bits & 4;
        form.has_norms = bits & 8;
        form.is_open = bits & 16;
        form.batches = 2;
        expect_right(&fixture, &form);
    }
    sample_fixture_finish(&fixture);
}

/* Rows are computed side by side. */
TEST(sample_lstm, any_number_of_rows_is_right)
{
    struct sample_fixture fixture;
    REQUIRE(sample_fixture_init_member(&fixture, "recurrent.json"));
    for (uint32_t batches = 1; batches <= LSTM_BATCHES_MAX; batches++) {
        struct lstm_form form = plain;
        form.batches = batches;
        expect_right(&fixture, &form);
    }
    sample_fixture_finish(&fixture);
}

TEST(sample_lstm, activations_and_clips)
{
    static const int32_t activations[] = {0, 1, 3, 4, 6};
    struct sample_fixture fixture;
    REQUIRE(sample_fixture_init_member(&fixture, "recurrent.json"));
    for (size_t i = 0; i < sizeof activations / sizeof *activations; i++) {
        struct lstm_form form = plain;
        form.activation = activations[i];
        form.has_projection = true;
        expect_right(&fixture, &form);
        form.cell_clip = 0.125f;
        form.projection_clip = 0.25f;
        expect_right(&fixture, &form);
    }
    sample_fixture_finish(&fixture);
}

/* ---- What is refused ------------------------------------------------------------------------- */

static const char *refusal(const struct sample_fixture *fixture, const struct lstm_form *form,
                           void (*corrupt)(struct sample_model *model))
{
    static struct lstm_case lstm;
    static struct sample_model model;
    lstm_case_init(form, &lstm);
    lstm_case_model(&lstm, &model);
    corrupt(&model);
    return sample_refusal(fixture, &model);
}

/* Operands come in the order of the operation's inputs, and then the outputs. */
static void half_a_gate(struct sample_model *model)
{
    model->operands[5].lifetime = HY_LIFETIME_NO_VALUE;
}

static void no_forget_gate(struct sample_model *model)
{
    model->operands[2].lifetime = HY_LIFETIME_NO_VALUE;
}

static void narrow_weights(struct sample_model *model)
{
    model->dims[3][1]--;
}

static void odd_activation(struct sample_model *model)
{
    const int32_t tanh_1 = 2;
    memcpy(model->values + model->operands[20].location.offset, &tanh_1, sizeof tanh_1);
}

static void negative_clip(struct sample_model *model)
{
    const float clip = -1;
    memcpy(model->values + model->operands[21].location.offset, &clip, sizeof clip);
}

static void short_scratch(struct sample_model *model)
{
    model->dims[27][1]--;
}

static void constant_state(struct sample_model *model)
{
    model->operands[28].lifetime = HY_LIFETIME_INPUT;
}

static void wide_projection(struct sample_model *model)
{
    model->dims[16][0]++;
}

TEST(sample_lstm, what_does_not_fit_is_refused_with_a_reason)
{
    struct sample_fixture fixture;
    struct lstm_form open = plain;
    open.has_projection = open.is_open = true; /* else lengths do not fit before shapes do */
    REQUIRE(sample_fixture_init_member(&fixture, "recurrent.json"));
    EXPECT_CONTAINS(refusal(&fixture, &plain, half_a_gate),
                    "some inputs of a whole LSTM cell are left out");
    EXPECT_CONTAINS(refusal(&fixture, &plain, no_forget_gate),
                    "input-to-forget weights: input 2 is left out");
    EXPECT_CONTAINS(refusal(&fixture, &open, narrow_weights), "input-to-cell weights");
    EXPECT_CONTAINS(refusal(&fixture, &plain, odd_activation), "the activation is 2");
    EXPECT_CONTAINS(refusal(&fixture, &plain, negative_clip), "the cell clip is -1");
    EXPECT_CONTAINS(refusal(&fixture, &plain, short_scratch), "extent 1 of output 0");
    EXPECT_CONTAINS(refusal(&fixture, &plain, constant_state), "output 1 cannot be written");
    EXPECT_CONTAINS(refusal(&fixture, &open, wide_projection), "projection weights");
    sample_fixture_finish(&fixture);
}

TEST(sample_lstm, only_a_device_that_is_asked_for_it_takes_it)
{
    static struct lstm_case lstm;
    static struct sample_model model;
    struct sample_fixture fixture;
    REQUIRE(sample_fixture_init(&fixture));
    lstm_case_init(&plain, &lstm);
    lstm_case_model(&lstm, &model);
    EXPECT_CONTAINS(sample_refusal(&fixture, &model), "the device does not support operation type");
    sample_fixture_finish(&fixture);
}

/* Requests say what is there: an input gate with weights for the input alone is none. */
TEST(sample_lstm, a_request_that_makes_no_whole_cell_is_refused)
{
    static struct lstm_case lstm;
    static struct sample_model model;
    struct sample_fixture fixture;
    struct lstm_form form = plain;
    float outputs[4][4 * LSTM_UNITS];
    const void *inputs[LSTM_INPUTS] = {NULL};
    size_t sizes[LSTM_INPUTS];
    form.is_open = true;
    REQUIRE(sample_fixture_init_member(&fixture, "recurrent.json"));
    lstm_case_init(&form, &lstm);
    lstm_case_model(&lstm, &model);
    for (uint32_t i = 0, number = 0; i < LSTM_INPUTS; i++) {
        if (i >= 20 && i <= 22)
            continue;
        inputs[number] = lstm_case_has(&lstm, i) && i != 5 ? lstm.values[i] : NULL;
        sizes[number++] = lstm_case_count(&lstm, i) * sizeof(float);
    }
    EXPECT_INT(sample_run(&fixture, &model, inputs, sizes,
                          (void *[]){outputs[0], outputs[1], outputs[2], outputs[3]},
                          (size_t[]){80, 20, 20, 20}),
               HY_STATUS_INVALID_ARGUMENT);
    inputs[5] = lstm.values[5];
    inputs[2] = NULL; /* which may not be left out */
    EXPECT_INT(sample_run(&fixture, &model, inputs, sizes,
                          (void *[]){outputs[0], outputs[1], outputs[2], outputs[3]},
                          (size_t[]){80, 20, 20, 20}),
               HY_STATUS_INVALID_ARGUMENT);
    sample_fixture_finish(&fixture);
}
