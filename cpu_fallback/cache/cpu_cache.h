#ifndef HY_CPU_FALLBACK_CACHE_CPU_CACHE_H
#define HY_CPU_FALLBACK_CACHE_CPU_CACHE_H

#include "cpu_fallback/cpu_device.h"
#include "cpu_fallback/cpu_prepared.h"

/*
 * The cache files of a device: one model cache file and one data cache file. format.h defines their
 * contents; the host stores them.
 */
#define HY_CPU_CACHE_FILES 1u

/* Identifies the build and the kernels that wrote the files. Weights packed for one instruction set
 * do not serve another. */
struct hy_cpu_cache_identity {
    char text[128];
};

/* identity.c */
struct hy_cpu_cache_identity hy_cpu_cache_identity_of(const struct hy_cpu_device *device);

/* True if the device caches and the host has all functions for cache files. */
bool hy_cpu_cache_is_offered(const struct hy_cpu_device *device);

/*
 * Writes a freshly prepared model to the cache files of the options, if any. Errors are only
 * logged.
 */
void hy_cpu_cache_save(const struct hy_cpu_device *device, const struct hy_prepare_options *options,
                       const struct hy_cpu_prepared *prepared);

/* True if the host can replace the entry of these options after prepare has returned. */
bool hy_cpu_cache_can_update(const struct hy_cpu_device *device,
                             const struct hy_prepare_options *options);

/*
 * Replaces the cache entry of a prepared model that has been tuned. Executions may run meanwhile.
 * After an error the old entry remains, or none. Errors: HY_FAILED (the host refuses),
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_cache_update(const struct hy_cpu_device *device,
                                               const uint8_t *token,
                                               const struct hy_cpu_prepared *prepared,
                                               struct hy_error *err);

/*
 * Prepares a model from the cache files of the options alone. Constants and packed weights stay in
 * memory mapped by the host until the prepared model is destroyed. Errors: HY_FAILED (no cache
 * files, or the host rejects them), and those of hy_cpu_cache_read and hy_cpu_prepared_create.
 */
HY_MUST_CHECK enum hy_code hy_cpu_cache_restore(const struct hy_cpu_device *device,
                                                const struct hy_prepare_options *options,
                                                struct hy_cpu_prepared **out, struct hy_error *err);

#endif
