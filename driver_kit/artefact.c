#include "driver_kit/artefact.h"

#include "driver_kit/quota_memory.h"

#include <string.h>

/* ---- Writing --------------------------------------------------------------------------------- */

/* Allocates one block: the model cache first, then the data files. */
static bool alloc_artefact(const struct hy_host *host, uint64_t model_bytes,
                           const struct hy_bytes *constants, uint32_t constant_count,
                           struct hy_artefact *artefact)
{
    uint64_t total = artefact->model.length = model_bytes;
    for (uint32_t i = 0; i < constant_count; i++) {
        const uint64_t bytes = hy_archive_aligned(constants[i].length);
        artefact->data[i % artefact->data_count].length += bytes;
        total += bytes;
    }
    artefact->model.data = artefact->memory = hy_quota_zeros(host, total, 1);
    uint64_t used = model_bytes;
    for (uint32_t i = 0; artefact->memory && i < artefact->data_count; i++) {
        artefact->data[i].data = artefact->memory + used;
        used += artefact->data[i].length;
    }
    return artefact->memory;
}

static void write_data(const struct hy_bytes *constants, uint32_t count,
                       const struct hy_artefact *artefact)
{
    uint64_t used[HY_MAX_CACHE_FILES] = {0};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t file = i % artefact->data_count;
        if (constants[i].length > 0)
            memcpy((uint8_t *)artefact->data[file].data + used[file], constants[i].data,
                   constants[i].length);
        used[file] += hy_archive_aligned(constants[i].length);
    }
}

/* Creates the part after those of the driver: the number of data files, and the lengths of the
 * constants. The lengths determine the offsets of the constants. */
static uint64_t *make_table(const struct hy_host *host, const struct hy_bytes *constants,
                            uint32_t count, uint32_t data_count)
{
    uint64_t *table = hy_quota_zeros(host, (uint64_t)count + 1, sizeof *table);
    if (!table)
        return NULL;
    table[0] = data_count;
    for (uint32_t i = 0; i < count; i++)
        table[i + 1] = constants[i].length;
    return table;
}

bool hy_artefact_make(const struct hy_host *host, const char format[HY_ARCHIVE_FORMAT_SIZE],
                      const struct hy_bytes *parts, uint32_t part_count,
                      const struct hy_bytes *constants, uint32_t constant_count,
                      uint32_t data_count, struct hy_artefact *artefact)
{
    struct hy_bytes all[HY_ARCHIVE_MAX_PARTS];
    uint64_t *table = make_table(host, constants, constant_count, data_count);
    *artefact = (struct hy_artefact){.data_count = data_count};
    memcpy(all, parts, part_count * sizeof *parts);
    all[part_count] = (struct hy_bytes){table, ((uint64_t)constant_count + 1) * sizeof *table};
    const bool made = table && alloc_artefact(host, hy_archive_bytes(all, part_count + 1),
                                              constants, constant_count, artefact);
    if (made) {
        hy_archive_write(format, all, part_count + 1, artefact->memory);
        write_data(constants, constant_count, artefact);
    }
    hy_quota_free(table);
    return made;
}

void hy_artefact_finish(struct hy_artefact *artefact)
{
    hy_quota_free(artefact->memory);
    *artefact = (struct hy_artefact){0};
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct hy_artefact hy_artefact_of(const struct hy_restored *restored, uint32_t data_count)
{
    struct hy_artefact artefact = {.model = restored->model[0], .data_count = data_count};
    memcpy(artefact.data, restored->data, data_count * sizeof *artefact.data);
    return artefact;
}

bool hy_artefact_read(const struct hy_artefact *artefact, const char format[HY_ARCHIVE_FORMAT_SIZE],
                      uint32_t part_count, struct hy_artefact_content *content)
{
    struct hy_bytes parts[HY_ARCHIVE_MAX_PARTS];
    if (!hy_archive_read(&artefact->model, format, parts, part_count + 1))
        return false;
    const uint64_t *table = parts[part_count].data;
    const uint64_t entries = parts[part_count].length / sizeof *table;
    if (entries == 0 || entries > UINT32_MAX || table[0] != artefact->data_count)
        return false;
    *content = (struct hy_artefact_content){
        .part_count = part_count, .constant_count = (uint32_t)entries - 1, .lengths = table + 1};
    memcpy(content->parts, parts, part_count * sizeof *parts);
    return true;
}

bool hy_artefact_find_constants(const struct hy_artefact *artefact,
                                const struct hy_artefact_content *content,
                                struct hy_bytes *constants)
{
    uint64_t used[HY_MAX_CACHE_FILES] = {0};
    for (uint32_t i = 0; i < content->constant_count; i++) {
        const uint32_t file = i % artefact->data_count;
        const uint64_t length = content->lengths[i],
                       left = artefact->data[file].length - used[file];
        if (length > left || hy_archive_aligned(length) > left)
            return false;
        constants[i] = (struct hy_bytes){0};
        if (length > 0)
            constants[i] =
                (struct hy_bytes){(const uint8_t *)artefact->data[file].data + used[file], length};
        used[file] += hy_archive_aligned(length);
    }
    return true;
}

/* ---- As a blob ------------------------------------------------------------------------------- */

static const char blob_format[HY_ARCHIVE_FORMAT_SIZE] = "artefact";

struct hy_blob_list_key hy_artefact_key(const struct hy_artefact *artefact)
{
    return hy_blob_list_key_of((struct hy_bytes[]){artefact->model, artefact->data[0]});
}

void hy_artefact_store(const struct hy_host *host, const char *list, uint32_t most,
                       const struct hy_blob_list_key *key, const struct hy_artefact *artefact)
{
    const struct hy_bytes parts[] = {artefact->model, artefact->data[0]};
    const uint64_t length = hy_archive_bytes(parts, 2);
    uint8_t *blob = length <= HY_MAX_BLOB ? hy_quota_bytes(host, length) : NULL;
    if (!blob)
        return;
    hy_archive_write(blob_format, parts, 2, blob);
    hy_blob_list_store(host, list, most, key, &(struct hy_bytes){blob, length});
    hy_quota_free(blob);
}

/* The host has verified the stored bytes; the lengths are still checked. */
bool hy_artefact_load(const struct hy_host *host, const struct hy_blob_list_key *key,
                      struct hy_artefact *artefact)
{
    struct hy_bytes parts[2];
    uint64_t length = 0;
    *artefact = (struct hy_artefact){0};
    uint8_t *blob = hy_blob_list_load(host, key, &length);
    if (!blob)
        return false;
    if (!hy_archive_read(&(struct hy_bytes){blob, length}, blob_format, parts, 2)) {
        hy_quota_free(blob);
        hy_blob_list_remove(host, key);
        return false;
    }
    *artefact = (struct hy_artefact){
        .model = parts[0], .data = {parts[1]}, .data_count = 1, .memory = blob};
    return true;
}
