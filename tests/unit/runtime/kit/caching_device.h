#ifndef HY_TESTS_UNIT_RUNTIME_KIT_CACHING_DEVICE_H
#define HY_TESTS_UNIT_RUNTIME_KIT_CACHING_DEVICE_H

#include "runtime/device/runtime_device.h"

#include <stdatomic.h>
#include <stdbool.h>

/*
 * A fake device with caching. Supports models with one ADD or MUL of four floats and a constant.
 * The model cache file holds the operation, and the data cache file the constant. Uses the host's
 * cache_save and cache_restore.
 */
enum caching_fault {
    CACHING_HONEST,
    CACHING_WRITES_NOTHING,
    CACHING_PREPARE_FAILS,
    CACHING_RESTORE_FAILS,
    CACHING_RESTORE_GIVES_NOTHING, /* success without a prepared model */
    CACHING_RESTORE_IS_BUSY,
    CACHING_RESTORE_DIES,
    CACHING_PREPARE_DIES_OF_FILES, /* for non-empty files */
    CACHING_PREPARE_FAILS_OF_FILES,
    CACHING_WRITES_DEFERRED, /* caching_device_write begins and commits */
    CACHING_HOLDS_OPEN,      /* later writes go to its own descriptors */
    CACHING_SAVES_AGAIN,     /* into the restored files; not allowed */
    CACHING_WRITES_OTHER,    /* one byte too many */
    CACHING_EMPTIES,         /* truncates the restored files; result in save_status */
};

struct caching_device {
    struct hy_runtime_device device;
    struct hy_device table;
    struct hy_device_work work;
    struct hy_operand_performance performance;
    const struct hy_host *host;
    int32_t operation; /* ADD or MUL */
    enum caching_fault fault;
    /* Set while computing from restored data, with zeros in place of the data. NULL: no simulated
     * truncation. */
    atomic_bool *tears;

    /* Observations. */
    atomic_uint prepare_count, restore_count, alive;
    uint32_t last_model_files, last_data_files; /* of the last prepare or restore */
    uint64_t last_bytes;                        /* bytes in the files before writing */
    bool has_token;
    uint8_t last_token[HY_TOKEN_SIZE];
    int32_t save_status, restore_status; /* last results of the host */
    void *last_prepared;
};

void caching_device_init(struct caching_device *device, const char *name, int32_t operation);
void caching_device_finish(struct caching_device *device);

/* Writes later. Returns whether the write succeeded. */
bool caching_device_write(struct caching_device *device, void *prepared, bool keep);

#endif
