#ifndef HY_PLUGINS_SERVICE_QUEUE_IN_FLIGHT_H
#define HY_PLUGINS_SERVICE_QUEUE_IN_FLIGHT_H

#include <stdbool.h>

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/service/queue/layout.h"
#include "plugins/service/queue/wait.h"

/*
 * The requests of a burst in flight. Each request has an entry (struct hy_place), and the number of
 * entries is the number of requests that the driver accepts at once. One of the threads that wait
 * for results is the reader and reads the ring. The reader delivers the results of other threads to
 * their entries, and hands reading over when its own result has arrived. An entry belongs to
 * its thread or to the reader, according to its state. No locks: fork() and the death of the
 * service may come at any moment.
 */
enum hy_place_state {
    HY_PLACE_FREE,
    HY_PLACE_WAITING,   /* waiting for the reader to deliver the result */
    HY_PLACE_ANSWERED,  /* the result has arrived */
    HY_PLACE_ABANDONED, /* the thread has given up; the entry is freed when the result arrives */
};

struct hy_place {
    _Atomic uint32_t state;  /* enum hy_place_state */
    _Atomic uint32_t number; /* of the request */
    _Atomic uint64_t slots;  /* memory slots that the request names, one bit each */
    _Atomic uint32_t news;   /* event counter: the result has arrived, or there is no reader */
    _Atomic uint32_t sleeps; /* futex: 1 while the thread sleeps for news in the kernel */
    struct hy_waiter waiter; /* waits for news */
    uint32_t length;         /* elements of `result` */
    union hy_element *result;
};

struct hy_in_flight {
    uint32_t depth;
    uint32_t room; /* capacity of a result, in elements */
    atomic_bool is_read;
    union hy_element *results;
    struct hy_place places[HY_MAX_BURST_DEPTH];
};

/* Initializes `depth` <= HY_MAX_BURST_DEPTH entries for results of at most `room` elements.
 * `waiter` is the initial waiter of each entry. Error: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_in_flight_init(struct hy_in_flight *flight, uint32_t depth,
                                             uint32_t room, const struct hy_waiter *waiter,
                                             struct hy_error *err);
void hy_in_flight_finish(struct hy_in_flight *flight); /* accepts a zeroed struct */

/* Acquires a free entry, sets its state to WAITING and gives it a unique request number. NULL: no
 * entry is free. */
struct hy_place *hy_in_flight_take(struct hy_in_flight *flight);

/* Frees the entry. Called by its thread after the result is read, or if no request was sent. */
void hy_place_free(struct hy_place *place);

/* Gives up waiting. False: the result has arrived meanwhile. */
bool hy_place_abandon(struct hy_place *place);

bool hy_in_flight_has_abandoned(const struct hy_in_flight *flight);

/* Return the number of entries in use, and the memory slots of their requests, one bit each. */
uint32_t hy_in_flight_count(const struct hy_in_flight *flight);
uint64_t hy_in_flight_slots(const struct hy_in_flight *flight);

/* Tries to become the reader. True: the calling thread is the reader until stop_reading. */
bool hy_in_flight_start_reading(struct hy_in_flight *flight);

/* Ends reading and wakes all waiting threads: any of them may become the reader. */
void hy_in_flight_stop_reading(struct hy_in_flight *flight);

/* For the reader: delivers a result to the entry of the request `number`. False: no entry expects
 * the result. */
bool hy_in_flight_bring(struct hy_in_flight *flight, uint32_t number,
                        const union hy_element *result, uint32_t length);

/* Wakes all waiting threads to check their state. */
void hy_in_flight_tell_all(struct hy_in_flight *flight);

/* Wakes all waiting threads, after `dead` of the waiters has become true. */
void hy_in_flight_interrupt(struct hy_in_flight *flight);

#endif
