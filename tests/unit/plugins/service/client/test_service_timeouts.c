/* An app whose executions miss their deadlines on a driver that goes on with them all the same. */
#include "isolated.h"
#include "sum_model.h"
#include "tests/kit/test.h"

enum { EXTENT = 4, DELAY_MS = 700, TIMEOUT_NS = 20000000 };

struct sum {
    float x[EXTENT], y[EXTENT], z[EXTENT];
};

/* Gives the code of the execution. */
static int add(ANeuralNetworksCompilation *compilation, struct sum *sum, uint64_t timeout_ns)
{
    ANeuralNetworksExecution *execution = NULL;
    int code = ANeuralNetworksExecution_create(compilation, &execution);

    if (code == 0)
        code = ANeuralNetworksExecution_setInput(execution, 0, NULL, sum->x, sizeof sum->x);
    if (code == 0)
        code = ANeuralNetworksExecution_setInput(execution, 1, NULL, sum->y, sizeof sum->y);
    if (code == 0)
        code = ANeuralNetworksExecution_setOutput(execution, 0, NULL, sum->z, sizeof sum->z);
    if (code == 0 && timeout_ns > 0)
        code = ANeuralNetworksExecution_setTimeout(execution, timeout_ns);
    if (code == 0)
        code = ANeuralNetworksExecution_compute(execution);
    ANeuralNetworksExecution_free(execution);
    return code;
}

/* What it was given by address lay in memory of the runtime's, which has to take other memory now.
 * On a busy machine the late execution may be over before: then once more. */
TEST(service_timeouts, execution_after_one_that_missed_its_deadline_does_not_wait_for_it)
{
    const char *const names[] = {"faulty"};
    ANeuralNetworksModel *model = sum_model(EXTENT);
    ANeuralNetworksCompilation *compilation = isolated_compile(model, names, 1);
    bool was_free = false;
    REQUIRE(compilation != NULL);

    for (unsigned i = 0; i < 10 && !was_free; i++) {
        struct sum timed_out = {.x = {1}, .y = {2}, .z = {-1}}, next = {.x = {3}, .y = {4}};
        const int64_t end = isolated_clock() + DELAY_MS;
        EXPECT_INT(add(compilation, &timed_out, TIMEOUT_NS),
                   ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
        EXPECT_INT(add(compilation, &next, 0), ANEURALNETWORKS_NO_ERROR);
        EXPECT(next.z[0] == 7);
        EXPECT(timed_out.z[0] == -1);
        was_free = isolated_clock() < end;
    }
    EXPECT(was_free);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}
