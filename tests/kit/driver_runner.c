#include "tests/kit/driver_runner.h"

#include "tests/kit/test_host.h"

static int32_t open_device(struct hy_runner *runner, const struct hy_host *host,
                           const char *arguments, const struct hy_driver *driver, uint32_t index)
{
    *runner = (struct hy_runner){
        .driver = driver, .deadline = HY_NO_DEADLINE, .loop_timeout = UINT64_C(2000000000)};
    struct hy_message message = {runner->message, sizeof runner->message};
    int32_t status = driver->create(host, arguments, &message, &runner->instance);

    if (status != HY_STATUS_OK)
        return status;
    return driver->device(runner->instance, index, &runner->table, &runner->device);
}

int32_t hy_runner_open(struct hy_runner *runner, const struct hy_driver *driver, uint32_t index)
{
    return hy_runner_open_on(runner, hy_test_host(), driver, index);
}

int32_t hy_runner_open_on(struct hy_runner *runner, const struct hy_host *host,
                          const struct hy_driver *driver, uint32_t index)
{
    return open_device(runner, host, "{}", driver, index);
}

int32_t hy_runner_open_with(struct hy_runner *runner, const char *arguments,
                            const struct hy_driver *driver, uint32_t index)
{
    return open_device(runner, hy_test_host(), arguments, driver, index);
}

static void destroy_prepared(struct hy_runner *runner)
{
    if (runner->prepared)
        runner->table->prepared_destroy(runner->prepared);
    runner->prepared = NULL;
}

void hy_runner_close(struct hy_runner *runner)
{
    destroy_prepared(runner);
    if (runner->instance)
        runner->driver->destroy(runner->instance);
    *runner = (struct hy_runner){0};
}

int32_t hy_runner_prepare(struct hy_runner *runner, const struct hy_model *model)
{
    const struct hy_prepare_options options = {
        .struct_size = sizeof options,
        .preference = HY_PREFER_FAST_SINGLE_ANSWER,
        .priority = HY_PRIORITY_MEDIUM,
        .deadline = runner->deadline,
        .message = {runner->message, sizeof runner->message},
        .cancelled = runner->cancelled,
    };

    destroy_prepared(runner);
    runner->message[0] = '\0';
    return runner->table->prepare(runner->device, model, &options, &runner->prepared);
}

void hy_runner_clear(struct hy_runner *runner)
{
    runner->input_count = runner->output_count = 0;
}

/* Inputs take the first half of the arrays, outputs the second. */
static void add_argument(struct hy_runner *runner, uint32_t slot, uint32_t protection, void *data,
                         uint64_t length, uint32_t rank, const uint32_t *dims)
{
    runner->pools[slot] = (struct hy_pool){
        .kind = HY_POOL_HOST,
        .protection = protection,
        .fd = -1,
        .size = length,
        .address = data,
    };
    runner->arguments[slot] = (struct hy_argument){
        .rank = dims ? rank : 0,
        .dims = dims,
        .location = {.pool = slot, .length = length},
    };
}

void hy_runner_input(struct hy_runner *runner, const void *data, uint64_t length, uint32_t rank,
                     const uint32_t *dims)
{
    add_argument(runner, runner->input_count++, HY_PROTECT_READ, (void *)data, length, rank, dims);
}

void hy_runner_no_input(struct hy_runner *runner)
{
    hy_runner_input(runner, NULL, 0, 0, NULL);
    runner->arguments[runner->input_count - 1].flags = HY_ARGUMENT_NO_VALUE;
}

void hy_runner_output(struct hy_runner *runner, void *data, uint64_t length, uint32_t rank,
                      const uint32_t *dims)
{
    add_argument(runner, HY_RUNNER_ARGUMENTS + runner->output_count++,
                 HY_PROTECT_READ | HY_PROTECT_WRITE, data, length, rank, dims);
}

static void make_request(struct hy_runner *runner)
{
    runner->request = (struct hy_request){
        .struct_size = sizeof runner->request,
        .input_count = runner->input_count,
        .output_count = runner->output_count,
        .pool_count = 2 * HY_RUNNER_ARGUMENTS,
        .inputs = runner->arguments,
        .outputs = runner->arguments + HY_RUNNER_ARGUMENTS,
        .pools = runner->pools,
    };
    runner->message[0] = '\0';
}

static struct hy_run_options run_options(struct hy_runner *runner)
{
    return (struct hy_run_options){
        .struct_size = sizeof(struct hy_run_options),
        .scratch = runner->scratch,
        .scratch_bytes = runner->scratch_bytes,
        .measure = runner->measure,
        .deadline = runner->deadline,
        .loop_timeout = runner->loop_timeout,
        .message = {runner->message, sizeof runner->message},
        .cancelled = runner->cancelled,
    };
}

static struct hy_result result_for(struct hy_runner *runner)
{
    return (struct hy_result){
        .struct_size = sizeof(struct hy_result),
        .output_count = runner->output_count,
        .outputs = runner->shapes,
    };
}

static void note_times(struct hy_runner *runner, const struct hy_result *result)
{
    runner->time_on_device = result->time_on_device;
    runner->time_in_driver = result->time_in_driver;
}

int32_t hy_runner_execute(struct hy_runner *runner)
{
    const struct hy_run_options options = run_options(runner);
    struct hy_result result = result_for(runner);

    make_request(runner);
    int32_t status = runner->table->execute(runner->prepared, &runner->request, &options, &result);
    note_times(runner, &result);
    return status;
}

int32_t hy_runner_execute_in(struct hy_runner *runner, void *burst)
{
    const struct hy_run_options options = run_options(runner);
    struct hy_result result = result_for(runner);

    make_request(runner);
    int32_t status = runner->table->burst_execute(burst, &runner->request, &options, &result);
    note_times(runner, &result);
    return status;
}

int32_t hy_runner_reuse(struct hy_runner *runner, void **reusable)
{
    const struct hy_run_options options = run_options(runner);

    make_request(runner);
    return runner->table->reusable_create(runner->prepared, &runner->request, &options, reusable);
}

int32_t hy_runner_execute_reused(struct hy_runner *runner, void *reusable)
{
    struct hy_result result = result_for(runner);

    int32_t status = runner->table->reusable_execute(reusable, runner->deadline, &result);
    note_times(runner, &result);
    return status;
}
