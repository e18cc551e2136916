#ifndef HY_TESTS_SCENARIOS_CONTRACT_KIT_STATE_CASE_H
#define HY_TESTS_SCENARIOS_CONTRACT_KIT_STATE_CASE_H

/* Executions in each state of their lives. */
#include "fake_setup.h"

enum state {
    PREPARATION,
    COMPUTATION,
    SUCCESS,
    INSUFFICIENT, /* an output buffer is too small */
    ERROR,        /* any other error */
    STATES
};

/* An execution in a given state, with the objects for holding the state. */
struct state_case {
    struct fake_setup fake_setup;     /* one device */
    struct manual_fence manual_fence; /* COMPUTATION: blocks the event */
    ANeuralNetworksEvent *event;
    ANeuralNetworksExecution *execution;
};

extern const float state_case_input[EXTENT];
extern float state_case_output[EXTENT];

/* The output extent is unknown. In PREPARATION no argument is set. Returns false like
 * fake_setup_open. */
bool state_case_enter(struct state_case *state_case, enum state state, bool reusable, bool measure);

/* Like state_case_enter, but all extents are known, as required by fenced runs, and all arguments
 * are set. The state is never INSUFFICIENT. The device fault behind ERROR is cleared. */
bool state_case_enter_ready(struct state_case *state_case, enum state state, bool reusable);

void state_case_leave(struct state_case *state_case);

enum hy_execution_state state_case_current(const struct state_case *state_case);

/* For calls driven by a table: contract_after with the state added to the name of the call. */
void state_case_after(const char *file, int line, const char *function, enum state state,
                      int expected, int actual);

#endif
