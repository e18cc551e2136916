#ifndef HY_RUNTIME_PLAN_PREPARE_H
#define HY_RUNTIME_PLAN_PREPARE_H

#include "runtime/plan/plan.h"

/*
 * Compiles a model on a device with the settings of the request, without a cache, and checks the
 * driver's result. Errors: those of the driver, with its text.
 */
HY_MUST_CHECK enum hy_code hy_prepare(const struct hy_runtime_device *device,
                                      const struct hy_model *model,
                                      const struct hy_plan_request *request, void **ret,
                                      struct hy_error *err);

/*
 * Restores a prepared model from the cache of the request. False: no usable entry; call
 * hy_prepare_and_cache next. `session` must not move in memory until the prepared model is
 * destroyed; then, and also after false, call hy_cache_session_finish.
 */
HY_MUST_CHECK bool hy_prepare_restored(const struct hy_runtime_device *device,
                                       const struct hy_model *model,
                                       const struct hy_plan_request *request,
                                       struct hy_cache_session *session, void **ret);

/* Like hy_prepare, and stores the prepared model in the cache. Call with the `session` of
 * hy_prepare_restored. */
HY_MUST_CHECK enum hy_code hy_prepare_and_cache(const struct hy_runtime_device *device,
                                                const struct hy_model *model,
                                                const struct hy_plan_request *request,
                                                struct hy_cache_session *session, void **ret,
                                                struct hy_error *err);

/* Destroys a prepared model of the device. */
void hy_prepared_destroy(const struct hy_runtime_device *device, void *prepared);

#endif
