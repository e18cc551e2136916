#ifndef HY_TESTS_SHIPPED_DRIVERS_SCENE_H
#define HY_TESTS_SHIPPED_DRIVERS_SCENE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "halyard/driver.h"
#include "support/model_builder.h"

/*
 * A driver (DRIVER_PATH) on a host that counts how often it is asked for an address, with a model
 * that adds two tensors, and memory to add in.
 */
enum { SCENE_EXTENT = 1024, SCENE_MEMORIES = 6 };

#define SCENE_MEMFD "halyard-burst-memory"

/* One tensor in a memfd. The host alone has it mapped, and only once a driver has asked for it: the
 * test reads and writes through the descriptor. */
struct scene_memory {
    int fd;
    uint64_t id;
    void *address;         /* of the host; NULL: not mapped */
    atomic_uint map_calls; /* hy_host.map */
};

struct scene {
    struct hy_host host;
    const struct hy_device *table;
    const struct hy_driver *driver;
    void *instance, *device, *prepared;
    struct hy_builder builder;
    struct scene_memory memories[SCENE_MEMORIES];
};

/* False, and a failed test: the driver cannot be opened. `abi` is the host's. */
bool scene_open(struct scene *scene, uint32_t abi);
void scene_close(struct scene *scene);

/* Fills memory `index` with `value`; the first element of it, or NAN where they differ. */
void scene_fill(struct scene *scene, unsigned index, float value);
float scene_value(const struct scene *scene, unsigned index);

/* memories[out] = memories[a] + memories[b], with room for the answer. Stays where it is. */
struct scene_request {
    struct hy_pool pools[3];
    struct hy_argument arguments[3];
    struct hy_request view;
    struct hy_run_options options;
    struct hy_output_shape shape;
    struct hy_result result;
};

void scene_request_init(struct scene_request *request, const struct scene *scene, unsigned a,
                        unsigned b, unsigned out);

/* Runs such a request in a burst, or in none with NULL. */
int32_t scene_add(struct scene *scene, void *burst, unsigned a, unsigned b, unsigned out);

/* The host unmaps the memory; what touches the place from then on faults. */
void scene_unmap(struct scene *scene, unsigned index);

/* Calls of hy_host.map for all memories so far. */
unsigned scene_map_calls(const struct scene *scene);

/* Lines of /proc/self/maps that show memory of a scene. */
unsigned scene_mappings(void);

#endif
