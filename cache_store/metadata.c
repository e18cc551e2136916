#include "cache_store/metadata.h"

#include "cache_store/digest/file_digest.h"

#include <string.h>

/* ---- Fields ---------------------------------------------------------------------------------- */

static void set_text(char *to, const char *from)
{
    const size_t length = from ? strnlen(from, HY_METADATA_MAX_TEXT) : 0;

    memset(to, 0, HY_METADATA_MAX_TEXT + 1);
    if (length > 0)
        memcpy(to, from, length);
}

void hy_metadata_set_info(struct hy_metadata *metadata, const struct hy_entry_info *info)
{
    set_text(metadata->device, info->device);
    set_text(metadata->device_version, info->version);
    set_text(metadata->build_id, info->build_id);
    metadata->operations = info->operations;
    metadata->preference = info->preference;
    metadata->priority = info->priority;
}

struct hy_entry_info hy_metadata_info(const struct hy_metadata *metadata)
{
    return (struct hy_entry_info){
        .device = metadata->device,
        .version = metadata->device_version,
        .build_id = metadata->build_id,
        .operations = metadata->operations,
        .preference = metadata->preference,
        .priority = metadata->priority,
    };
}

/* ---- The record ------------------------------------------------------------------------------ */

void hy_metadata_seal(struct hy_metadata *metadata)
{
    metadata->magic = HY_METADATA_MAGIC;
    metadata->version = HY_METADATA_VERSION;
    hy_bytes_digest(metadata, offsetof(struct hy_metadata, check), metadata->check);
}

static bool ends(const char *text)
{
    return memchr(text, '\0', HY_METADATA_MAX_TEXT + 1) != NULL;
}

static bool has_lengths(const struct hy_metadata_file *files)
{
    for (uint32_t i = 0; i < HY_MAX_CACHE_FILES; i++) {
        if (files[i].length > INT64_MAX)
            return false;
    }
    return true;
}

/* A process that can compute a valid checksum may still write impossible values. */
static enum hy_code check_members(const struct hy_metadata *metadata, struct hy_error *err)
{
    if (metadata->counts.model > HY_MAX_CACHE_FILES || metadata->counts.data > HY_MAX_CACHE_FILES)
        return hy_fail(err, HY_BAD_DATA, "metadata: %u model and %u data files, at most %u each",
                       metadata->counts.model, metadata->counts.data, HY_MAX_CACHE_FILES);
    if (!has_lengths(metadata->model) || !has_lengths(metadata->data))
        return hy_fail(err, HY_BAD_DATA, "metadata: a file length is above the limit");
    if (!ends(metadata->device) || !ends(metadata->device_version) || !ends(metadata->build_id))
        return hy_fail(err, HY_BAD_DATA, "metadata: a text has no final NUL");
    if (metadata->is_kept_open > 1)
        return hy_fail(err, HY_BAD_DATA, "metadata: is_kept_open is %u, needs 0 or 1",
                       metadata->is_kept_open);
    return HY_OK;
}

enum hy_code hy_metadata_check(const struct hy_metadata *metadata, uint64_t length,
                               struct hy_error *err)
{
    uint8_t check[sizeof metadata->check];

    if (length != sizeof *metadata)
        return hy_fail(err, HY_BAD_DATA, "metadata has %llu bytes, needs %zu",
                       (unsigned long long)length, sizeof *metadata);
    if (metadata->magic != HY_METADATA_MAGIC || metadata->version != HY_METADATA_VERSION)
        return hy_fail(err, HY_BAD_DATA, "metadata: magic %#x, version %u, needs %#x and %u",
                       metadata->magic, metadata->version, HY_METADATA_MAGIC, HY_METADATA_VERSION);
    hy_bytes_digest(metadata, offsetof(struct hy_metadata, check), check);
    if (memcmp(check, metadata->check, sizeof check) != 0)
        return hy_fail(err, HY_BAD_DATA, "metadata: the checksum is wrong");
    return check_members(metadata, err);
}
