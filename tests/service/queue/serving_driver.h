#ifndef HY_TESTS_SERVING_DRIVER_H
#define HY_TESTS_SERVING_DRIVER_H

#include <stdbool.h>

#include "halyard/driver.h"

/*
 * A driver that serves its bursts itself, written against halyard/driver.h and docs/queue-format.md
 * alone. A prepared model of it adds two tensors of floats.
 */
struct serving_prepared {
    const struct hy_host *host;
    uint32_t served;   /* requests, right or wrong */
    uint32_t released; /* memories */
    bool takes_pairs;  /* answers no request before there is another one, and that one first */
};

/* Members of struct hy_device. */
int32_t serving_driver_burst_serve(void *prepared, const struct hy_burst_queues *queues,
                                   void **burst);
void serving_driver_burst_release(void *burst, uint64_t pool_id);
void serving_driver_burst_close(void *burst);

#endif
