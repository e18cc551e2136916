#ifndef HY_TESTS_CONTRACT_KIT_STAGE_H
#define HY_TESTS_CONTRACT_KIT_STAGE_H

/* Executions in each state of their lives. */
#include "scene.h"

enum state {
    PREPARATION,
    COMPUTATION,
    SUCCESS,
    INSUFFICIENT, /* an output buffer is too small */
    ERROR,        /* any other error */
    STATES
};

/* An execution in a given state, with the objects for holding the state. */
struct stage {
    struct scene scene; /* one device */
    struct gate gate;   /* COMPUTATION: blocks the event */
    ANeuralNetworksEvent *event;
    ANeuralNetworksExecution *execution;
};

extern const float stage_input[EXTENT];
extern float stage_output[EXTENT];

/* The output extent is unknown. In PREPARATION no argument is set. Returns false like
 * scene_open. */
bool stage_enter(struct stage *stage, enum state state, bool reusable, bool measure);

/* Like stage_enter, but all extents are known, as required by fenced runs, and all arguments are
 * set. The state is never INSUFFICIENT. The device fault behind ERROR is cleared. */
bool stage_enter_ready(struct stage *stage, enum state state, bool reusable);

void stage_leave(struct stage *stage);

enum hy_execution_state stage_state(const struct stage *stage);

/* For calls driven by a table: contract_after with the state added to the name of the call. */
void stage_after(const char *file, int line, const char *function, enum state state, int expected,
                 int actual);

#endif
