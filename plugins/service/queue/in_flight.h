#ifndef HY_PLUGINS_SERVICE_QUEUE_IN_FLIGHT_H
#define HY_PLUGINS_SERVICE_QUEUE_IN_FLIGHT_H

#include <stdbool.h>

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/service/queue/layout.h"
#include "plugins/service/queue/wait.h"

/*
 * The requests of a burst that are under way, each in a place of its own: as many as the driver
 * takes at once. Of the threads that wait for results one reads the ring, the reader; it puts what
 * belongs to others into their places, and leaves the reading to them when it has its own. What is
 * in a place belongs to the thread that has taken it, or to the reader, as its state says. No
 * locks: fork() and the death of the service may come at any moment.
 */
enum hy_place_state {
    HY_PLACE_FREE,
    HY_PLACE_WAITING,   /* for the result, the reader's to bring */
    HY_PLACE_ANSWERED,  /* the result is there */
    HY_PLACE_ABANDONED, /* nobody waits any more; free once the result has come */
};

struct hy_place {
    _Atomic uint32_t state;  /* enum hy_place_state */
    _Atomic uint32_t number; /* of the request */
    _Atomic uint64_t slots;  /* that it names, a bit each */
    _Atomic uint32_t news;   /* counts: the result is there, or the place of the reader is free */
    _Atomic uint32_t sleeps; /* futex: 1 while the thread waits for news in the kernel */
    struct hy_waiter waiter; /* for news */
    uint32_t length;         /* of the result */
    union hy_element *result;
};

struct hy_in_flight {
    uint32_t depth;
    uint32_t room; /* elements of a result */
    atomic_bool is_read;
    union hy_element *results;
    struct hy_place places[HY_MAX_BURST_DEPTH];
};

/* For `depth` <= HY_MAX_BURST_DEPTH requests whose results have at most `room` elements. The waiter
 * is how each thread waits for news. Error: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_in_flight_init(struct hy_in_flight *flight, uint32_t depth,
                                             uint32_t room, const struct hy_waiter *waiter,
                                             struct hy_error *err);
void hy_in_flight_finish(struct hy_in_flight *flight); /* takes a zeroed one, too */

/* A free place, WAITING from now on, with a number that no other has; NULL: there is none. */
struct hy_place *hy_in_flight_take(struct hy_in_flight *flight);

/* The thread of the place has what it wanted, or has sent nothing. */
void hy_place_free(struct hy_place *place);

/* The thread waits no more. False: the result has come meanwhile. */
bool hy_place_abandon(struct hy_place *place);

bool hy_in_flight_has_abandoned(const struct hy_in_flight *flight);

/* How many places are taken, and all slots that their requests name. */
uint32_t hy_in_flight_count(const struct hy_in_flight *flight);
uint64_t hy_in_flight_slots(const struct hy_in_flight *flight);

/* True: the calling thread is the reader now, until it stops. */
bool hy_in_flight_start_reading(struct hy_in_flight *flight);

/* Whoever waits may be the reader now. */
void hy_in_flight_stop_reading(struct hy_in_flight *flight);

/* The reader brings a result to the place whose request has this number. False: there is none. */
bool hy_in_flight_bring(struct hy_in_flight *flight, uint32_t number,
                        const union hy_element *result, uint32_t length);

/* All who wait look again at what is the matter. */
void hy_in_flight_tell_all(struct hy_in_flight *flight);

/* After `dead` of the waiters has become true. */
void hy_in_flight_interrupt(struct hy_in_flight *flight);

#endif
