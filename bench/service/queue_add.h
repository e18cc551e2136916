#ifndef HY_BENCH_SERVICE_QUEUE_ADD_H
#define HY_BENCH_SERVICE_QUEUE_ADD_H

#include "common/error.h"
#include "halyard/driver.h"

/* A model with an ADD of four floats, prepared on halyard-cpu, and a request in shared memory. */
struct queue_add {
    struct hy_host host;
    const struct hy_device *table;
    void *instance, *prepared;
    struct hy_pool pool;
    struct hy_argument arguments[3];
    struct hy_request request;
    struct hy_output_shape shape;
    struct hy_result result;
};

HY_MUST_CHECK enum hy_code queue_add_init(struct queue_add *add, struct hy_error *err);
void queue_add_finish(struct queue_add *add);

/* Functions for struct hy_queue_work; `context` is the struct. */
int32_t queue_add_execute(void *context, const struct hy_request *request,
                          const struct hy_run_options *options, struct hy_result *result);
int32_t queue_add_idle(void *context, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result);

/* A function for struct hy_bench_subject: the same work without another process. */
HY_MUST_CHECK enum hy_code queue_add_run(void *self, struct hy_error *err);

#endif
