#include "queue_fixture.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct notice {
    int32_t slot;
    uint64_t id; /* 0: the slot is free */
};

/* ---- The client's side ----------------------------------------------------------------------- */

static bool send_notice(struct queue_fixture *fixture, int32_t slot, uint64_t id)
{
    const struct notice notice = {slot, id};

    if (atomic_load(&fixture->loses_notices))
        return true;
    return !atomic_load(&fixture->refuses_notices) &&
           send(fixture->channel[0], &notice, sizeof notice, MSG_NOSIGNAL) == sizeof notice;
}

static bool announce(void *context, int32_t slot, const struct hy_pool *pool, int64_t deadline)
{
    struct queue_fixture *fixture = context;
    (void)deadline;

    if (!send_notice(fixture, slot, pool->id))
        return false;
    atomic_fetch_add(&fixture->announced, 1);
    return true;
}

static bool retract(void *context, int32_t slot)
{
    struct queue_fixture *fixture = context;

    if (!send_notice(fixture, slot, 0))
        return false;
    atomic_fetch_add(&fixture->invalidations, 1);
    return true;
}

static void stuck(void *context)
{
    atomic_fetch_add(&((struct queue_fixture *)context)->stuck, 1);
}

bool queue_fixture_open(struct queue_fixture *fixture, const struct hy_queue_burst_rules *rules)
{
    const struct hy_queue_burst_owner owner = {fixture, announce, retract, stuck};
    struct hy_error err = {0};

    *fixture = (struct queue_fixture){
        .memory = -1, .channel = {-1, -1}, .listener_spin_ns = HY_QUEUE_USUAL_SPIN_NS};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fixture->channel) != 0)
        return false;
    return hy_queue_burst_create(&owner, rules, &fixture->burst, &fixture->memory, &err) == HY_OK;
}

/* ---- The service's side ---------------------------------------------------------------------- */

int32_t queue_fixture_catch_up(void *context, uint32_t notices)
{
    struct queue_fixture *fixture = context;
    struct notice notice;

    for (; fixture->notices_read != notices; fixture->notices_read++) {
        if (recv(fixture->channel[1], &notice, sizeof notice, 0) != sizeof notice)
            return HY_STATUS_GENERAL_FAILURE;
        fixture->slots[notice.slot] = notice.id;
    }
    return HY_STATUS_OK;
}

int32_t queue_fixture_find_memory(void *context, int32_t slot, struct hy_pool *pool)
{
    const struct queue_fixture *fixture = context;

    if (slot >= QUEUE_FIXTURE_SLOTS || fixture->slots[slot] == 0)
        return HY_STATUS_INVALID_ARGUMENT;
    *pool = (struct hy_pool){
        .kind = HY_POOL_ASHMEM,
        .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
        .fd = -1,
        .id = fixture->slots[slot],
        .size = 4096,
    };
    return HY_STATUS_OK;
}

static int32_t execute(void *context, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    struct queue_fixture *fixture = context;

    atomic_fetch_add(&fixture->executions, 1);
    return fixture->execute(fixture->context, request, options, result);
}

bool queue_fixture_listen(struct queue_fixture *fixture, queue_execute_fn *run, void *context)
{
    const struct hy_queue_work work = {fixture, queue_fixture_catch_up, queue_fixture_find_memory,
                                       execute, NULL};
    const struct hy_queue_listener_rules rules = {.spin_ns = fixture->listener_spin_ns,
                                                  .peer_fd = -1};
    struct hy_error err = {0};

    fixture->execute = run;
    fixture->context = context;
    return hy_queue_listener_start(fixture->memory, &work, &rules, &fixture->listener, &err) ==
           HY_OK;
}

bool queue_fixture_fork(struct queue_fixture *fixture, queue_execute_fn *run, void *context)
{
    fixture->child = fork();
    if (fixture->child != 0)
        return fixture->child > 0;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!queue_fixture_listen(fixture, run, context))
        _exit(1);
    for (;;)
        pause();
}

void queue_fixture_kill(struct queue_fixture *fixture)
{
    if (fixture->child <= 0)
        return;
    (void)kill(fixture->child, SIGKILL);
    (void)waitpid(fixture->child, NULL, 0);
    fixture->child = 0;
}

static void close_fd(int fd)
{
    if (fd >= 0)
        close(fd);
}

void queue_fixture_close(struct queue_fixture *fixture)
{
    hy_queue_burst_destroy(fixture->burst);
    if (fixture->channel[0] >= 0)
        (void)shutdown(fixture->channel[0], SHUT_RDWR);
    hy_queue_listener_stop(fixture->listener);
    queue_fixture_kill(fixture);
    close_fd(fixture->memory);
    close_fd(fixture->channel[0]);
    close_fd(fixture->channel[1]);
}

/* ---- A request ------------------------------------------------------------------------------- */

void queue_request_init(struct queue_request *request)
{
    *request = (struct queue_request){0};
    for (uint32_t i = 0; i < QUEUE_POOLS; i++)
        request->pools[i] = (struct hy_pool){
            .kind = HY_POOL_ASHMEM,
            .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
            .fd = -1,
            .id = i + 1,
            .size = 4096,
        };
    for (uint32_t i = 0; i < 2; i++)
        request->inputs[i] =
            (struct hy_argument){.location = {.pool = 0, .offset = i * 64, .length = 24}};
    request->outputs[0] =
        (struct hy_argument){.location = {.pool = 0, .offset = 128, .length = 24}};
    request->request = (struct hy_request){
        .struct_size = sizeof request->request,
        .input_count = 2,
        .output_count = 1,
        .pool_count = 1,
        .inputs = request->inputs,
        .outputs = request->outputs,
        .pools = request->pools,
    };
    request->result = (struct hy_result){
        .struct_size = sizeof request->result,
        .output_count = 1,
        .outputs = request->shapes,
    };
    request->options = (struct hy_run_options){
        .struct_size = sizeof request->options,
        .deadline = HY_NO_DEADLINE,
        .loop_timeout = 1000,
        .message = {request->message, sizeof request->message},
    };
}

int32_t queue_request_execute(struct queue_fixture *fixture, struct queue_request *request)
{
    request->message[0] = '\0';
    return hy_queue_burst_execute(fixture->burst, &request->request, &request->options,
                                  &request->result);
}

int32_t queue_execute_idle(void *context, const struct hy_request *request,
                           const struct hy_run_options *options, struct hy_result *result)
{
    (void)context, (void)options;
    for (uint32_t i = 0; i < request->output_count; i++)
        result->outputs[i] = (struct hy_output_shape){.rank = 2, .sufficient = 1, .dims = {2, 3}};
    return HY_STATUS_OK;
}
