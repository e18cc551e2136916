#include "blobs.h"

#include "artefact.h"
#include "driver_kit/archive.h"
#include "driver_kit/checksum.h"
#include "driver_kit/quota_memory.h"

#include <string.h>

/* A blob is an archive: the bytes of the model, then those of the constants. */
static const char format[HY_ARCHIVE_FORMAT_SIZE] = "smplblob";

/* The key of the list; no program has it, since theirs are longer. */
static const char list_name[] = "programs";

/* Keys of the programs that are stored, the latest first. */
struct list {
    struct sample_blob_key keys[SAMPLE_MAX_BLOBS + 1]; /* one more than is kept */
    uint32_t count;
};

static bool has_engine(const struct hy_host *host)
{
    return HY_HAS(host, blob_store) && HY_HAS(host, blob_load) && HY_HAS(host, blob_remove);
}

bool sample_blob_key_make(const struct sample_program *plain, struct sample_blob_key *key)
{
    struct sample_artefact artefact = {0};
    const bool made = has_engine(plain->host) && sample_artefact_make(plain, 1, &artefact);
    if (made)
        *key = (struct sample_blob_key){
            .model_length = artefact.model.length,
            .data_length = artefact.data[0].length,
            .model_sum = hy_checksum(artefact.model.data, artefact.model.length),
            .data_sum = hy_checksum(artefact.data[0].data, artefact.data[0].length),
        };
    sample_artefact_finish(&artefact);
    return made;
}

static void remove_program(const struct hy_host *host, const struct sample_blob_key *key)
{
    (void)host->blob_remove(host->context, key, sizeof *key);
}

/* ---- The list of programs -------------------------------------------------------------------- */

/* A list that is missing, or of another length than one of ours can have, is empty. */
static void load_list(const struct hy_host *host, struct list *list)
{
    uint64_t length = 0;
    const int32_t status = host->blob_load(host->context, list_name, sizeof list_name, list->keys,
                                           SAMPLE_MAX_BLOBS * sizeof *list->keys, &length);
    const bool is_whole = status == HY_STATUS_OK && length % sizeof *list->keys == 0 &&
                          length <= SAMPLE_MAX_BLOBS * sizeof *list->keys;
    list->count = is_whole ? (uint32_t)(length / sizeof *list->keys) : 0;
}

static void put_first(struct list *list, const struct sample_blob_key *key)
{
    uint32_t left = 1;
    struct sample_blob_key before[SAMPLE_MAX_BLOBS];
    memcpy(before, list->keys, list->count * sizeof *before);
    for (uint32_t i = 0; i < list->count; i++)
        if (memcmp(&before[i], key, sizeof *key) != 0)
            list->keys[left++] = before[i];
    list->keys[0] = *key;
    list->count = left;
}

/* Before the program is stored: a process that is killed in between leaves a line without one,
 * which does no harm. */
static bool note_program(const struct hy_host *host, const struct sample_blob_key *key,
                         uint32_t most)
{
    struct list list;
    load_list(host, &list);
    put_first(&list, key);
    while (list.count > most)
        remove_program(host, &list.keys[--list.count]);
    return host->blob_store(host->context, list_name, sizeof list_name, list.keys,
                            list.count * sizeof *list.keys) == HY_STATUS_OK;
}

/* ---- Programs -------------------------------------------------------------------------------- */

void sample_blob_store(const struct hy_host *host, const struct sample_blob_key *key, uint32_t most,
                       const struct sample_program *program)
{
    struct sample_artefact artefact = {0};
    if (!sample_artefact_make(program, 1, &artefact))
        return;
    const struct hy_bytes parts[] = {artefact.model, artefact.data[0]};
    const uint64_t length = hy_archive_bytes(parts, 2);
    uint8_t *blob = length <= HY_MAX_BLOB ? hy_quota_bytes(host, length) : NULL;
    if (blob)
        hy_archive_write(format, parts, 2, blob);
    if (blob && note_program(host, key, most))
        (void)host->blob_store(host->context, key, sizeof *key, blob, length);
    hy_quota_free(blob);
    sample_artefact_finish(&artefact);
}

/* First its length, then its bytes: another process may have replaced or removed it in between. */
static uint8_t *load_blob(const struct hy_host *host, const struct sample_blob_key *key,
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

/* The host has checked that the bytes are those that were stored; lengths are checked all the same.
 */
bool sample_blob_load(const struct hy_host *host, const struct sample_blob_key *key,
                      struct sample_restored *restored)
{
    struct hy_bytes archive = {0}, parts[2];
    uint8_t *blob = load_blob(host, key, &archive.length);
    if (!blob)
        return false;
    archive.data = blob;
    struct sample_program *program = hy_archive_read(&archive, format, parts, 2)
                                         ? sample_artefact_read(host, &parts[0], &parts[1], 1)
                                         : NULL;
    if (!program) {
        hy_quota_free(blob);
        remove_program(host, key); /* what cannot be used is of no use to the next one */
        return false;
    }
    *restored = (struct sample_restored){.program = program, .memory = blob};
    return true;
}
