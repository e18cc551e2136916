#include "bench/service/queue_peer.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "plugins/service/queue/listener.h"
#include "plugins/service/queue/wait.h"

void queue_bind_cpu(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (cpu < 0 || cpu == i)
            CPU_SET(i, &set);
    }
    (void)sched_setaffinity(0, sizeof set, &set);
}

static enum hy_code fork_failed(struct hy_error *err)
{
    return hy_fail(err, HY_FAILED, "no child process: %s", strerror(errno));
}

/* The child ends with this process in any case. */
static pid_t fork_child(void)
{
    const pid_t child = fork();

    if (child == 0)
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    return child;
}

static void end_child(pid_t child)
{
    if (child <= 0)
        return;
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
}

/* ---- Two words ------------------------------------------------------------------------------- */

/* Each word in a separate cache line, without a neighbouring word. */
struct queue_word_pair {
    _Alignas(128) _Atomic uint32_t ping;
    _Alignas(128) _Atomic uint32_t pong;
    _Alignas(128) _Atomic uint32_t round; /* counts what the child is asked for */
    _Atomic uint64_t repeats;             /* round trips of this round */
};

static void wait_for(_Atomic uint32_t *word, uint32_t value, bool spins)
{
    while (atomic_load_explicit(word, memory_order_acquire) != value) {
        if (!spins)
            hy_futex_wait(word, value - 1, -1);
    }
}

static void put(_Atomic uint32_t *word, uint32_t value, bool spins)
{
    atomic_store_explicit(word, value, memory_order_release);
    if (!spins)
        hy_futex_wake(word);
}

/* Sleeps between two rounds, while other peers are measured. */
static _Noreturn void reply(const struct queue_word_peer *peer)
{
    struct queue_word_pair *words = peer->words;
    uint32_t value = 0;

    queue_bind_cpu(peer->cpus.child);
    for (uint32_t round = 1;; round++) {
        wait_for(&words->round, round, false);
        const uint64_t repeats = atomic_load(&words->repeats);
        for (uint64_t i = 0; i < repeats; i++) {
            wait_for(&words->ping, ++value, peer->spins);
            put(&words->pong, value, peer->spins);
        }
    }
}

static void ask_for(struct queue_word_pair *words, uint64_t repeats)
{
    atomic_store(&words->repeats, repeats);
    put(&words->round, atomic_load(&words->round) + 1, false);
}

enum hy_code queue_word_peer_start(struct queue_word_peer *peer, struct hy_error *err)
{
    void *words = mmap(NULL, sizeof *peer->words, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (words == MAP_FAILED)
        return hy_fail(err, HY_UNMAPPABLE, "two words: %s", strerror(errno));
    peer->words = words;
    peer->child = fork_child();
    if (peer->child < 0)
        return fork_failed(err);
    if (peer->child == 0)
        reply(peer);
    return HY_OK;
}

void queue_word_peer_end(struct queue_word_peer *peer)
{
    if (!peer->words)
        return;
    end_child(peer->child);
    munmap(peer->words, sizeof *peer->words);
}

static void go_round(struct queue_word_peer *peer, uint32_t value)
{
    put(&peer->words->ping, value, peer->spins);
    wait_for(&peer->words->pong, value, peer->spins);
}

/* The first one wakes the child and does not count. */
enum hy_code queue_word_peer_time(void *self, uint64_t repeats, double *seconds,
                                  struct hy_error *err)
{
    struct queue_word_peer *peer = self;
    uint32_t value = atomic_load(&peer->words->pong);
    (void)err;

    queue_bind_cpu(peer->cpus.parent);
    ask_for(peer->words, repeats + 1);
    go_round(peer, ++value);
    const double start = hy_clock_seconds();
    for (uint64_t i = 0; i < repeats; i++)
        go_round(peer, ++value);
    *seconds = hy_clock_seconds() - start;
    queue_bind_cpu(-1);
    return HY_OK;
}

/* ---- A burst --------------------------------------------------------------------------------- */

static bool announce(void *context, int32_t slot, const struct hy_pool *pool, int64_t deadline)
{
    (void)context, (void)slot, (void)pool, (void)deadline;
    return true;
}

static bool retract(void *context, int32_t slot)
{
    (void)context, (void)slot;
    return true;
}

static int32_t catch_up(void *context, uint32_t notices)
{
    (void)context, (void)notices;
    return HY_STATUS_OK;
}

static int32_t find_memory(void *context, int32_t slot, struct hy_pool *pool)
{
    (void)slot;
    *pool = ((struct queue_burst_peer *)context)->pool;
    return HY_STATUS_OK;
}

/* The listener's thread is bound to its CPU at the first request: at its start it must detect
 * several CPUs. */
static int32_t execute(void *context, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    struct queue_burst_peer *peer = context;

    if (!peer->is_pinned)
        queue_bind_cpu(peer->cpus.child);
    peer->is_pinned = true;
    return peer->execute(peer->context, request, options, result);
}

static _Noreturn void serve(struct queue_burst_peer *peer, int memory)
{
    const struct hy_queue_work work = {peer, catch_up, find_memory, execute, NULL};
    const struct hy_queue_listener_rules rules = {.spin_ns = peer->spin_ns, .peer_fd = -1};
    struct hy_queue_listener *listener;
    struct hy_error err = {0};

    if (hy_queue_listener_start(memory, &work, &rules, &listener, &err) != HY_OK)
        _exit(1);
    for (;;)
        pause();
}

enum hy_code queue_burst_peer_start(struct queue_burst_peer *peer, struct hy_error *err)
{
    const struct hy_queue_burst_owner owner = {peer, announce, retract, NULL};
    const struct hy_queue_burst_rules rules = {
        .spin_ns = peer->spin_ns, .hang_timeout_ns = UINT64_C(10000000000), .depth = 1};
    int memory;
    enum hy_code code = hy_queue_burst_create(&owner, &rules, &peer->burst, &memory, err);
    if (code != HY_OK)
        return code;
    peer->child = fork_child();
    if (peer->child < 0)
        return fork_failed(err);
    if (peer->child == 0)
        serve(peer, memory);
    close(memory);
    return HY_OK;
}

void queue_burst_peer_end(struct queue_burst_peer *peer)
{
    hy_queue_burst_destroy(peer->burst);
    end_child(peer->child);
}

enum hy_code queue_burst_peer_time(void *self, uint64_t repeats, double *seconds,
                                   struct hy_error *err)
{
    struct queue_burst_peer *peer = self;
    const struct hy_run_options options = {
        .struct_size = sizeof options,
        .deadline = HY_NO_DEADLINE,
        .message = {err->text, sizeof err->text},
    };
    int32_t status = HY_STATUS_OK;

    queue_bind_cpu(peer->cpus.parent);
    const double start = hy_clock_seconds();
    for (uint64_t i = 0; status == HY_STATUS_OK && i < repeats; i++)
        status = hy_queue_burst_execute(peer->burst, &peer->request, &options, &peer->result);
    *seconds = hy_clock_seconds() - start;
    queue_bind_cpu(-1);
    if (status != HY_STATUS_OK)
        return hy_fail(err, HY_FAILED, "an execution ended with status %d", status);
    return HY_OK;
}
