#ifndef HY_PLUGINS_SERVICE_QUEUE_BURST_WAIT_H
#define HY_PLUGINS_SERVICE_QUEUE_BURST_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/* How the two ends of a burst wait for each other: HALYARD_BURST_WAIT. */
enum hy_burst_wait {
    HY_BURST_WAIT_ADAPTIVE, /* each end looks for as long as waits took of late, then sleeps */
    HY_BURST_WAIT_BLOCK,    /* each end sleeps at once */
    HY_BURST_WAIT_POLL,     /* the client looks until the result comes; the service looks for the
                               next request until the burst is idle, and sleeps then */
};

/* What a waiter (wait.h) is to do. */
struct hy_burst_wait_rules {
    uint64_t spin_ns;
    bool polls;
};

/* "adaptive", "block" or "poll"; NULL is adaptive. False: another text, and adaptive is given. */
bool hy_burst_wait_parse(const char *text, enum hy_burst_wait *ret);

struct hy_burst_wait_rules hy_burst_wait_of_client(enum hy_burst_wait wait);
struct hy_burst_wait_rules hy_burst_wait_of_service(enum hy_burst_wait wait);

#endif
