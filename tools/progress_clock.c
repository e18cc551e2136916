#include "tools/progress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/printable.h"

struct hy_progress_clock {
    const char *what, *name;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    bool is_stopped;
    unsigned seconds;
};

static void *update(void *argument)
{
    struct hy_progress_clock *clock = argument;
    struct timespec next;

    clock_gettime(CLOCK_MONOTONIC, &next);
    pthread_mutex_lock(&clock->lock);
    while (!clock->is_stopped) {
        next.tv_sec++;
        while (!clock->is_stopped &&
               pthread_cond_clockwait(&clock->stopped, &clock->lock, CLOCK_MONOTONIC, &next) == 0)
            continue;
        if (!clock->is_stopped)
            fprintf(stderr, "\r\033[K%s %s, %u s", clock->what, hy_text_line(clock->name).text,
                    ++clock->seconds);
    }
    pthread_mutex_unlock(&clock->lock);
    return NULL;
}

/* Without memory or a thread no line is printed. */
struct hy_progress_clock *hy_progress_clock_start(const char *what, const char *name)
{
    if (!isatty(STDERR_FILENO))
        return NULL;
    struct hy_progress_clock *clock = calloc(1, sizeof *clock);
    if (!clock)
        return NULL;
    clock->what = what;
    clock->name = name;
    pthread_mutex_init(&clock->lock, NULL);
    pthread_cond_init(&clock->stopped, NULL);
    if (pthread_create(&clock->thread, NULL, update, clock) == 0)
        return clock;
    free(clock);
    return NULL;
}

void hy_progress_clock_stop(struct hy_progress_clock *clock)
{
    if (!clock)
        return;
    pthread_mutex_lock(&clock->lock);
    clock->is_stopped = true;
    pthread_cond_signal(&clock->stopped);
    pthread_mutex_unlock(&clock->lock);
    pthread_join(clock->thread, NULL);
    if (clock->seconds > 0)
        fputs("\r\033[K", stderr);
    pthread_cond_destroy(&clock->stopped);
    pthread_mutex_destroy(&clock->lock);
    free(clock);
}
