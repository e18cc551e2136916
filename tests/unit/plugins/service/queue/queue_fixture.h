#ifndef HY_TESTS_QUEUE_FIXTURE_H
#define HY_TESTS_QUEUE_FIXTURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "plugins/service/queue/listener.h"
#include "plugins/service/queue/queue_burst.h"

#define QUEUE_FIXTURE_SLOTS      64
#define QUEUE_FIXTURE_TIMEOUT_NS (UINT64_C(600) * 1000000000) /* not reached by a passing test */

typedef int32_t queue_execute_fn(void *context, const struct hy_request *request,
                                 const struct hy_run_options *options, struct hy_result *result);

/* A burst, with a service in a thread of this process or in a child process. */
struct queue_fixture {
    struct hy_queue_burst *burst;
    int memory;                          /* the ring memory */
    int channel[2];                      /* notices: the client's end, the service's end */
    atomic_int announced, invalidations; /* number of notices */
    atomic_bool refuses_notices;         /* notices cannot be sent */
    atomic_bool loses_notices;           /* notices are lost */
    atomic_int stuck;                    /* number of hang timeouts */
    /* the service */
    struct hy_queue_listener *listener;
    uint64_t listener_spin_ns; /* default; tests may change the value */
    pid_t child;
    queue_execute_fn *execute;
    void *context;
    uint64_t slots[QUEUE_FIXTURE_SLOTS]; /* memory ids by slot */
    uint32_t notices_read;
    atomic_uint executions;
};

/* Opens a burst with the given rules, without a service. */
bool queue_fixture_open(struct queue_fixture *fixture, const struct hy_queue_burst_rules *rules);

/* Starts the service in a thread. `execute` is called with `context`. */
bool queue_fixture_listen(struct queue_fixture *fixture, queue_execute_fn *execute, void *context);

/* Starts the service in a child process. */
bool queue_fixture_fork(struct queue_fixture *fixture, queue_execute_fn *execute, void *context);

/* Kills the child process and waits for its end. */
void queue_fixture_kill(struct queue_fixture *fixture);

void queue_fixture_close(struct queue_fixture *fixture);

/* Callbacks for hy_queue_work, with the fixture as context. */
int32_t queue_fixture_catch_up(void *context, uint32_t notices);
int32_t queue_fixture_find_memory(void *context, int32_t slot, struct hy_pool *pool);

/* ---- A request ------------------------------------------------------------------------------- */

#define QUEUE_POOLS 4

/* Two inputs and an output, in up to QUEUE_POOLS memories; the first memory has the id 1. */
struct queue_request {
    struct hy_pool pools[QUEUE_POOLS];
    struct hy_argument inputs[2], outputs[1];
    uint32_t dims[3][2];
    struct hy_request request;
    struct hy_output_shape shapes[1];
    struct hy_result result;
    struct hy_run_options options;
    char message[512];
};

void queue_request_init(struct queue_request *request);

/* Runs the request and returns the status. */
int32_t queue_request_execute(struct queue_fixture *fixture, struct queue_request *request);

/* A successful execution without any work; the output shape is {2, 3}. */
int32_t queue_execute_idle(void *context, const struct hy_request *request,
                           const struct hy_run_options *options, struct hy_result *result);

#endif
