/* Hosts that stand still in the middle of a message: deadlines are kept, and patience has an end.
 */
#include "child.h"
#include "life.h"
#include "order.h"
#include "plugins/service/wire/messages.h"
#include "test.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LONG_PATIENCE = 120, SHORT_PATIENCE = 1, SHORT_MS = 100, BOUND_MS = 20000 };

static struct death_order *order;

/* A host that stands still at this point of this message, while the app does this. */
struct stop {
    const char *name;
    int32_t (*take)(struct life *life);
    uint32_t kind;
    enum death_point point;
    uint32_t opposite; /* the message that destroys what it makes */
};

static pid_t pid_of(struct life *life)
{
    struct hy_service_facts facts;

    hy_service_get_facts(life->service, &facts);
    return facts.pid;
}

/* A service with a prepared model, whose host knows no memory of ours yet. */
static bool open_life(struct life *life, uint32_t patience)
{
    return (life_open(life, patience) && life_prepare(life) == HY_STATUS_OK) ||
           child_fail("open: %s", life->words);
}

/* A model besides the one that is there, with a cache of its own: one that is late may still write
 * to that while others read theirs. */
static int32_t prepare_another(struct life *life)
{
    void *kept = life->prepared;
    const int32_t cache_file = life->cache_file;

    life->prepared = NULL;
    life->cache_file = memfd_create("another cache", MFD_CLOEXEC);
    const int32_t status = life_prepare(life);
    (void)life_forget_model(life);
    close(life->cache_file);
    life->prepared = kept;
    life->cache_file = cache_file;
    return status;
}

/* ---- Deadlines ------------------------------------------------------------------------------- */

static bool stands(const char *tasks, const char *thread)
{
    char path[300], text[512] = "";

    snprintf(path, sizeof path, "%s/%s/stat", tasks, thread);
    FILE *file = fopen(path, "re");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    if (file)
        fclose(file);
    const char *state = strrchr(text, ')');
    return !state || state[2] == 'T';
}

/* A signal has been sent, or is about to be: waits until all threads stand still. */
static void wait_until_it_stands(pid_t pid)
{
    char tasks[64];
    bool all = false;

    snprintf(tasks, sizeof tasks, "/proc/%d/task", (int)pid);
    for (int ms = 0; ms < BOUND_MS && !all; ms++) {
        DIR *folder = opendir(tasks);
        all = true;
        for (struct dirent *entry; folder && (entry = readdir(folder));)
            all &= entry->d_name[0] == '.' || stands(tasks, entry->d_name);
        if (folder)
            closedir(folder);
        poll(NULL, 0, all ? 0 : 1);
    }
}

/* Whether the host has come to its order; then it is let go on. */
static bool let_go_on(pid_t pid)
{
    if (atomic_exchange(&order->left, 0) > 0)
        return false; /* nor will it */
    wait_until_it_stands(pid);
    return kill(pid, SIGCONT) == 0;
}

/* On a busy machine a deadline may pass before the message is under way: then a later one is tried.
 */
static int32_t stand_still(struct life *life, const struct stop *stop)
{
    const pid_t pid = pid_of(life);
    int32_t status = HY_STATUS_MISSED_DEADLINE_TRANSIENT;
    bool has_stopped = false;

    for (int ms = SHORT_MS; !has_stopped && ms < BOUND_MS; ms *= 3) {
        death_order_give(order, stop->kind, stop->point, SIGSTOP, 1);
        life->deadline = life_in_ms(ms);
        status = stop->take(life);
        has_stopped = let_go_on(pid);
    }
    life->deadline = HY_NO_DEADLINE;
    if (!has_stopped)
        (void)child_fail("the host has not come there; status %d: %s", (int)status, life->words);
    return status;
}

static bool miss_the_deadline(void *context)
{
    const struct stop *stop = context;
    struct life life;
    if (!open_life(&life, LONG_PATIENCE))
        return false;

    const pid_t pid = pid_of(&life);
    const int32_t status = stand_still(&life, stop);
    if (status != HY_STATUS_MISSED_DEADLINE_TRANSIENT)
        (void)child_fail("status %d: %s", (int)status, life.words);

    /* The process is the same, and works. */
    for (unsigned i = 0; i < life_step_count - 1; i++) {
        const int32_t next = life_steps[i].take(&life);
        if (next != HY_STATUS_OK)
            (void)child_fail("%s afterwards: %d: %s", life_steps[i].name, (int)next, life.words);
    }
    if (pid_of(&life) != pid)
        (void)child_fail("the process is another one");
    life_close(&life);
    return death_order_wait_for_end() || child_fail("a host has not ended");
}

static const struct stop stops[] = {
    {"supported operations", life_ask, HY_WIRE_SUPPORTED, DEATH_READ, 0},
    {"supported operations, said", life_ask, HY_WIRE_SUPPORTED, DEATH_UNANSWERED, 0},
    {"prepare", prepare_another, HY_WIRE_PREPARE, DEATH_UNREAD, 0},
    {"prepare, done", prepare_another, HY_WIRE_PREPARE, DEATH_UNANSWERED, 0},
    {"prepare from cache", life_prepare_from_cache, HY_WIRE_PREPARE_FROM_CACHE, DEATH_READ, 0},
    {"memory of an execution", life_execute, HY_WIRE_MEMORY_ADD, DEATH_UNREAD, 0},
    {"memory of an execution, added", life_execute, HY_WIRE_MEMORY_ADD, DEATH_UNANSWERED, 0},
    {"execute", life_execute, HY_WIRE_EXECUTE, DEATH_READ, 0},
    {"reusable", life_reuse, HY_WIRE_REUSABLE_CREATE, DEATH_UNANSWERED, 0},
    {"reusable, run", life_reuse, HY_WIRE_REUSABLE_EXECUTE, DEATH_READ, 0},
    {"fenced", life_execute_fenced, HY_WIRE_EXECUTE_FENCED, DEATH_UNANSWERED, 0},
    {"memory of a burst", life_burst, HY_WIRE_MEMORY_ADD, DEATH_READ, 0},
    {"notice of a burst", life_burst, HY_WIRE_BURST_ANNOUNCE, DEATH_UNREAD, 0},
    {"burst, unread", life_burst, DEATH_PACKET, DEATH_UNREAD, 0},
    {"burst", life_burst, DEATH_PACKET, DEATH_UNANSWERED, 0},
    {"wait", life_wait, HY_WIRE_WAIT, DEATH_READ, 0},
};

static void expect_of_all(bool (*act)(void *context), const struct stop *all, size_t count)
{
    const char *words;

    order = death_order_create();
    REQUIRE(order != NULL);
    for (size_t i = 0; i < count; i++) {
        struct stop stop = all[i];
        if (!child_does(act, &stop, &words))
            hy_test_fail(__FILE__, __LINE__, "%s: %s", stop.name, words);
        else
            hy_test_pass(__FILE__, __LINE__);
    }
    death_order_destroy(order);
}

TEST(service_stopped, deadline_ends_every_call_to_a_host_that_stands_still)
{
    expect_of_all(miss_the_deadline, stops, sizeof stops / sizeof *stops);
}

/* ---- Patience -------------------------------------------------------------------------------- */

/* On a busy machine the patience may be over before the host has come to its order: then it is
 * given a host that lives longer. */
static int32_t stop_for_long(struct life *life, const struct stop *stop)
{
    int32_t status = HY_STATUS_OK;
    bool has_stopped = false;

    for (uint32_t patience = SHORT_PATIENCE; !has_stopped && patience < LONG_PATIENCE;
         patience *= 3) {
        const pid_t pid = pid_of(life);
        death_order_give(order, stop->kind, stop->point, SIGSTOP, 1);
        life_lose_patience(patience);
        status = stop->take(life);
        has_stopped = atomic_exchange(&order->left, 0) == 0;
        if (has_stopped && pid_of(life) == pid)
            (void)child_fail("the process has not been killed");
    }
    if (!has_stopped)
        (void)child_fail("the host has not come there; status %d: %s", (int)status, life->words);
    life_lose_patience(LONG_PATIENCE);
    return status;
}

/* Compiling has ten times the patience, and is left out. */
static bool lose_patience(void *context)
{
    const struct stop *stop = context;
    struct life life;
    if (stop->kind == HY_WIRE_SUPPORTED || stop->kind == HY_WIRE_PREPARE ||
        stop->kind == HY_WIRE_PREPARE_FROM_CACHE || stop->kind == HY_WIRE_WAIT)
        return true;
    if (!open_life(&life, LONG_PATIENCE))
        return false;

    int32_t status = stop_for_long(&life, stop);
    if (status != HY_STATUS_DEAD_OBJECT && status != HY_STATUS_OK) /* OK: of the next process */
        (void)child_fail("status %d: %s", (int)status, life.words);
    status = life_execute(&life);
    if (status != HY_STATUS_OK)
        (void)child_fail("execute afterwards: %d: %s", (int)status, life.words);
    life_close(&life);
    return death_order_wait_for_end() || child_fail("a host has not ended");
}

TEST(service_stopped, patience_ends_a_host_that_stands_still_and_the_next_one_is_right)
{
    expect_of_all(lose_patience, stops, sizeof stops / sizeof *stops);
}

/* ---- What calls that came too late have made ------------------------------------------------- */

/* The host is told to destroy what nobody has got: it meets the order for that. */
static bool leave_nothing_behind(void *context)
{
    const struct stop *stop = context;
    struct life life;
    if (!open_life(&life, LONG_PATIENCE))
        return false;

    if (stand_still(&life, stop) != HY_STATUS_MISSED_DEADLINE_TRANSIENT)
        (void)child_fail("it was not late: %s", life.words);
    death_order_give(order, stop->opposite, DEATH_READ, SIGCONT, 1);
    for (int ms = 0; atomic_load(&order->done) == 0; ms += 5) {
        if (life_ask(&life) != HY_STATUS_OK || ms > BOUND_MS) {
            (void)child_fail("nothing was destroyed");
            break;
        }
        poll(NULL, 0, 5);
    }
    life_close(&life);
    return true;
}

TEST(service_stopped, what_a_call_makes_after_its_deadline_is_destroyed)
{
    static const struct stop makers[] = {
        {"prepare", prepare_another, HY_WIRE_PREPARE, DEATH_READ, HY_WIRE_PREPARED_DESTROY},
        {"reusable", life_reuse, HY_WIRE_REUSABLE_CREATE, DEATH_READ, HY_WIRE_REUSABLE_DESTROY},
        {"fenced", life_execute_fenced, HY_WIRE_EXECUTE_FENCED, DEATH_READ, HY_WIRE_FENCED_DESTROY},
        {"memory", life_execute, HY_WIRE_MEMORY_ADD, DEATH_READ, HY_WIRE_MEMORY_DROP},
    };

    expect_of_all(leave_nothing_behind, makers, sizeof makers / sizeof *makers);
}

/* ---- A host that reads nothing --------------------------------------------------------------- */

/* More memory that is gone than fits into a socket; and then calls that need a channel of their
 * own each, as the one before is given up. */
static bool fill_the_socket(void *context)
{
    enum { PIECES = 900, CALLS = 4 };
    struct life life;
    (void)context;
    if (!open_life(&life, LONG_PATIENCE))
        return false;

    uint64_t *ids = calloc(PIECES, sizeof *ids);
    const uint64_t own = life.memory.pool.id;
    for (unsigned i = 0; ids && i < PIECES; i++) {
        ids[i] = life.memory.pool.id = UINT64_C(1000000) + i;
        if (life_execute(&life) != HY_STATUS_OK)
            return child_fail("execution %u: %s", i, life.words);
    }
    const pid_t pid = pid_of(&life);
    kill(pid, SIGSTOP);
    wait_until_it_stands(pid);
    for (unsigned i = 0; ids && i < PIECES; i++)
        life.table->memory_gone(life.device, ids[i]);
    free(ids);
    life.memory.pool.id = own;
    for (unsigned i = 0; i < CALLS; i++) {
        const int64_t before = life_in_ms(0);
        life.deadline = life_in_ms(SHORT_MS);
        const int32_t status = life_execute(&life);
        if (status != HY_STATUS_MISSED_DEADLINE_TRANSIENT ||
            life_in_ms(0) - before > INT64_C(1000000) * BOUND_MS)
            (void)child_fail("call %u: status %d after %lld ms: %s", i, (int)status,
                             (long long)(life_in_ms(0) - before) / 1000000, life.words);
    }
    kill(pid, SIGCONT);
    life.deadline = HY_NO_DEADLINE;
    if (life_execute(&life) != HY_STATUS_OK)
        (void)child_fail("execute afterwards: %s", life.words);
    life_close(&life);
    return true;
}

TEST(service_stopped, full_control_socket_keeps_nobody_beyond_the_deadline)
{
    const char *words;

    order = death_order_create();
    REQUIRE(order != NULL);
    if (!child_does(fill_the_socket, NULL, &words))
        hy_test_fail(__FILE__, __LINE__, "%s", words);
    death_order_destroy(order);
}
