#include "driver_kit/blob_list.h"

#include "driver_kit/checksum.h"
#include "driver_kit/quota_memory.h"

#include <string.h>

/* Keys of the stored blobs, newest first. */
struct list {
    struct hy_blob_list_key keys[HY_BLOB_LIST_LIMIT + 1]; /* space for one key above the limit */
    uint32_t count;
};

struct hy_blob_list_key hy_blob_list_key_of(const struct hy_bytes parts[2])
{
    struct hy_blob_list_key key;
    for (uint32_t i = 0; i < 2; i++) {
        key.lengths[i] = parts[i].length;
        key.checksums[i] = hy_checksum(parts[i].data, parts[i].length);
    }
    return key;
}

bool hy_blob_list_has_engine(const struct hy_host *host)
{
    return HY_HAS(host, blob_store) && HY_HAS(host, blob_load) && HY_HAS(host, blob_remove);
}

void hy_blob_list_remove(const struct hy_host *host, const struct hy_blob_list_key *key)
{
    (void)host->blob_remove(host->context, key, sizeof *key);
}

/* A missing list, or a list of impossible length, counts as empty. */
static void load_list(const struct hy_host *host, const char *name, struct list *list)
{
    const uint64_t capacity = HY_BLOB_LIST_LIMIT * sizeof *list->keys;
    uint64_t length = 0;
    const int32_t status =
        host->blob_load(host->context, name, strlen(name) + 1, list->keys, capacity, &length);
    const bool is_whole =
        status == HY_STATUS_OK && length % sizeof *list->keys == 0 && length <= capacity;
    list->count = is_whole ? (uint32_t)(length / sizeof *list->keys) : 0;
}

static void put_first(struct list *list, const struct hy_blob_list_key *key)
{
    uint32_t left = 1;
    struct hy_blob_list_key before[HY_BLOB_LIST_LIMIT];
    memcpy(before, list->keys, list->count * sizeof *before);
    for (uint32_t i = 0; i < list->count; i++)
        if (memcmp(&before[i], key, sizeof *key) != 0)
            list->keys[left++] = before[i];
    list->keys[0] = *key;
    list->count = left;
}

/* Writes the list first: a process killed before the blob is written leaves a key without a blob,
 * which is harmless. */
void hy_blob_list_store(const struct hy_host *host, const char *name, uint32_t most,
                        const struct hy_blob_list_key *key, const struct hy_bytes *blob)
{
    struct list list;
    if (blob->length > HY_MAX_BLOB)
        return;
    load_list(host, name, &list);
    put_first(&list, key);
    while (list.count > most)
        hy_blob_list_remove(host, &list.keys[--list.count]);
    if (host->blob_store(host->context, name, strlen(name) + 1, list.keys,
                         list.count * sizeof *list.keys) == HY_STATUS_OK)
        (void)host->blob_store(host->context, key, sizeof *key, blob->data, blob->length);
}

/* Loads the length, then the bytes. Another process may replace or remove the blob between the two
 * calls. */
uint8_t *hy_blob_list_load(const struct hy_host *host, const struct hy_blob_list_key *key,
                           uint64_t *length)
{
    uint64_t found = 0;
    if (host->blob_load(host->context, key, sizeof *key, NULL, 0, length) != HY_STATUS_OK ||
        *length == 0)
        return NULL;
    uint8_t *blob = hy_quota_bytes(host, *length);
    if (blob &&
        (host->blob_load(host->context, key, sizeof *key, blob, *length, &found) != HY_STATUS_OK ||
         found != *length)) {
        hy_quota_free(blob);
        blob = NULL;
    }
    return blob;
}
