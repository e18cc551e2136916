#include "tests/kit/threads.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void open_barrier(struct gate *gate, bool call_off)
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
    open_barrier(&gate, made < count);
    for (unsigned i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
    return made == count;
}

/* ---- Rest ------------------------------------------------------------------------------------ */

enum { TIMEOUT_MS = 10000, LOOKS = 10 };

/* The state of a thread is the letter behind its name, which is in brackets. */
static bool sleeps(const char *tid)
{
    char path[300], line[512] = "";

    snprintf(path, sizeof path, "/proc/self/task/%s/stat", tid);
    FILE *file = fopen(path, "re");
    if (file && !fgets(line, sizeof line, file))
        line[0] = '\0';
    if (file)
        fclose(file);
    const char *name_end = strrchr(line, ')');
    return !name_end || name_end[1] != ' ' || name_end[2] == 'S'; /* one that is gone rests, too */
}

static bool others_sleep(void)
{
    bool all = true;
    DIR *tasks = opendir("/proc/self/task");

    for (const struct dirent *entry = tasks ? readdir(tasks) : NULL; entry; entry = readdir(tasks))
        all &= entry->d_name[0] == '.' || atoi(entry->d_name) == gettid() || sleeps(entry->d_name);
    if (tasks)
        closedir(tasks);
    return all;
}

void hy_threads_wait_for_rest(void)
{
    for (unsigned ms = 0, looks = 0; ms < TIMEOUT_MS && looks < LOOKS; ms++) {
        looks = others_sleep() ? looks + 1 : 0;
        usleep(1000);
    }
}
