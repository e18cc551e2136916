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
 * The same with the request's caching. `outcome` is zeroed before; it stays where it is until the
 * prepared model is gone, then hy_cache_session_finish (also after an error).
 */
HY_MUST_CHECK enum hy_code hy_prepare_cached(const struct hy_runtime_device *device,
                                             const struct hy_model *model,
                                             const struct hy_plan_request *request,
                                             struct hy_cache_session *session, void **ret,
                                             struct hy_error *err);

#endif
