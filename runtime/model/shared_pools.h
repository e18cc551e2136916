#ifndef HY_RUNTIME_MODEL_SHARED_POOLS_H
#define HY_RUNTIME_MODEL_SHARED_POOLS_H

#include "model.h"
#include "runtime/device/device.h"

/*
 * Large constants that devices do not get where the app has them, copied once into sealed memory of
 * the model's, however many compilations and devices there are. Devices that take no memory by
 * address do not get what lies at one. Devices in processes of their own do not get memory that
 * they could change for other devices, see runtime/memory/seals.h. A model without such a device
 * among those it meets never has a copy.
 */
struct hy_shared_pools;

/*
 * Pools with the numbers and contents of the view's, for devices among these that need them: they
 * live as long as the model. `*ret` is NULL where no device does, or nothing is to be copied.
 * Finished models; any thread. Errors: OUT_OF_MEMORY; FAILED, UNMAPPABLE (the system refused, or a
 * file became shorter).
 */
HY_MUST_CHECK enum hy_code hy_app_model_share_pools(const struct hy_app_model *model,
                                                    const struct hy_runtime_device *const *devices,
                                                    uint32_t device_count,
                                                    const struct hy_pool **ret,
                                                    struct hy_error *err);

/* The view, or a part of it, as the device is to see it: `copy` where it needs `shared`. */
const struct hy_model *hy_shared_pools_show(const struct hy_model *model,
                                            const struct hy_pool *shared,
                                            const struct hy_runtime_device *device,
                                            struct hy_model *copy);

void hy_shared_pools_destroy(struct hy_shared_pools *shared); /* takes NULL */

#endif
