#ifndef HY_TESTS_DRIVER_RUNNER_H
#define HY_TESTS_DRIVER_RUNNER_H

#include "halyard/driver.h"

#define HY_RUNNER_ARGUMENTS 64u

/* A device of a driver with one prepared model and one request in plain memory. */
struct hy_runner {
    const struct hy_driver *driver;
    const struct hy_device *table;
    void *instance;
    void *device;
    void *prepared;
    char message[512]; /* of the last failure */
    /* the request: one host pool per argument */
    struct hy_argument arguments[2 * HY_RUNNER_ARGUMENTS];
    struct hy_pool pools[2 * HY_RUNNER_ARGUMENTS];
    struct hy_request request; /* made by the last execution, or for the last reusable */
    struct hy_output_shape shapes[HY_RUNNER_ARGUMENTS]; /* of the last execution */
    uint32_t input_count, output_count;
    int64_t deadline;
    uint64_t loop_timeout;
    uint32_t measure;
    void *scratch; /* as in hy_run_options */
    uint64_t scratch_bytes;
    const uint32_t *cancelled;               /* for prepare and executions, as in their options */
    uint64_t time_on_device, time_in_driver; /* of the last execution */
};

/* Opens device `index` on the test host. */
int32_t hy_runner_open(struct hy_runner *runner, const struct hy_driver *driver, uint32_t index);

/* Like hy_runner_open, on the caller's host. */
int32_t hy_runner_open_on(struct hy_runner *runner, const struct hy_host *host,
                          const struct hy_driver *driver, uint32_t index);

/* Like hy_runner_open, with driver arguments. */
int32_t hy_runner_open_with(struct hy_runner *runner, const char *arguments,
                            const struct hy_driver *driver, uint32_t index);
void hy_runner_close(struct hy_runner *runner);

/* Destroys the previous prepared model and prepares a new model. */
int32_t hy_runner_prepare(struct hy_runner *runner, const struct hy_model *model);

/* Add arguments to the request. NULL `dims` means the dimensions of the model. */
void hy_runner_clear(struct hy_runner *runner);
void hy_runner_input(struct hy_runner *runner, const void *data, uint64_t length, uint32_t rank,
                     const uint32_t *dims);
/* Adds an omitted input. */
void hy_runner_no_input(struct hy_runner *runner);
void hy_runner_output(struct hy_runner *runner, void *data, uint64_t length, uint32_t rank,
                      const uint32_t *dims);

int32_t hy_runner_execute(struct hy_runner *runner);

/* Executes in a burst of the prepared model. */
int32_t hy_runner_execute_in(struct hy_runner *runner, void *burst);

/* hy_runner_reuse creates the driver's reusable for the current request, and
 * hy_runner_execute_reused runs the reusable. The caller destroys the reusable with the table's
 * reusable_destroy before the next request. */
int32_t hy_runner_reuse(struct hy_runner *runner, void **reusable);
int32_t hy_runner_execute_reused(struct hy_runner *runner, void *reusable);

#endif
