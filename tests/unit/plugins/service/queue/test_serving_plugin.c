/* An app, and a driver in a process of its own that reads the queues of its bursts itself. */
#include "tests/kit/test.h"

#include "addition.h"
#include "halyard/halyard.h"

TEST(serving_plugin, its_bursts_run_on_the_raw_queues)
{
    ANeuralNetworksModel *model = addition_make();
    ANeuralNetworksCompilation *compilation = addition_compile(model);
    ANeuralNetworksBurst *burst = NULL;
    struct addition addition;
    int code = ANEURALNETWORKS_NO_ERROR;

    REQUIRE(ANeuralNetworksBurst_create(compilation, &burst) == ANEURALNETWORKS_NO_ERROR);
    REQUIRE(addition_init(&addition, compilation) == ANEURALNETWORKS_NO_ERROR);
    for (int i = 0; i < 100; i++) {
        addition.a[0] = (float)i;
        code = ANeuralNetworksExecution_burstCompute(addition.execution, burst);
        EXPECT_INT(code, ANEURALNETWORKS_NO_ERROR);
        EXPECT(addition.sum[0] == (float)i + 10 && addition.sum[3] == 44);
    }
    if (code != ANEURALNETWORKS_NO_ERROR)
        printf("(%s) ", halyard_last_error());
    ANeuralNetworksExecution_free(addition.execution);
    ANeuralNetworksBurst_free(burst);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* The driver computes nowhere else: what the test above has seen came through the queues. */
TEST(serving_plugin, computes_in_no_other_way)
{
    ANeuralNetworksModel *model = addition_make();
    ANeuralNetworksCompilation *compilation = addition_compile(model);
    struct addition addition;

    REQUIRE(addition_init(&addition, compilation) == ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(ANeuralNetworksExecution_compute(addition.execution), ANEURALNETWORKS_OP_FAILED);
    ANeuralNetworksExecution_free(addition.execution);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}
