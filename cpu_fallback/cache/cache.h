#ifndef HY_CPU_FALLBACK_CACHE_CACHE_H
#define HY_CPU_FALLBACK_CACHE_CACHE_H

#include "cpu_fallback/device.h"
#include "cpu_fallback/prepared.h"

/*
 * The cache files of a device: what they say is in format.h, how they are kept is the host's. One
 * file of each kind, where the device and the host can.
 */
#define HY_CPU_CACHE_FILES 1u

/* Files fit one build and one set of kernels: weights packed for one set of instructions are of no
 * use to another. */
struct hy_cpu_cache_identity {
    char text[128];
};

/* identity.c */
struct hy_cpu_cache_identity hy_cpu_cache_identity_of(const struct hy_cpu_device *device);

/* True when the host does for the device what cache files ask of a driver. */
bool hy_cpu_cache_is_offered(const struct hy_cpu_device *device);

/*
 * Writes a model that has just been prepared to the cache files of the options, if there are any.
 * Trouble with that is logged and nothing more.
 */
void hy_cpu_cache_save(const struct hy_cpu_device *device, const struct hy_prepare_options *options,
                       const struct hy_cpu_prepared *prepared);

/* True when an entry of these options can be replaced after prepare has returned. */
bool hy_cpu_cache_can_update(const struct hy_cpu_device *device,
                             const struct hy_prepare_options *options);

/*
 * Puts a new entry in the place of the one of a prepared model, which has been tuned since and may
 * be executed meanwhile. Errors: HY_FAILED (the host does not take it), HY_OUT_OF_MEMORY; the old
 * entry is there then, or none.
 */
HY_MUST_CHECK enum hy_code hy_cpu_cache_update(const struct hy_cpu_device *device,
                                               const uint8_t *token,
                                               const struct hy_cpu_prepared *prepared,
                                               struct hy_error *err);

/*
 * Prepares a model from the cache files of the options alone; constants and packed weights stay
 * where the host maps them until the prepared model is destroyed. Errors: HY_FAILED (no cache, or
 * files that the host does not vouch for), and those of hy_cpu_cache_read and
 * hy_cpu_prepared_create.
 */
HY_MUST_CHECK enum hy_code hy_cpu_cache_restore(const struct hy_cpu_device *device,
                                                const struct hy_prepare_options *options,
                                                struct hy_cpu_prepared **out, struct hy_error *err);

#endif
