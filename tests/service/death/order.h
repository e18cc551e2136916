#ifndef HY_TESTS_DEATH_ORDER_H
#define HY_TESTS_DEATH_ORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * What a hooked host (hooks.c) is to do to itself, and when: in a file that the test and all its
 * hosts have mapped, so that an order reaches hosts that run and hosts that are yet to be started.
 */
#define DEATH_ORDER_VARIABLE "HALYARD_TEST_DEATH" /* the path of the file */

/* Where a message is when it happens. What is only told has the first two, what the host tells the
 * last two; what the host asks has the last two for its question, and the first for the answer. */
enum death_point {
    DEATH_UNREAD,     /* it has come, and lies in the socket or the ring */
    DEATH_READ,       /* it was taken out */
    DEATH_UNANSWERED, /* the answer is ready */
    DEATH_ANSWERED,   /* the answer was sent */
    DEATH_POINTS
};

#define DEATH_PACKET 1000u /* a kind of message besides those of the protocol: in a ring */

struct death_order {
    atomic_uint left; /* messages up to the deed, its own too; 0: nothing is to be done */
    atomic_uint kind; /* HY_WIRE_* without HY_WIRE_ANSWER */
    atomic_uint point;
    atomic_int signal; /* SIGKILL, SIGSTOP */

    atomic_uint done;       /* deeds so far */
    _Atomic int64_t moment; /* of the last one: ns of CLOCK_MONOTONIC */
    atomic_int pid;         /* who did it */
};

/*
 * Makes the file and sets the variable, for hosts of this process and its children. Each host holds
 * a lock on it for as long as it lives. NULL: the system refuses.
 */
struct death_order *death_order_create(void);
void death_order_destroy(struct death_order *order); /* by who has created it */

void death_order_give(struct death_order *order, uint32_t kind, enum death_point point, int signal,
                      unsigned nth);

/* Waits until no host is left; false: some time has passed, and there still is one. */
bool death_order_wait_for_end(void);

/* "unread", "read", ... */
const char *death_point_name(enum death_point point);

#endif
