/*
 * Real networks on XNNPACK. Floats are as recorded with TensorFlow Lite. Bytes are rounded another
 * way at each operator, which adds up: one step of a logit is 18 steps of a softmax near a tie.
 */
#include "bench/inference.h"
#include "tests/kit/test.h"
#include "tests/scenarios/models/recorded.h"
#include "tests/scenarios/models/step_runs.h"

#include <stdlib.h>

#define MOST_STEPS 20

static bool fill_inputs(const struct hy_recorded *recorded, struct hy_inference *inference,
                        uint32_t number)
{
    for (uint32_t i = 0; i < hy_inference_input_count(inference); i++) {
        if (!hy_recorded_read_input(recorded, number, i, hy_inference_input(inference, i),
                                    hy_inference_input_tensor(inference, i)->bytes))
            return false;
    }
    return true;
}

static void compare_bytes(const struct hy_recorded *recorded, uint32_t number, const int8_t *got,
                          const int8_t *wanted, size_t count)
{
    int furthest = 0;
    for (size_t i = 0; i < count; i++)
        furthest = abs(got[i] - wanted[i]) > furthest ? abs(got[i] - wanted[i]) : furthest;
    if (furthest > MOST_STEPS)
        hy_test_fail(__FILE__, __LINE__, "%s, case %u: %d steps off", recorded->name, number,
                     furthest);
    else
        hy_test_pass(__FILE__, __LINE__);
}

static void compare(const struct hy_recorded *recorded, const struct hy_inference *inference,
                    const struct hy_inference *exact, uint32_t number)
{
    for (uint32_t i = 0; i < hy_inference_output_count(inference); i++) {
        const struct hy_tflite_tensor *tensor = hy_inference_output_tensor(inference, i);
        if (tensor->type == HY_TFLITE_INT8)
            compare_bytes(recorded, number, hy_inference_output(inference, i),
                          hy_inference_output(exact, i), tensor->bytes);
        else
            hy_recorded_check_output(recorded, number, i, hy_inference_output(inference, i),
                                     tensor->bytes);
    }
}

static void run(struct hy_inference *inference, enum hy_inference_mode mode)
{
    struct hy_error err = {0};
    if (hy_inference_run(inference, mode, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
}

/* halyard-cpu gives the recorded bytes: another test sees to that. */
static void check_cases(const struct hy_recorded *recorded, struct hy_inference *inference,
                        struct hy_inference *exact)
{
    for (uint32_t i = 0; i < hy_recorded_case_count(recorded); i++) {
        if (!fill_inputs(recorded, exact, i) || !fill_inputs(recorded, inference, i))
            continue;
        run(exact, HY_INFERENCE_SYNC);
        for (unsigned mode = HY_INFERENCE_SYNC; mode <= HY_INFERENCE_BURST; mode++) {
            run(inference, mode);
            compare(recorded, inference, exact, i);
        }
    }
}

static struct hy_inference *open_model(const char *path, const char *device)
{
    const struct hy_inference_options options = {.device = device};
    struct hy_inference *inference = NULL;
    struct hy_error err = {0};
    if (hy_inference_open(path, &options, &inference, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    return inference;
}

static uint64_t check_model(const char *shared, const char *name, const char *device)
{
    struct hy_recorded recorded = {
        .shared = shared, .name = name, .where = device ? device : "the planner's choice"};
    char path[1024];
    uint64_t runs = 0;
    if (hy_recorded_open(&recorded)) {
        hy_recorded_model_path(&recorded, path, sizeof path);
        struct hy_inference *exact = open_model(path, "halyard-cpu");
        struct hy_inference *inference = open_model(path, device);
        if (inference && exact) {
            hy_step_runs_start(inference);
            check_cases(&recorded, inference, exact);
            runs = hy_step_runs_on(inference, "xnnpack-cpu");
        }
        hy_inference_destroy(inference);
        hy_inference_destroy(exact);
    }
    hy_recorded_close(&recorded);
    return runs;
}

TEST(xnnpack_golden, models_run_wholly_on_the_device)
{
    const char *shared = hy_test_shared_dir();
    for (unsigned i = 0; shared && i < hy_recorded_count; i++)
        EXPECT(check_model(shared, hy_recorded_names[i], "xnnpack-cpu") > 0);
}

TEST(xnnpack_golden, models_run_as_the_planner_divides_them)
{
    const char *shared = hy_test_shared_dir();
    for (unsigned i = 0; shared && i < hy_recorded_count; i++)
        check_model(shared, hy_recorded_names[i], NULL);
}
