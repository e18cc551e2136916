#ifndef HY_PLUGINS_SERVICE_QUEUE_BURST_WAIT_H
#define HY_PLUGINS_SERVICE_QUEUE_BURST_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/* How the two sides of a burst wait for each other: HALYARD_BURST_WAIT. */
enum hy_burst_wait {
    HY_BURST_WAIT_ADAPTIVE, /* each side spins for as long as recent waits took, then sleeps */
    HY_BURST_WAIT_BLOCK,    /* each side sleeps at once */
    HY_BURST_WAIT_POLL, /* the client spins until the result arrives; the service spins for the next
                           request until the burst is idle, then sleeps */
};

/* Settings of a waiter, see wait.h. */
struct hy_burst_wait_rules {
    uint64_t spin_ns;
    bool polls;
};

/* Parses "adaptive", "block" or "poll"; NULL gives adaptive. False: another text, and `*ret` is
 * adaptive. */
bool hy_burst_wait_parse(const char *text, enum hy_burst_wait *ret);

struct hy_burst_wait_rules hy_burst_wait_of_client(enum hy_burst_wait wait);
struct hy_burst_wait_rules hy_burst_wait_of_service(enum hy_burst_wait wait);

#endif
