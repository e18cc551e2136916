#ifndef HY_TESTS_RUNTIME_KIT_CACHING_DEVICE_H
#define HY_TESTS_RUNTIME_KIT_CACHING_DEVICE_H

#include "runtime/device/device.h"

#include <stdatomic.h>
#include <stdbool.h>

/*
 * A device for tests, made in place, that caches: it adds a constant to (or multiplies by one) four
 * floats, in models of that one operation. One model cache file holds the operation, one data cache
 * file the constant, through the host's cache_save and cache_restore.
 */
enum caching_fault {
    CACHING_HONEST,
    CACHING_WRITES_NOTHING,
    CACHING_PREPARE_FAILS,
    CACHING_RESTORE_FAILS,
    CACHING_RESTORE_GIVES_NOTHING, /* success, without a prepared model */
    CACHING_RESTORE_IS_BUSY,
    CACHING_RESTORE_DIES,
    CACHING_PREPARE_DIES_OF_FILES, /* that are not empty */
    CACHING_PREPARE_FAILS_OF_FILES,
    CACHING_WRITES_LATER, /* caching_device_write begins and commits */
    CACHING_KEEPS_OPEN,   /* the same, into descriptors of its own */
    CACHING_SAVES_AGAIN,  /* into the files that it has restored from; bad manners */
    CACHING_WRITES_OTHER, /* one byte more than there is to say */
    CACHING_EMPTIES,      /* the files that it has restored from; save_status says if it can */
};

struct caching_device {
    struct hy_runtime_device device;
    struct hy_device table;
    struct hy_device_work work;
    struct hy_operand_performance performance;
    const struct hy_host *host;
    int32_t operation; /* ADD or MUL */
    enum caching_fault fault;
    atomic_bool *tears; /* becomes true while it computes from restored data, which is zeros then;
                           NULL: they stay */

    /* What it saw. */
    atomic_uint prepare_count, restore_count, alive;
    uint32_t last_model_files, last_data_files; /* of the last call of either */
    uint64_t last_bytes;                        /* in them, before anything was written */
    bool has_token;
    uint8_t last_token[HY_TOKEN_SIZE];
    int32_t save_status, restore_status; /* what the host said last */
    void *last_prepared;
};

void caching_device_init(struct caching_device *device, const char *name, int32_t operation);
void caching_device_finish(struct caching_device *device);

/* For those who write later: whether it worked. */
bool caching_device_write(struct caching_device *device, void *prepared, bool keep);

#endif
