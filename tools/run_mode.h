#ifndef HY_TOOLS_RUN_MODE_H
#define HY_TOOLS_RUN_MODE_H

#include <android/NeuralNetworks.h>
#include <stdbool.h>

#include "common/error.h"

/* The call that starts an execution and waits for its end. */
enum hy_run_mode {
    HY_RUN_SYNC,
    HY_RUN_ASYNC,
    HY_RUN_BURST,
    HY_RUN_FENCED, /* starts without dependencies */
};

#define HY_RUN_MODES "sync, async, burst, fenced"

/* The mode of a --mode option; NULL gives sync. False for a name outside HY_RUN_MODES. */
bool hy_run_mode_parse(const char *name, enum hy_run_mode *out);
const char *hy_run_mode_name(enum hy_run_mode mode);

/* Runs executions of a compilation in a single mode, sequentially. A zeroed runner may be
 * stopped. */
struct hy_runner {
    enum hy_run_mode mode;
    ANeuralNetworksBurst *burst; /* set for HY_RUN_BURST */
};

/* For a finished compilation, which outlives the runner. The caller must stop the runner also after
 * a failure. */
HY_MUST_CHECK enum hy_code hy_runner_start(struct hy_runner *runner, enum hy_run_mode mode,
                                           ANeuralNetworksCompilation *compilation,
                                           struct hy_error *err);
void hy_runner_stop(struct hy_runner *runner);

/* Computes and waits for the end. */
HY_MUST_CHECK enum hy_code hy_runner_compute(const struct hy_runner *runner,
                                             ANeuralNetworksExecution *execution,
                                             struct hy_error *err);

#endif
