#ifndef HY_TESTS_SCENARIOS_SHIPPED_DRIVERS_OPENED_DRIVER_H
#define HY_TESTS_SCENARIOS_SHIPPED_DRIVERS_OPENED_DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "halyard/driver.h"
#include "tests/kit/model_builder.h"

/*
 * A driver (DRIVER_PATH) on a host with counters for address requests. Has a model for adding two
 * tensors, and memory for the tensors.
 */
enum { OPENED_EXTENT = 1024, OPENED_MEMORIES = 6 };

#define OPENED_MEMFD "halyard-burst-memory"

/* A tensor in a memfd. Only the host maps the memory, at the first request of a driver. The test
 * reads and writes through the descriptor. */
struct opened_memory {
    int fd;
    uint64_t id;
    void *address;         /* host's mapping; NULL: not mapped */
    atomic_uint map_calls; /* number of hy_host.map calls */
};

struct opened_driver {
    struct hy_host host;
    const struct hy_device *table;
    const struct hy_driver *driver;
    void *instance, *device, *prepared;
    struct hy_builder builder;
    struct opened_memory memories[OPENED_MEMORIES];
};

/* Opens the driver on a host with ABI `abi`. On failure records a test failure and returns
 * false. */
bool opened_open(struct opened_driver *opened, uint32_t abi);
void opened_close(struct opened_driver *opened);

/* opened_fill sets all elements of a memory to `value`. opened_value returns the first element, or
 * NAN if elements differ. */
void opened_fill(struct opened_driver *opened, unsigned index, float value);
float opened_value(const struct opened_driver *opened, unsigned index);

/* The request memories[out] = memories[a] + memories[b], with its result. Must not move in
 * memory. */
struct opened_request {
    struct hy_pool pools[3];
    struct hy_argument arguments[3];
    struct hy_request view;
    struct hy_run_options options;
    struct hy_output_shape shape;
    struct hy_result result;
};

void opened_request_init(struct opened_request *request, const struct opened_driver *opened,
                         unsigned a, unsigned b, unsigned out);

/* Runs an addition in a burst, or without a burst if NULL. */
int32_t opened_add(struct opened_driver *opened, void *burst, unsigned a, unsigned b, unsigned out);

/* Unmaps the memory in the host. Later accesses to the address fault. */
void opened_unmap(struct opened_driver *opened, unsigned index);

/* Total hy_host.map calls of all memories. */
unsigned opened_map_calls(const struct opened_driver *opened);

/* Number of /proc/self/maps lines for memory of an opened driver. */
unsigned opened_mappings(void);

#endif
