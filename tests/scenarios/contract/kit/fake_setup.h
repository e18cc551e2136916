#ifndef HY_TESTS_SCENARIOS_CONTRACT_KIT_FAKE_SETUP_H
#define HY_TESTS_SCENARIOS_CONTRACT_KIT_FAKE_SETUP_H

/*
 * Executions on fake devices, driven by public calls. Models and compilations come from internal
 * functions, since an app cannot pass fake devices to the library. A failed creation returns NULL
 * and records a test failure.
 */
#include "contract.h"
#include "runtime/handle/handle.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

#define BYTES (EXTENT * sizeof(float)) /* of each argument of the models in plan_fixture.h */

enum fake_setup_devices {
    ALL_DEVICES, /* as from Compilation_create */
    ONE_DEVICE,  /* as from createForDevices with the npu alone */
    TWO_DEVICES, /* as from createForDevices */
};

struct fake_setup {
    struct fake_device npu; /* driver device; supports every operation */
    struct fake_device cpu; /* replaces halyard-cpu; slower than the npu */
    ANeuralNetworksCompilation *compilation;
};

/* Takes ownership of the model. On failure returns false, and fake_setup_close is not needed. */
bool fake_setup_open(struct fake_setup *fake_setup, struct hy_app_model *model,
                     enum fake_setup_devices devices);
void fake_setup_close(struct fake_setup *fake_setup); /* expects no prepared model to be left */

/* Creates an execution. fake_setup_execution sets no arguments; fake_setup_ready sets input 0 and
 * output 0, with EXTENT floats each. */
ANeuralNetworksExecution *fake_setup_execution(const struct fake_setup *fake_setup);
ANeuralNetworksExecution *fake_setup_ready(const struct fake_setup *fake_setup, const float *input,
                                           float *output);

/* y = ADD(x, x) of quantised tensors. */
struct hy_app_model *quantised_model(void);

/* y = ADD(x, x, activation): input 1 is a scalar. */
struct hy_app_model *scalar_model(void);

/* The four ways to run. */
enum run_kind {
    COMPUTE,
    BURST,
    START,
    FENCED, /* without dependencies */
    RUN_KINDS,
};

extern const char *const run_names[RUN_KINDS]; /* the function names */

/* Makes the call and returns its result code. START and FENCED may set `event`. */
int launch(const struct fake_setup *fake_setup, enum run_kind kind,
           ANeuralNetworksExecution *execution, ANeuralNetworksEvent **event);

/* Runs to completion and returns the final code. */
int run(const struct fake_setup *fake_setup, enum run_kind kind,
        ANeuralNetworksExecution *execution);

/* An app's sync fence, signaled by the test, and its event. */
struct manual_fence {
    int fd;
    ANeuralNetworksEvent *event;
};

bool manual_fence_make(struct manual_fence *manual_fence);
void manual_fence_signal(const struct manual_fence *manual_fence);
void manual_fence_free(struct manual_fence *manual_fence);

/* Polls a sync fence for up to `ms` milliseconds and returns the events; 0 on timeout. */
short look(int fd, int ms);

enum { LONG = 60000 }; /* ms; reached only by a failing test */

#endif
