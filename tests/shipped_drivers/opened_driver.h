#ifndef HY_TESTS_SHIPPED_DRIVERS_OPENED_DRIVER_H
#define HY_TESTS_SHIPPED_DRIVERS_OPENED_DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "halyard/driver.h"
#include "support/model_builder.h"

/*
 * A driver (DRIVER_PATH) on a host that counts how often it is asked for an address, with a model
 * that adds two tensors, and memory to add in.
 */
enum { OPENED_EXTENT = 1024, OPENED_MEMORIES = 6 };

#define OPENED_MEMFD "halyard-burst-memory"

/* One tensor in a memfd. The host alone has it mapped, and only once a driver has asked for it: the
 * test reads and writes through the descriptor. */
struct opened_memory {
    int fd;
    uint64_t id;
    void *address;         /* of the host; NULL: not mapped */
    atomic_uint map_calls; /* hy_host.map */
};

struct opened_driver {
    struct hy_host host;
    const struct hy_device *table;
    const struct hy_driver *driver;
    void *instance, *device, *prepared;
    struct hy_builder builder;
    struct opened_memory memories[OPENED_MEMORIES];
};

/* False, and a failed test: the driver cannot be opened. `abi` is the host's. */
bool opened_open(struct opened_driver *opened, uint32_t abi);
void opened_close(struct opened_driver *opened);

/* Fills memory `index` with `value`; the first element of it, or NAN where they differ. */
void opened_fill(struct opened_driver *opened, unsigned index, float value);
float opened_value(const struct opened_driver *opened, unsigned index);

/* memories[out] = memories[a] + memories[b], with room for the answer. Stays where it is. */
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

/* Runs such a request in a burst, or in none with NULL. */
int32_t opened_add(struct opened_driver *opened, void *burst, unsigned a, unsigned b, unsigned out);

/* The host unmaps the memory; what touches the place from then on faults. */
void opened_unmap(struct opened_driver *opened, unsigned index);

/* Calls of hy_host.map for all memories so far. */
unsigned opened_map_calls(const struct opened_driver *opened);

/* Lines of /proc/self/maps that show memory of an opened driver. */
unsigned opened_mappings(void);

#endif
