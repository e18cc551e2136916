#ifndef HY_PLUGINS_SERVICE_QUEUE_IN_FLIGHT_H
#define HY_PLUGINS_SERVICE_QUEUE_IN_FLIGHT_H

#include <stdbool.h>

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/service/queue/layout.h"
#include "plugins/service/queue/wait.h"

/*
 * The requests of a burst in flight. Each request has an entry (struct hy_in_flight_entry), and the
 * number of entries is the number of requests that the driver accepts at once. One of the threads
 * that wait for results is the reader and reads the ring. The reader delivers the results of other
 * threads to their entries, and hands reading over when its own result has arrived. An entry
 * belongs to its thread or to the reader, according to its state. No locks: fork() and the death of
 * the service may come at any moment.
 */
enum hy_in_flight_state {
    HY_IN_FLIGHT_FREE,
    HY_IN_FLIGHT_WAITING,   /* waiting for the reader to deliver the result */
    HY_IN_FLIGHT_DONE,      /* the result has arrived */
    HY_IN_FLIGHT_ABANDONED, /* the thread has given up; the entry is freed when the result arrives
                             */
};

struct hy_in_flight_entry {
    _Atomic uint32_t state;  /* enum hy_in_flight_state */
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
    uint32_t space; /* capacity of a result, in elements */
    atomic_bool is_read;
    union hy_element *results;
    struct hy_in_flight_entry entries[HY_MAX_BURST_DEPTH];
};

/* Initializes `depth` <= HY_MAX_BURST_DEPTH entries for results of at most `space` elements.
 * `waiter` is the initial waiter of each entry. Error: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_in_flight_init(struct hy_in_flight *flight, uint32_t depth,
                                             uint32_t space, const struct hy_waiter *waiter,
                                             struct hy_error *err);
void hy_in_flight_finish(struct hy_in_flight *flight); /* accepts a zeroed struct */

/* Acquires a free entry, sets its state to WAITING and gives it a unique request number. NULL: no
 * entry is free. */
struct hy_in_flight_entry *hy_in_flight_acquire(struct hy_in_flight *flight);

/* Frees the entry. Called by its thread after the result is read, or if no request was sent. */
void hy_in_flight_entry_free(struct hy_in_flight_entry *entry);

/* Gives up waiting. False: the result has arrived meanwhile. */
bool hy_in_flight_entry_abandon(struct hy_in_flight_entry *entry);

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
void hy_in_flight_notify_all(struct hy_in_flight *flight);

/* Wakes all waiting threads, after `dead` of the waiters has become true. */
void hy_in_flight_interrupt(struct hy_in_flight *flight);

#endif
