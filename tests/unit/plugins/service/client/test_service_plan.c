/* What the planner makes of a driver that is fast and near, and of the same in another process. */
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <stdlib.h>

#include "isolated.h"
#include "sum_model.h"

/* The device that gets the sum, and what the planner thinks that it takes. */
static const char *device_of_sum(uint32_t count, uint64_t *predicted_ns)
{
    struct halyard_plan_operation operation = {.struct_size = sizeof operation};
    struct halyard_plan plan = {.struct_size = sizeof plan};
    ANeuralNetworksModel *model = sum_model(count);
    ANeuralNetworksCompilation *compilation = NULL;
    const char *name = "none";

    if (model && ANeuralNetworksCompilation_create(model, &compilation) == 0 &&
        ANeuralNetworksCompilation_finish(compilation) == 0 &&
        halyard_compilation_get_operation(compilation, 0, &operation) == 0 &&
        halyard_compilation_get_plan(compilation, &plan) == 0)
        (void)ANeuralNetworksDevice_getName(operation.device, &name);
    *predicted_ns = plan.predicted_ns;
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return name; /* of the device, which stays */
}

TEST(service_plan, tiny_models_stay_in_the_app)
{
    uint64_t tiny_ns = 0, large_ns = 0;
    const bool is_isolated = isolated_pid("near") != 0;

    EXPECT_INT(is_isolated, getenv("HALYARD_ISOLATE") != NULL);
    EXPECT_STR(device_of_sum(4096, &tiny_ns), is_isolated ? "halyard-cpu" : "near");
    EXPECT_STR(device_of_sum(4096 * 1024, &large_ns), "near");
    EXPECT(tiny_ns < 10000);
    EXPECT(!is_isolated || large_ns > 10000 + 200);
}
