#include "tests/scenarios/models/step_runs.h"

#include <halyard/halyard.h>
#include <stdlib.h>

#include "tests/kit/test.h"

const char *hy_step_runs_expected_device(void)
{
    return getenv("HALYARD_TEST_DEVICE");
}

void hy_step_runs_start(const struct hy_inference *inference)
{
    EXPECT_INT(halyard_compilation_measure_steps(hy_inference_compilation(inference), true),
               ANEURALNETWORKS_NO_ERROR);
}

static uint64_t runs_of_step(const ANeuralNetworksCompilation *compilation, uint32_t index,
                             const char *device)
{
    struct halyard_plan_step step = {.struct_size = sizeof step};
    const char *name = NULL;
    const int result = halyard_compilation_get_step(compilation, index, &step);
    EXPECT_INT(result, ANEURALNETWORKS_NO_ERROR);
    if (result != ANEURALNETWORKS_NO_ERROR)
        return 0;
    EXPECT_INT(ANeuralNetworksDevice_getName(step.device, &name), ANEURALNETWORKS_NO_ERROR);
    return name && strcmp(name, device) == 0 ? step.run_count : 0;
}

uint64_t hy_step_runs_on(const struct hy_inference *inference, const char *device)
{
    const ANeuralNetworksCompilation *compilation = hy_inference_compilation(inference);
    struct halyard_plan plan = {.struct_size = sizeof plan};
    uint64_t runs = 0;
    EXPECT_INT(halyard_compilation_get_plan(compilation, &plan), ANEURALNETWORKS_NO_ERROR);
    for (uint32_t i = 0; i < plan.step_count; i++)
        runs += runs_of_step(compilation, i, device);
    return runs;
}
