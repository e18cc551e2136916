#ifndef HY_TESTS_SCENARIOS_ATTACKS_TRACED_H
#define HY_TESTS_SCENARIOS_ATTACKS_TRACED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Runs a part of a test in a traced child process. The tracer can kill the child at the entry or
 * exit of any system call, and can make file system calls fail or write too little. Only system
 * calls between the two marks count. The caller must have no other children meanwhile.
 */
enum traced_deed {
    TRACED_NOTHING,
    TRACED_KILL,    /* at stop `stop`; stop 2n enters call n, stop 2n + 1 leaves call n */
    TRACED_FAIL,    /* file system call number `stop` fails with `error` */
    TRACED_SHORTEN, /* file system call number `stop`, if a write, writes half */
};

struct traced_plan {
    enum traced_deed deed;
    uint32_t stop;
    int error;
};

struct traced_outcome {
    uint32_t stops;    /* between the marks */
    uint32_t failable; /* file system calls between the marks */
    bool is_done;      /* the deed took place */
    int status;        /* as from waitpid */
};

/* The child exits with 0 if the part returns true, else with 1. Returns false if the machine does
 * not allow tracing. */
bool traced_run(bool (*function)(void *context), void *context, const struct traced_plan *plan,
                struct traced_outcome *outcome);

/* Called by the part: starts or ends the counted section. */
void traced_mark(void);

#endif
