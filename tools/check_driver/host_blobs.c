#include "tools/check_driver/host_blobs.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "tools/check_driver/host_records.h"

static atomic_int mode; /* enum hy_host_blobs */
static atomic_uint stored;

void hy_host_blobs_set(enum hy_host_blobs blobs)
{
    atomic_store(&mode, (int)blobs);
}

unsigned hy_host_blobs_stored(void)
{
    return atomic_load(&stored);
}

static bool is(enum hy_host_blobs blobs)
{
    return atomic_load(&mode) == (int)blobs;
}

static bool is_key(uint64_t length)
{
    return length > 0 && length <= HY_MAX_BLOB_KEY;
}

static int32_t blob_store(void *context, const void *key, uint64_t key_length, const void *blob,
                          uint64_t blob_length)
{
    (void)context;
    atomic_fetch_add(&stored, 1);
    if (!is_key(key_length) || blob_length > HY_MAX_BLOB)
        return HY_STATUS_INVALID_ARGUMENT;
    return !is(HY_BLOBS_REFUSED) &&
                   hy_record_store(HY_RECORD_BLOB, key, key_length, blob, blob_length)
               ? HY_STATUS_OK
               : HY_STATUS_GENERAL_FAILURE;
}

static int32_t blob_load(void *context, const void *key, uint64_t key_length, void *blob,
                         uint64_t capacity, uint64_t *blob_length)
{
    (void)context;
    if (!is_key(key_length))
        return HY_STATUS_INVALID_ARGUMENT;
    if (is(HY_BLOBS_REFUSED))
        return HY_STATUS_GENERAL_FAILURE;
    if (is(HY_BLOBS_LOST) || (is(HY_BLOBS_GOING) && capacity > 0))
        hy_record_remove(HY_RECORD_BLOB, key, key_length);
    const int64_t length = hy_record_load(HY_RECORD_BLOB, key, key_length, blob, capacity);
    *blob_length = length < 0 ? 0 : (uint64_t)length;
    return HY_STATUS_OK;
}

static int32_t blob_remove(void *context, const void *key, uint64_t key_length)
{
    (void)context;
    if (!is_key(key_length))
        return HY_STATUS_INVALID_ARGUMENT;
    if (is(HY_BLOBS_REFUSED))
        return HY_STATUS_GENERAL_FAILURE;
    hy_record_remove(HY_RECORD_BLOB, key, key_length);
    return HY_STATUS_OK;
}

void hy_host_blobs_add(struct hy_host *host)
{
    host->blob_store = blob_store;
    host->blob_load = blob_load;
    host->blob_remove = blob_remove;
}
