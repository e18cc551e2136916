#ifndef HY_TESTS_DRIVER_RUNNER_H
#define HY_TESTS_DRIVER_RUNNER_H

#include "halyard/driver.h"

#define HY_RUNNER_ARGUMENTS 64u

/* One device of a driver with one prepared model, and one request in plain memory. */
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
    struct hy_request request; /* made of them by the last execution, or for the last reusable */
    struct hy_output_shape shapes[HY_RUNNER_ARGUMENTS]; /* of the last execution */
    uint32_t input_count, output_count;
    int64_t deadline;
    uint64_t loop_timeout;
    uint32_t measure;
    void *scratch; /* as in hy_run_options */
    uint64_t scratch_bytes;
    const uint32_t *cancelled;               /* of prepare and of executions, as in their options */
    uint64_t time_on_device, time_in_driver; /* of the last execution */
};

/* Opens device `index` on the test host. */
int32_t hy_runner_open(struct hy_runner *runner, const struct hy_driver *driver, uint32_t index);

/* The same on a host of the caller's. */
int32_t hy_runner_open_on(struct hy_runner *runner, const struct hy_host *host,
                          const struct hy_driver *driver, uint32_t index);

/* On the test host, a driver with these arguments. */
int32_t hy_runner_open_with(struct hy_runner *runner, const char *arguments,
                            const struct hy_driver *driver, uint32_t index);
void hy_runner_close(struct hy_runner *runner);

/* Prepares a model, and forgets the one before. */
int32_t hy_runner_prepare(struct hy_runner *runner, const struct hy_model *model);

/* Adds arguments to the request. `dims` NULL: as in the model. */
void hy_runner_clear(struct hy_runner *runner);
void hy_runner_input(struct hy_runner *runner, const void *data, uint64_t length, uint32_t rank,
                     const uint32_t *dims);
/* An input that is left out. */
void hy_runner_no_input(struct hy_runner *runner);
void hy_runner_output(struct hy_runner *runner, void *data, uint64_t length, uint32_t rank,
                      const uint32_t *dims);

int32_t hy_runner_execute(struct hy_runner *runner);

/* The same in a burst of the prepared model. */
int32_t hy_runner_execute_in(struct hy_runner *runner, void *burst);

/* The driver's reusable over the request as it is now, and a run of it. The reusable is for the
 * table's reusable_destroy, before the next request is made. */
int32_t hy_runner_reuse(struct hy_runner *runner, void **reusable);
int32_t hy_runner_execute_reused(struct hy_runner *runner, void *reusable);

#endif
