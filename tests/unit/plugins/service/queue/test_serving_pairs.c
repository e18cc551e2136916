/*
 * An app with several threads, and a driver that takes two requests of a burst at once: it answers
 * none before there is another, so that all comes to a stop where two are not in flight together.
 */
#include "tests/kit/test.h"

#include <pthread.h>

#include "addition.h"

enum { THREADS = 4, TIMES = 200 };

struct worker {
    ANeuralNetworksCompilation *compilation;
    struct addition addition;
    ANeuralNetworksBurst *burst; /* its own, as the API wants it */
    float first;                 /* what makes its sums different from those of the others */
    int wrong;
    pthread_t thread;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct addition *addition = &worker->addition;

    for (int i = 0; i < TIMES; i++) {
        addition->a[0] = worker->first + (float)i;
        if (ANeuralNetworksExecution_burstCompute(addition->execution, worker->burst) !=
                ANEURALNETWORKS_NO_ERROR ||
            addition->sum[0] != worker->first + (float)i + 10)
            worker->wrong++;
    }
    return NULL;
}

TEST(serving_pairs, bursts_of_several_threads_have_requests_in_flight_together)
{
    ANeuralNetworksModel *model = addition_make();
    ANeuralNetworksCompilation *compilation = addition_compile(model);
    struct worker workers[THREADS];

    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.compilation = compilation, .first = (float)(1000 * i)};
        REQUIRE(addition_init(&workers[i].addition, compilation) == ANEURALNETWORKS_NO_ERROR);
        REQUIRE(ANeuralNetworksBurst_create(compilation, &workers[i].burst) ==
                ANEURALNETWORKS_NO_ERROR);
    }
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        EXPECT_INT(workers[i].wrong, 0);
    }
    for (int i = 0; i < THREADS; i++) {
        ANeuralNetworksExecution_free(workers[i].addition.execution);
        ANeuralNetworksBurst_free(workers[i].burst);
    }
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}
