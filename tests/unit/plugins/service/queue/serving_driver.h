#ifndef HY_TESTS_SERVING_DRIVER_H
#define HY_TESTS_SERVING_DRIVER_H

#include <stdbool.h>

#include "halyard/driver.h"

/*
 * A driver with its own implementation of burst queues, based only on halyard/driver.h and
 * docs/queue-format.md. Its prepared model adds two float tensors.
 */
struct serving_prepared {
    const struct hy_host *host;
    uint32_t served;   /* number of requests */
    uint32_t released; /* number of memories */
    bool pops_pairs;   /* waits for two requests and replies to the second first */
};

/* Members of struct hy_device. */
int32_t serving_driver_burst_serve(void *prepared, const struct hy_burst_queues *queues,
                                   void **burst);
void serving_driver_burst_release(void *burst, uint64_t pool_id);
void serving_driver_burst_close(void *burst);

#endif
