/* Real networks through the whole stack: the outputs are those recorded with TensorFlow Lite. */
#include "tests/models/golden.h"
#include "tests/models/step_runs.h"
#include "tests/test.h"

static uint64_t check_all(const char *device, const char *watched)
{
    const char *shared = hy_test_shared_dir();
    uint64_t runs = 0;
    for (unsigned i = 0; shared && i < hy_golden_count; i++)
        runs += hy_golden_check(shared, hy_golden_names[i], device, watched);
    return runs;
}

TEST(golden, outputs_are_as_recorded_by_default)
{
    const char *device = hy_step_runs_expected_device();
    const uint64_t runs = check_all(NULL, device ? device : "halyard-cpu");
    EXPECT(!hy_test_shared_dir() || runs > 0);
}

TEST(golden, outputs_are_as_recorded_on_halyard_cpu)
{
    check_all("halyard-cpu", NULL);
}

TEST(golden, outputs_are_as_recorded_on_nnapi_reference)
{
    check_all("nnapi-reference", NULL);
}
