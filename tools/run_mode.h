#ifndef HY_TOOLS_RUN_MODE_H
#define HY_TOOLS_RUN_MODE_H

#include <android/NeuralNetworks.h>
#include <stdbool.h>

#include "common/error.h"

/* The way an execution is started and waited for. */
enum hy_run_mode {
    HY_RUN_SYNC,
    HY_RUN_ASYNC,
    HY_RUN_BURST,
    HY_RUN_FENCED, /* waits for nothing before it starts */
};

#define HY_RUN_MODES "sync, async, burst, fenced"

/* The mode of a --mode option; NULL gives sync. False for a name that is none of HY_RUN_MODES. */
bool hy_run_mode_parse(const char *name, enum hy_run_mode *out);
const char *hy_run_mode_name(enum hy_run_mode mode);

/* Runs executions of one compilation in one mode, one at a time. Zeroed, it may be stopped. */
struct hy_runner {
    enum hy_run_mode mode;
    ANeuralNetworksBurst *burst; /* of HY_RUN_BURST */
};

/* For a finished compilation, which outlives the runner. Stop it in any case. */
HY_MUST_CHECK enum hy_code hy_runner_start(struct hy_runner *runner, enum hy_run_mode mode,
                                           ANeuralNetworksCompilation *compilation,
                                           struct hy_error *err);
void hy_runner_stop(struct hy_runner *runner);

/* Computes and waits for the end. */
HY_MUST_CHECK enum hy_code hy_runner_compute(const struct hy_runner *runner,
                                             ANeuralNetworksExecution *execution,
                                             struct hy_error *err);

#endif
