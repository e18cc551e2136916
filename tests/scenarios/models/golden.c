#include "tests/scenarios/models/golden.h"

#include "bench/inference.h"
#include "tests/kit/test.h"
#include "tests/scenarios/models/recorded.h"
#include "tests/scenarios/models/step_runs.h"

bool hy_golden_model_path(const char *shared, const char *name, char *path, size_t size)
{
    struct hy_recorded recorded = {.shared = shared, .name = name};
    const bool found = hy_recorded_open(&recorded);
    if (found)
        hy_recorded_model_path(&recorded, path, size);
    hy_recorded_close(&recorded);
    return found;
}

static bool fill_inputs(const struct hy_recorded *recorded, struct hy_inference *inference,
                        uint32_t number)
{
    for (uint32_t i = 0; i < hy_inference_input_count(inference); i++)
        if (!hy_recorded_read_input(recorded, number, i, hy_inference_input(inference, i),
                                    hy_inference_input_tensor(inference, i)->bytes))
            return false;
    return true;
}

static void check_case(const struct hy_recorded *recorded, struct hy_inference *inference,
                       uint32_t number, enum hy_inference_mode mode)
{
    struct hy_error err = {0};
    if (!fill_inputs(recorded, inference, number))
        return;
    if (hy_inference_run(inference, mode, &err) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "%s on %s: %s", recorded->name, recorded->where, err.text);
        return;
    }
    for (uint32_t i = 0; i < hy_inference_output_count(inference); i++)
        hy_recorded_check_output(recorded, number, i, hy_inference_output(inference, i),
                                 hy_inference_output_tensor(inference, i)->bytes);
}

static void check_cases(const struct hy_recorded *recorded, struct hy_inference *inference)
{
    static const enum hy_inference_mode modes[] = {HY_INFERENCE_SYNC, HY_INFERENCE_ASYNC,
                                                   HY_INFERENCE_REUSED};
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (uint32_t i = 0; i < hy_recorded_case_count(recorded); i++)
            check_case(recorded, inference, i, modes[m]);
}

uint64_t hy_golden_check(const char *shared, const char *name, const char *device,
                         const char *watched)
{
    const struct hy_inference_options options = {.device = device};
    struct hy_recorded recorded = {
        .shared = shared, .name = name, .where = device ? device : "the planner's choice"};
    struct hy_inference *inference = NULL;
    struct hy_error err = {0};
    uint64_t runs = 0;
    char path[1024];
    if (hy_recorded_open(&recorded)) {
        hy_recorded_model_path(&recorded, path, sizeof path);
        if (hy_inference_open(path, &options, &inference, &err) != HY_OK)
            hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    }
    if (inference) {
        hy_step_runs_start(inference);
        check_cases(&recorded, inference);
        runs = watched ? hy_step_runs_on(inference, watched) : 0;
    }
    hy_inference_destroy(inference);
    hy_recorded_close(&recorded);
    return runs;
}
