/* Real networks through the whole stack: the outputs are those recorded with TensorFlow Lite. */
#include "tests/kit/test.h"
#include "tests/scenarios/models/golden.h"
#include "tests/scenarios/models/recorded.h"
#include "tests/scenarios/models/step_runs.h"

static uint64_t check_all(const char *shared, const char *device, const char *watched)
{
    uint64_t runs = 0;
    for (unsigned i = 0; i < hy_recorded_count; i++)
        runs += hy_golden_check(shared, hy_recorded_names[i], device, watched);
    return runs;
}

TEST(models_golden, outputs_are_as_recorded_by_default)
{
    const char *shared = hy_test_shared_dir();
    const char *device = hy_step_runs_expected_device();
    if (shared)
        EXPECT(check_all(shared, NULL, device ? device : "halyard-cpu") > 0);
}

TEST(models_golden, outputs_are_as_recorded_on_halyard_cpu)
{
    const char *shared = hy_test_shared_dir();
    if (shared)
        EXPECT(check_all(shared, "halyard-cpu", "halyard-cpu") > 0);
}

TEST(models_golden, outputs_are_as_recorded_on_nnapi_reference)
{
    const char *shared = hy_test_shared_dir();
    if (shared)
        EXPECT(check_all(shared, "nnapi-reference", "nnapi-reference") > 0);
}
