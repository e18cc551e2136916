#ifndef HY_TESTS_CONTRACT_KIT_SCENE_H
#define HY_TESTS_CONTRACT_KIT_SCENE_H

/*
 * Executions on fake devices, driven by public calls. Models and compilations come from internal
 * functions, since an app cannot pass fake devices to the library. A failed creation returns NULL
 * and records a test failure.
 */
#include "contract.h"
#include "kit/plan_fixture.h"
#include "runtime/handle/handle.h"

#define BYTES (EXTENT * sizeof(float)) /* of each argument of the models in plan_fixture.h */

enum scene_devices {
    ALL_DEVICES, /* as from Compilation_create */
    ONE_DEVICE,  /* as from createForDevices with the npu alone */
    TWO_DEVICES, /* as from createForDevices */
};

struct scene {
    struct fake_device npu; /* driver device; supports every operation */
    struct fake_device cpu; /* replaces halyard-cpu; slower than the npu */
    ANeuralNetworksCompilation *compilation;
};

/* Takes ownership of the model. On failure returns false, and scene_close is not needed. */
bool scene_open(struct scene *scene, struct hy_app_model *model, enum scene_devices devices);
void scene_close(struct scene *scene); /* expects no prepared model to be left */

/* Creates an execution. scene_execution sets no arguments; scene_ready sets input 0 and output 0,
 * with EXTENT floats each. */
ANeuralNetworksExecution *scene_execution(const struct scene *scene);
ANeuralNetworksExecution *scene_ready(const struct scene *scene, const float *input, float *output);

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
int launch(const struct scene *scene, enum run_kind kind, ANeuralNetworksExecution *execution,
           ANeuralNetworksEvent **event);

/* Runs to completion and returns the final code. */
int run(const struct scene *scene, enum run_kind kind, ANeuralNetworksExecution *execution);

/* An app's sync fence, signaled by the test, and its event. */
struct gate {
    int fd;
    ANeuralNetworksEvent *event;
};

bool gate_make(struct gate *gate);
void gate_signal(const struct gate *gate);
void gate_free(struct gate *gate);

/* Polls a sync fence for up to `ms` milliseconds and returns the events; 0 on timeout. */
short look(int fd, int ms);

enum { LONG = 60000 }; /* ms; reached only by a failing test */

#endif
