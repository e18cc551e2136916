#include "support/threads.h"

#include <pthread.h>

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t opens;
    bool is_open;
    bool is_called_off;
};

struct runner {
    struct gate *gate;
    void (*part)(void *argument);
    void *argument;
};

static void *run(void *argument)
{
    const struct runner *runner = argument;
    struct gate *gate = runner->gate;

    pthread_mutex_lock(&gate->lock);
    while (!gate->is_open)
        pthread_cond_wait(&gate->opens, &gate->lock);
    const bool go = !gate->is_called_off;
    pthread_mutex_unlock(&gate->lock);
    if (go)
        runner->part(runner->argument);
    return NULL;
}

static void open_gate(struct gate *gate, bool call_off)
{
    pthread_mutex_lock(&gate->lock);
    gate->is_open = true;
    gate->is_called_off = call_off;
    pthread_cond_broadcast(&gate->opens);
    pthread_mutex_unlock(&gate->lock);
}

bool hy_threads_run(unsigned count, void (*part)(void *argument), void *first, size_t size)
{
    struct gate gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .opens = PTHREAD_COND_INITIALIZER};
    struct runner runners[HY_THREADS_MAX];
    pthread_t threads[HY_THREADS_MAX];
    unsigned made = 0;

    for (; made < count; made++) {
        runners[made] = (struct runner){&gate, part, (char *)first + made * size};
        if (pthread_create(&threads[made], NULL, run, &runners[made]) != 0)
            break;
    }
    open_gate(&gate, made < count);
    for (unsigned i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
    return made == count;
}
