#ifndef HY_TESTS_DEATH_DEATH_TRIGGER_H
#define HY_TESTS_DEATH_DEATH_TRIGGER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Orders for hooked host processes (hooks.c): the signal and its moment. The orders lie in a file
 * mapped by the test and all its hosts. An order reaches running hosts and hosts started later.
 */
#define DEATH_TRIGGER_VARIABLE "HALYARD_TEST_DEATH" /* the path of the file */

/* Position of a message at the moment of the signal. One-way messages to the host have the first
 * two points, messages from the host the last two. For a question of the host, the last two points
 * apply to the question and the first two to the reply. */
enum death_point {
    DEATH_UNREAD,    /* arrived in the socket or ring */
    DEATH_READ,      /* read */
    DEATH_UNREPLIED, /* reply not sent yet */
    DEATH_REPLIED,   /* reply sent */
    DEATH_POINTS
};

#define DEATH_PACKET 1000u /* message kind for a packet in a ring */

struct death_trigger {
    atomic_uint left; /* messages up to and including the signal; 0: no order */
    atomic_uint kind; /* HY_WIRE_* without HY_WIRE_REPLY */
    atomic_uint point;
    atomic_int signal; /* SIGKILL, SIGSTOP */

    atomic_uint done;       /* number of signals so far */
    _Atomic int64_t moment; /* of the last signal: ns of CLOCK_MONOTONIC */
    atomic_int pid;         /* process of the last signal */
};

/*
 * Creates the file and sets the variable, for hosts of this process and of its children. Each host
 * holds a file lock for its lifetime. Returns NULL on failure.
 */
struct death_trigger *death_trigger_create(void);
void death_trigger_destroy(struct death_trigger *trigger); /* by the creator */

void death_trigger_arm(struct death_trigger *trigger, uint32_t kind, enum death_point point,
                       int signal, unsigned nth);

/* Waits for the end of all hosts. Returns false on timeout. */
bool death_trigger_wait_for_end(void);

/* "unread", "read", ... */
const char *death_point_name(enum death_point point);

#endif
