#ifndef HY_TOOLS_RUN_MODE_H
#define HY_TOOLS_RUN_MODE_H

#include <android/NeuralNetworks.h>
#include <stdbool.h>

#include "common/error.h"

/* The way an execution is started and waited for. */
enum hy_run_mode {
    HY_RUN_SYNC,
    HY_RUN_ASYNC,
};

#define HY_RUN_MODES "sync, async"

/* The mode of a --mode option; NULL gives sync. False for a name that is none of HY_RUN_MODES. */
bool hy_run_mode_parse(const char *name, enum hy_run_mode *out);

/* Computes and waits for the end. */
HY_MUST_CHECK enum hy_code hy_run_mode_compute(enum hy_run_mode mode,
                                               ANeuralNetworksExecution *execution,
                                               struct hy_error *err);

#endif
