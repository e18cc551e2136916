#include "team.h"

#include <pthread.h>

#include "tests/kit/test_host.h"

struct job {
    void (*task)(void *argument, uint32_t index);
    void *argument;
    uint32_t count;
    atomic_uint claimed;
};

static void *run_tasks(void *argument)
{
    struct job *job = argument;

    for (uint32_t i = job->claimed++; i < job->count; i = job->claimed++)
        job->task(job->argument, i);
    return NULL;
}

static uint32_t worker_count(void *context)
{
    return ((struct team *)context)->threads;
}

static void parallel(void *context, uint32_t count, void (*task)(void *argument, uint32_t index),
                     void *argument)
{
    struct team *team = context;
    struct job job = {.task = task, .argument = argument, .count = count};
    pthread_t threads[TEAM_MOST_THREADS];
    uint32_t made = 0;

    team->calls++;
    if (team->does_first_only) {
        task(argument, 0);
        return;
    }
    while (made + 1 < team->threads && made < TEAM_MOST_THREADS &&
           pthread_create(&threads[made], NULL, run_tasks, &job) == 0)
        made++;
    run_tasks(&job);
    for (uint32_t i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
}

struct hy_host team_host(struct team *team)
{
    struct hy_host host = *hy_test_host();

    host.context = team;
    host.worker_count = worker_count;
    host.parallel = parallel;
    return host;
}
