#ifndef HY_RUNTIME_PLAN_PREPARE_H
#define HY_RUNTIME_PLAN_PREPARE_H

#include "runtime/plan/plan.h"

/*
 * Compiles a model on a device with the settings of the request, and without a cache; the driver's
 * answer is checked. Errors: what the driver said, with its words.
 */
HY_MUST_CHECK enum hy_code hy_prepare(const struct hy_runtime_device *device,
                                      const struct hy_model *model,
                                      const struct hy_plan_request *request, void **ret,
                                      struct hy_error *err);

/*
 * Takes the prepared model from the request's cache. False: it is not there, and hy_prepare_kept is
 * next. `session` stays where it is until the prepared model is gone, then hy_cache_session_finish
 * (also after false).
 */
HY_MUST_CHECK bool hy_prepare_restored(const struct hy_runtime_device *device,
                                       const struct hy_model *model,
                                       const struct hy_plan_request *request,
                                       struct hy_cache_session *session, void **ret);

/* hy_prepare, and keeps the prepared model in the cache that had none, with the same `session`. */
HY_MUST_CHECK enum hy_code hy_prepare_kept(const struct hy_runtime_device *device,
                                           const struct hy_model *model,
                                           const struct hy_plan_request *request,
                                           struct hy_cache_session *session, void **ret,
                                           struct hy_error *err);

/* Gives back a prepared model of the device. */
void hy_prepared_destroy(const struct hy_runtime_device *device, void *prepared);

#endif
