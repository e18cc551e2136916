#ifndef HY_TESTS_CONTRACT_KIT_STAGE_H
#define HY_TESTS_CONTRACT_KIT_STAGE_H

/* Executions in each state of their lives. */
#include "scene.h"

enum state {
    PREPARATION,
    COMPUTATION,
    SUCCESS,
    INSUFFICIENT, /* too little room for an output */
    ERROR,        /* any other */
    STATES
};

/* An execution that was brought into a state, and what keeps it there. */
struct stage {
    struct scene scene; /* one device */
    struct gate gate;   /* COMPUTATION: that the event waits for */
    ANeuralNetworksEvent *event;
    ANeuralNetworksExecution *execution;
};

extern const float stage_input[EXTENT];
extern float stage_output[EXTENT];

/* Its output has an unknown extent; in PREPARATION no argument is set. False: as scene_open. */
bool stage_enter(struct stage *stage, enum state state, bool reusable, bool measure);

/* The same with all extents known, as fenced runs need them, and all arguments set; so it is never
 * INSUFFICIENT. What made it an ERROR is over. */
bool stage_enter_ready(struct stage *stage, enum state state, bool reusable);

void stage_leave(struct stage *stage);

enum hy_execution_state stage_state(const struct stage *stage);

/* For calls out of a table: contract_after with the words of the state. */
void stage_after(const char *file, int line, const char *function, enum state state, int expected,
                 int actual);

#endif
