#ifndef HY_RUNTIME_CACHE_IDENTITY_H
#define HY_RUNTIME_CACHE_IDENTITY_H

#include "runtime/cache/setting.h"
#include "runtime/device/runtime_device.h"
#include "runtime/extension/attributes.h"

/* A model with its device and compile settings. The struct owns nothing. */
struct hy_cache_subject {
    const struct hy_runtime_device *device;
    const struct hy_model *model;
    const struct hy_attributes *attributes;
    int32_t preference;
    int32_t priority;
};

/*
 * Makes the token of a prepared model: equal tokens mean equal prepared models. `caching` may be
 * NULL: no token of the app is included. Reads all constants of the model. Errors: those of
 * hy_token_make.
 */
HY_MUST_CHECK enum hy_code hy_cache_identify(const struct hy_caching *caching,
                                             const struct hy_cache_subject *subject,
                                             uint8_t token[HY_TOKEN_SIZE], struct hy_error *err);

#endif
