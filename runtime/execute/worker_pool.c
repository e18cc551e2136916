#include "runtime/execute/worker_pool.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

struct line {
    struct hy_work *first;
    struct hy_work **end;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wanted;
    struct line lines[HY_PRIORITY_HIGH + 1];
    unsigned waiting; /* pieces of work in line */
    unsigned threads;
    unsigned idle;
    unsigned limit;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .wanted = PTHREAD_COND_INITIALIZER};

static void lock_pool(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void unlock_pool(void)
{
    pthread_mutex_unlock(&pool.lock);
}

static void empty_lines(void)
{
    for (int i = 0; i <= HY_PRIORITY_HIGH; i++)
        pool.lines[i] = (struct line){.first = NULL, .end = &pool.lines[i].first};
}

/* The child has none of the threads, and nobody there waits for the work that was in line. */
static void restart_in_child(void)
{
    empty_lines();
    pool.waiting = pool.threads = pool.idle = 0;
    pthread_cond_init(&pool.wanted, NULL);
    pthread_mutex_unlock(&pool.lock);
}

static void set_up(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pool.limit = cores > 2 ? (unsigned)cores : 2;
    empty_lines();
    pthread_atfork(lock_pool, unlock_pool, restart_in_child);
}

/* Called with the lock held. */
static struct hy_work *next_work(void)
{
    while (pool.waiting == 0) {
        pool.idle++;
        pthread_cond_wait(&pool.wanted, &pool.lock);
        pool.idle--;
    }
    struct line *line = &pool.lines[HY_PRIORITY_HIGH];
    while (!line->first)
        line--;
    struct hy_work *work = line->first;
    line->first = work->next;
    if (!line->first)
        line->end = &line->first;
    pool.waiting--;
    return work;
}

static void *serve(void *unused)
{
    (void)unused;
    for (;;) {
        lock_pool();
        struct hy_work *work = next_work();
        unlock_pool();
        work->run(work);
    }
    return NULL;
}

/* A worker takes no signals: they are the app's. Called with the lock held. */
static void add_thread(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;

    if (pthread_attr_init(&attributes) != 0)
        return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, &attributes, serve, NULL) == 0)
        pool.threads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

bool hy_worker_pool_add(struct hy_work *work)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);

    lock_pool();
    if (pool.waiting >= pool.idle && pool.threads < pool.limit)
        add_thread();
    const bool taken = pool.threads > 0;
    if (taken) {
        struct line *line = &pool.lines[work->priority];
        work->next = NULL;
        *line->end = work;
        line->end = &work->next;
        pool.waiting++;
        pthread_cond_signal(&pool.wanted);
    }
    unlock_pool();
    return taken;
}
