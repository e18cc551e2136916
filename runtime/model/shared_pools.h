#ifndef HY_RUNTIME_MODEL_SHARED_POOLS_H
#define HY_RUNTIME_MODEL_SHARED_POOLS_H

#include "model.h"
#include "runtime/device/runtime_device.h"

/*
 * Copies of large constants in sealed memory of the model, for devices that cannot use the app's
 * memory. The constants are copied once for all compilations and devices. A device without support
 * for host addresses needs a copy of constants at an address. A device in a service process needs a
 * copy of memory that the service could change for other devices, see runtime/memory/seals.h.
 * Without such devices nothing is copied.
 */
struct hy_shared_pools;

/*
 * Returns pools with the numbers and contents of the view's pools, for the devices in the list that
 * need copies. The pools live as long as the model. `*ret` is NULL if no device needs a copy or the
 * model has nothing to copy. For finished models; any thread. Errors: OUT_OF_MEMORY; FAILED,
 * UNMAPPABLE (the system refused, or a file was truncated).
 */
HY_MUST_CHECK enum hy_code hy_app_model_make_shared_pools(
    const struct hy_app_model *model, const struct hy_runtime_device *const *devices,
    uint32_t device_count, const struct hy_pool **ret, struct hy_error *err);

/* Returns the view, or a part of the view, for a device: `copy` with the pools of `shared` if the
 * device needs them, otherwise `model`. */
const struct hy_model *hy_shared_pools_show(const struct hy_model *model,
                                            const struct hy_pool *shared,
                                            const struct hy_runtime_device *device,
                                            struct hy_model *copy);

void hy_shared_pools_destroy(struct hy_shared_pools *shared); /* NULL is allowed */

#endif
