#ifndef HY_TESTS_SCENARIOS_CONTRACT_PROBE_PROBE_STATES_H
#define HY_TESTS_SCENARIOS_CONTRACT_PROBE_PROBE_STATES_H

/*
 * Creates objects in every state. `make` returns a new handle from API calls. The new object
 * depends on all objects made or shared during `make`.
 */
#include "probe.h"
#include "tests/scenarios/contract/kit/fixture.h"

struct probe_state {
    const char *label; /* for the log */
    void *(*make)(struct probe_world *world);
};

enum probe_model_state {
    PROBE_EMPTY_MODEL,
    PROBE_OPEN_MODEL,    /* operands of many kinds */
    PROBE_CALLING_MODEL, /* operands that are models */
    PROBE_BUILDING_MODEL,
    PROBE_INVALID_MODEL,
    PROBE_RELU, /* finished from here on */
    PROBE_OPEN_RELU,
    PROBE_ADD,
    PROBE_CONDITION,
    PROBE_BODY,
    PROBE_CONTROL_FLOW,
    PROBE_MODEL_STATES,
};

enum probe_compilation_state {
    PROBE_BUILDING_FOR_ALL,
    PROBE_BUILDING_FOR_ONE,
    PROBE_FAILED_COMPILATION,
    PROBE_COMPILED_FOR_ALL, /* finished from here on */
    PROBE_COMPILED_FOR_ONE,
    PROBE_COMPILED_FOR_NPU, /* runs fail */
    PROBE_COMPILED_OPEN_RELU,
    PROBE_COMPILED_CONTROL_FLOW,
    PROBE_COMPILATION_STATES,
};

enum probe_execution_state {
    PROBE_NEW_EXECUTION,
    PROBE_READY,
    PROBE_READY_REUSABLE, /* and measured */
    PROBE_READY_OPEN_RELU,
    PROBE_READY_CONTROL_FLOW,
    PROBE_READY_ON_NPU,
    PROBE_READY_WITH_MEMORY,
    PROBE_RUNNING,
    PROBE_DONE,
    PROBE_DONE_REUSABLE,
    PROBE_INSUFFICIENT,
    PROBE_FAILED_EXECUTION,
    PROBE_EXECUTION_STATES,
};

enum probe_event_state {
    PROBE_SIGNALLED_FENCE,
    PROBE_UNSIGNALLED_FENCE,
    PROBE_DONE_EVENT,
    PROBE_FAILED_EVENT,
    PROBE_RUNNING_EVENT,
    PROBE_EVENT_STATES,
};

enum probe_memory_state {
    PROBE_FILE_MEMORY,
    PROBE_READ_ONLY_MEMORY,
    PROBE_INACCESSIBLE_MEMORY,
    PROBE_EMPTY_DESC_MEMORY,
    PROBE_FULL_DESC_MEMORY,
    PROBE_MEMORY_STATES,
};

enum probe_desc_state {
    PROBE_OPEN_DESC,
    PROBE_DESC_WITH_ROLES,
    PROBE_FINISHED_DESC,
    PROBE_DESC_STATES,
};

extern const struct probe_state probe_model_states[PROBE_MODEL_STATES];
extern const struct probe_state probe_compilation_states[PROBE_COMPILATION_STATES];
extern const struct probe_state probe_execution_states[PROBE_EXECUTION_STATES];
extern const struct probe_state probe_burst_states[1];
extern const struct probe_state probe_event_states[PROBE_EVENT_STATES];
extern const struct probe_state probe_memory_states[PROBE_MEMORY_STATES];
extern const struct probe_state probe_desc_states[PROBE_DESC_STATES];

/* The next result buffer of PROBE_OUTPUT_BYTES bytes. */
void *probe_output_buffer(struct probe_world *world);

/* Handles for `make` functions; NULL on failure. */
void *probe_shared_handle(struct probe_world *world, enum probe_kind kind, uint32_t state);
void *probe_new_handle(struct probe_world *world, enum probe_kind kind, uint32_t state);

#endif
