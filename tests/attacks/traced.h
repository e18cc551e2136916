#ifndef HY_TESTS_ATTACKS_TRACED_H
#define HY_TESTS_ATTACKS_TRACED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A part of a test in a child of its own that this process traces: it can be killed where it enters
 * or leaves any of its system calls, and calls of the file system can fail or write less than they
 * should. Only what lies between two marks counts. The caller has no other children meanwhile.
 */
enum traced_deed {
    TRACED_NOTHING,
    TRACED_KILL,    /* at stop number `stop`: 2 n enters call n, 2 n + 1 leaves it */
    TRACED_FAIL,    /* call number `stop` of those of the file system fails with `error` */
    TRACED_SHORTEN, /* that call, if it writes, writes half */
};

struct traced_plan {
    enum traced_deed deed;
    uint32_t stop;
    int error;
};

struct traced_outcome {
    uint32_t stops;    /* between the marks */
    uint32_t failable; /* calls of the file system there */
    bool is_done;      /* the deed */
    int status;        /* as of waitpid */
};

/* The child ends with 0 where the part was true, else with 1. False: this machine lets nobody be
 * traced. */
bool traced_run(bool (*part)(void *context), void *context, const struct traced_plan *plan,
                struct traced_outcome *outcome);

/* In the part: what counts begins, or ends. */
void traced_mark(void);

#endif
