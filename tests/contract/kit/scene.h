#ifndef HY_TESTS_CONTRACT_KIT_SCENE_H
#define HY_TESTS_CONTRACT_KIT_SCENE_H

/*
 * Executions on devices that a test makes up, driven by the public calls. Only models and
 * compilations come from inside, as no app can hand such devices to the library. What cannot be
 * made is NULL, and a recorded failure.
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
    struct fake_device npu; /* a driver's; takes everything */
    struct fake_device cpu; /* in the place of halyard-cpu, slower */
    ANeuralNetworksCompilation *compilation;
};

/* Takes the model over. False: the scene cannot be used, nor need it be closed. */
bool scene_open(struct scene *scene, struct hy_app_model *model, enum scene_devices devices);
void scene_close(struct scene *scene); /* nothing prepared is left behind */

/* With nothing set; with input 0 and output 0 set, EXTENT floats each. */
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

extern const char *const run_names[RUN_KINDS]; /* of the functions */

/* What the call itself gives; `event` may be set by START and FENCED. */
int launch(const struct scene *scene, enum run_kind kind, ANeuralNetworksExecution *execution,
           ANeuralNetworksEvent **event);

/* What the run gives at last. */
int run(const struct scene *scene, enum run_kind kind, ANeuralNetworksExecution *execution);

/* A sync fence of the app's, signalled by hand, and its event. */
struct gate {
    int fd;
    ANeuralNetworksEvent *event;
};

bool gate_make(struct gate *gate);
void gate_signal(const struct gate *gate);
void gate_free(struct gate *gate);

/* What poll says of a sync fence within `ms`; 0: nothing. */
short look(int fd, int ms);

enum { LONG = 60000 }; /* ms; only a failing test waits so long */

#endif
