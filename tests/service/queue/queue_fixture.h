#ifndef HY_TESTS_QUEUE_FIXTURE_H
#define HY_TESTS_QUEUE_FIXTURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "plugins/service/queue/burst.h"
#include "plugins/service/queue/listener.h"

#define QUEUE_FIXTURE_SLOTS    64
#define QUEUE_FIXTURE_PATIENCE (UINT64_C(600) * 1000000000) /* never, in a test that passes */

typedef int32_t queue_execute_fn(void *context, const struct hy_request *request,
                                 const struct hy_run_options *options, struct hy_result *result);

/* A burst, and a service for it in a thread of this process or in a child process. */
struct queue_fixture {
    struct hy_queue_burst *burst;
    int memory;                      /* the rings */
    int channel[2];                  /* of notices: the client's end, the service's */
    atomic_int announced, forgotten; /* notices sent */
    atomic_bool refuses_notices;     /* they cannot be sent */
    atomic_bool loses_notices;       /* they do not arrive */
    atomic_int stuck;                /* how often the patience came to an end */
    /* the service */
    struct hy_queue_listener *listener;
    uint64_t listener_spin_ns; /* the usual, until a test wants another */
    pid_t child;
    queue_execute_fn *execute;
    void *context;
    uint64_t slots[QUEUE_FIXTURE_SLOTS]; /* the ids of what they name */
    uint32_t notices_read;
    atomic_uint executions;
};

/* A burst with the given spin, and nobody to serve it. */
bool queue_fixture_open(struct queue_fixture *fixture, const struct hy_queue_burst_rules *rules);

/* Serves it in a thread of this process; `execute` is called with `context`. */
bool queue_fixture_listen(struct queue_fixture *fixture, queue_execute_fn *execute, void *context);

/* Serves it in a child process. */
bool queue_fixture_fork(struct queue_fixture *fixture, queue_execute_fn *execute, void *context);

/* Kills the child process and waits for its end. */
void queue_fixture_kill(struct queue_fixture *fixture);

void queue_fixture_close(struct queue_fixture *fixture);

/* What hy_queue_work takes, with the fixture as context. */
int32_t queue_fixture_catch_up(void *context, uint32_t notices);
int32_t queue_fixture_find_memory(void *context, int32_t slot, struct hy_pool *pool);

/* ---- A request ------------------------------------------------------------------------------- */

#define QUEUE_POOLS 4

/* Two inputs and an output, in as many memories as a test likes; the first has the id 1. */
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

/* Runs it and gives the status. */
int32_t queue_request_execute(struct queue_fixture *fixture, struct queue_request *request);

/* An execution that does nothing well: its output has the shape {2, 3}. */
int32_t queue_execute_idle(void *context, const struct hy_request *request,
                           const struct hy_run_options *options, struct hy_result *result);

#endif
