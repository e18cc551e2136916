/* Hosts that stand still in the middle of a message: deadlines are kept, and patience has an end.
 */
#include "child.h"
#include "death_trigger.h"
#include "lifecycle.h"
#include "plugins/service/wire/messages.h"
#include "tests/kit/test.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LONG_WATCHDOG_S = 120, SHORT_WATCHDOG_S = 1, SHORT_MS = 100, BOUND_MS = 20000 };

static struct death_trigger *trigger;

/* A host that stands still at this point of this message, while the app does this. */
struct stop {
    const char *name;
    int32_t (*perform)(struct lifecycle *lifecycle);
    uint32_t kind;
    enum death_point point;
    uint32_t opposite; /* the message that destroys what it makes */
};

static pid_t pid_of(struct lifecycle *lifecycle)
{
    struct hy_service_info info;

    hy_service_get_info(lifecycle->service, &info);
    return info.pid;
}

/* A service with a prepared model, whose host knows no memory of ours yet. */
static bool open_lifecycle(struct lifecycle *lifecycle, uint32_t hang_timeout)
{
    return (lifecycle_open(lifecycle, hang_timeout) &&
            lifecycle_prepare(lifecycle) == HY_STATUS_OK) ||
           child_fail("open: %s", lifecycle->error_text);
}

/* A model besides the one that is there, with a cache of its own: one that is late may still write
 * to that while others read theirs. */
static int32_t prepare_another(struct lifecycle *lifecycle)
{
    void *saved = lifecycle->prepared;
    const int32_t cache_file = lifecycle->cache_file;

    lifecycle->prepared = NULL;
    lifecycle->cache_file = memfd_create("another cache", MFD_CLOEXEC);
    const int32_t status = lifecycle_prepare(lifecycle);
    (void)lifecycle_destroy_model(lifecycle);
    close(lifecycle->cache_file);
    lifecycle->prepared = saved;
    lifecycle->cache_file = cache_file;
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
        DIR *dir = opendir(tasks);
        all = true;
        for (struct dirent *entry; dir && (entry = readdir(dir));)
            all &= entry->d_name[0] == '.' || stands(tasks, entry->d_name);
        if (dir)
            closedir(dir);
        poll(NULL, 0, all ? 0 : 1);
    }
}

/* Whether the host has come to its order; then it is let go on. */
static bool let_go_on(pid_t pid)
{
    if (atomic_exchange(&trigger->left, 0) > 0)
        return false; /* nor will it */
    wait_until_it_stands(pid);
    return kill(pid, SIGCONT) == 0;
}

/* On a busy machine a deadline may pass before the message is under way: then a later one is tried.
 */
static int32_t run_until_stopped(struct lifecycle *lifecycle, const struct stop *stop)
{
    const pid_t pid = pid_of(lifecycle);
    int32_t status = HY_STATUS_MISSED_DEADLINE_TRANSIENT;
    bool has_stopped = false;

    for (int ms = SHORT_MS; !has_stopped && ms < BOUND_MS; ms *= 3) {
        death_trigger_arm(trigger, stop->kind, stop->point, SIGSTOP, 1);
        lifecycle->deadline = lifecycle_in_ms(ms);
        status = stop->perform(lifecycle);
        has_stopped = let_go_on(pid);
    }
    lifecycle->deadline = HY_NO_DEADLINE;
    if (!has_stopped)
        (void)child_fail("the host has not come there; status %d: %s", (int)status,
                         lifecycle->error_text);
    return status;
}

static bool miss_the_deadline(void *context)
{
    const struct stop *stop = context;
    struct lifecycle lifecycle;
    if (!open_lifecycle(&lifecycle, LONG_WATCHDOG_S))
        return false;

    const pid_t pid = pid_of(&lifecycle);
    const int32_t status = run_until_stopped(&lifecycle, stop);
    if (status != HY_STATUS_MISSED_DEADLINE_TRANSIENT)
        (void)child_fail("status %d: %s", (int)status, lifecycle.error_text);

    /* The process is the same, and works. */
    for (unsigned i = 0; i < lifecycle_step_count - 1; i++) {
        const int32_t next = lifecycle_steps[i].perform(&lifecycle);
        if (next != HY_STATUS_OK)
            (void)child_fail("%s afterwards: %d: %s", lifecycle_steps[i].name, (int)next,
                             lifecycle.error_text);
    }
    if (pid_of(&lifecycle) != pid)
        (void)child_fail("the process is another one");
    lifecycle_close(&lifecycle);
    return death_trigger_wait_for_end() || child_fail("a host has not ended");
}

static const struct stop stops[] = {
    {"supported operations", lifecycle_ask, HY_WIRE_SUPPORTED, DEATH_READ, 0},
    {"supported operations, said", lifecycle_ask, HY_WIRE_SUPPORTED, DEATH_UNREPLIED, 0},
    {"prepare", prepare_another, HY_WIRE_PREPARE, DEATH_UNREAD, 0},
    {"prepare, done", prepare_another, HY_WIRE_PREPARE, DEATH_UNREPLIED, 0},
    {"prepare from cache", lifecycle_prepare_from_cache, HY_WIRE_PREPARE_FROM_CACHE, DEATH_READ, 0},
    {"memory of an execution", lifecycle_execute, HY_WIRE_MEMORY_ADD, DEATH_UNREAD, 0},
    {"memory of an execution, added", lifecycle_execute, HY_WIRE_MEMORY_ADD, DEATH_UNREPLIED, 0},
    {"execute", lifecycle_execute, HY_WIRE_EXECUTE, DEATH_READ, 0},
    {"reusable", lifecycle_reuse, HY_WIRE_REUSABLE_CREATE, DEATH_UNREPLIED, 0},
    {"reusable, run", lifecycle_reuse, HY_WIRE_REUSABLE_EXECUTE, DEATH_READ, 0},
    {"fenced", lifecycle_execute_fenced, HY_WIRE_EXECUTE_FENCED, DEATH_UNREPLIED, 0},
    {"memory of a burst", lifecycle_burst, HY_WIRE_MEMORY_ADD, DEATH_READ, 0},
    {"notice of a burst", lifecycle_burst, HY_WIRE_BURST_ANNOUNCE, DEATH_UNREAD, 0},
    {"burst, unread", lifecycle_burst, DEATH_PACKET, DEATH_UNREAD, 0},
    {"burst", lifecycle_burst, DEATH_PACKET, DEATH_UNREPLIED, 0},
    {"wait", lifecycle_wait, HY_WIRE_WAIT, DEATH_READ, 0},
};

static void expect_of_all(bool (*act)(void *context), const struct stop *all, size_t count)
{
    const char *message;

    trigger = death_trigger_create();
    REQUIRE(trigger != NULL);
    for (size_t i = 0; i < count; i++) {
        struct stop stop = all[i];
        if (!child_does(act, &stop, &message))
            hy_test_fail(__FILE__, __LINE__, "%s: %s", stop.name, message);
        else
            hy_test_pass(__FILE__, __LINE__);
    }
    death_trigger_destroy(trigger);
}

TEST(service_stopped, deadline_ends_every_call_to_a_host_that_stands_still)
{
    expect_of_all(miss_the_deadline, stops, sizeof stops / sizeof *stops);
}

/* ---- Patience -------------------------------------------------------------------------------- */

/* On a busy machine the patience may be over before the host has come to its order: then it is
 * given a host that lives longer. */
static int32_t stop_for_long(struct lifecycle *lifecycle, const struct stop *stop)
{
    int32_t status = HY_STATUS_OK;
    bool has_stopped = false;

    for (uint32_t hang_timeout = SHORT_WATCHDOG_S; !has_stopped && hang_timeout < LONG_WATCHDOG_S;
         hang_timeout *= 3) {
        const pid_t pid = pid_of(lifecycle);
        death_trigger_arm(trigger, stop->kind, stop->point, SIGSTOP, 1);
        lifecycle_set_watchdog(hang_timeout);
        status = stop->perform(lifecycle);
        has_stopped = atomic_exchange(&trigger->left, 0) == 0;
        if (has_stopped && pid_of(lifecycle) == pid)
            (void)child_fail("the process has not been killed");
    }
    if (!has_stopped)
        (void)child_fail("the host has not come there; status %d: %s", (int)status,
                         lifecycle->error_text);
    lifecycle_set_watchdog(LONG_WATCHDOG_S);
    return status;
}

/* Compiling has ten times the patience, and is left out. */
static bool trip_watchdog(void *context)
{
    const struct stop *stop = context;
    struct lifecycle lifecycle;
    if (stop->kind == HY_WIRE_SUPPORTED || stop->kind == HY_WIRE_PREPARE ||
        stop->kind == HY_WIRE_PREPARE_FROM_CACHE || stop->kind == HY_WIRE_WAIT)
        return true;
    if (!open_lifecycle(&lifecycle, LONG_WATCHDOG_S))
        return false;

    int32_t status = stop_for_long(&lifecycle, stop);
    if (status != HY_STATUS_DEAD_OBJECT && status != HY_STATUS_OK) /* OK: of the next process */
        (void)child_fail("status %d: %s", (int)status, lifecycle.error_text);
    status = lifecycle_execute(&lifecycle);
    if (status != HY_STATUS_OK)
        (void)child_fail("execute afterwards: %d: %s", (int)status, lifecycle.error_text);
    lifecycle_close(&lifecycle);
    return death_trigger_wait_for_end() || child_fail("a host has not ended");
}

TEST(service_stopped, patience_ends_a_host_that_stands_still_and_the_next_one_is_right)
{
    expect_of_all(trip_watchdog, stops, sizeof stops / sizeof *stops);
}

/* ---- What calls that came too late have made ------------------------------------------------- */

/* The host is told to destroy what nobody has got: it meets the order for that. */
static bool leave_no_resources(void *context)
{
    const struct stop *stop = context;
    struct lifecycle lifecycle;
    if (!open_lifecycle(&lifecycle, LONG_WATCHDOG_S))
        return false;

    if (run_until_stopped(&lifecycle, stop) != HY_STATUS_MISSED_DEADLINE_TRANSIENT)
        (void)child_fail("it was not late: %s", lifecycle.error_text);
    death_trigger_arm(trigger, stop->opposite, DEATH_READ, SIGCONT, 1);
    for (int ms = 0; atomic_load(&trigger->done) == 0; ms += 5) {
        if (lifecycle_ask(&lifecycle) != HY_STATUS_OK || ms > BOUND_MS) {
            (void)child_fail("nothing was destroyed");
            break;
        }
        poll(NULL, 0, 5);
    }
    lifecycle_close(&lifecycle);
    return true;
}

TEST(service_stopped, what_a_call_makes_after_its_deadline_is_destroyed)
{
    static const struct stop makers[] = {
        {"prepare", prepare_another, HY_WIRE_PREPARE, DEATH_READ, HY_WIRE_PREPARED_DESTROY},
        {"reusable", lifecycle_reuse, HY_WIRE_REUSABLE_CREATE, DEATH_READ,
         HY_WIRE_REUSABLE_DESTROY},
        {"fenced", lifecycle_execute_fenced, HY_WIRE_EXECUTE_FENCED, DEATH_READ,
         HY_WIRE_FENCED_DESTROY},
        {"memory", lifecycle_execute, HY_WIRE_MEMORY_ADD, DEATH_READ, HY_WIRE_MEMORY_DROP},
    };

    expect_of_all(leave_no_resources, makers, sizeof makers / sizeof *makers);
}

/* ---- A host that reads nothing --------------------------------------------------------------- */

/* More memory that is gone than fits into a socket; and then calls that need a channel of their
 * own each, as the one before is given up. */
static bool fill_the_socket(void *context)
{
    enum { PIECES = 900, CALLS = 4 };
    struct lifecycle lifecycle;
    (void)context;
    if (!open_lifecycle(&lifecycle, LONG_WATCHDOG_S))
        return false;

    uint64_t *ids = calloc(PIECES, sizeof *ids);
    const uint64_t own = lifecycle.memory.pool.id;
    for (unsigned i = 0; ids && i < PIECES; i++) {
        ids[i] = lifecycle.memory.pool.id = UINT64_C(1000000) + i;
        if (lifecycle_execute(&lifecycle) != HY_STATUS_OK)
            return child_fail("execution %u: %s", i, lifecycle.error_text);
    }
    const pid_t pid = pid_of(&lifecycle);
    kill(pid, SIGSTOP);
    wait_until_it_stands(pid);
    for (unsigned i = 0; ids && i < PIECES; i++)
        lifecycle.table->memory_gone(lifecycle.device, ids[i]);
    free(ids);
    lifecycle.memory.pool.id = own;
    for (unsigned i = 0; i < CALLS; i++) {
        const int64_t before = lifecycle_in_ms(0);
        lifecycle.deadline = lifecycle_in_ms(SHORT_MS);
        const int32_t status = lifecycle_execute(&lifecycle);
        if (status != HY_STATUS_MISSED_DEADLINE_TRANSIENT ||
            lifecycle_in_ms(0) - before > INT64_C(1000000) * BOUND_MS)
            (void)child_fail("call %u: status %d after %lld ms: %s", i, (int)status,
                             (long long)(lifecycle_in_ms(0) - before) / 1000000,
                             lifecycle.error_text);
    }
    kill(pid, SIGCONT);
    lifecycle.deadline = HY_NO_DEADLINE;
    if (lifecycle_execute(&lifecycle) != HY_STATUS_OK)
        (void)child_fail("execute afterwards: %s", lifecycle.error_text);
    lifecycle_close(&lifecycle);
    return true;
}

TEST(service_stopped, full_control_socket_keeps_nobody_beyond_the_deadline)
{
    const char *message;

    trigger = death_trigger_create();
    REQUIRE(trigger != NULL);
    if (!child_does(fill_the_socket, NULL, &message))
        hy_test_fail(__FILE__, __LINE__, "%s", message);
    death_trigger_destroy(trigger);
}
