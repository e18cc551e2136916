#include "blobs.h"

#include "artefact.h"
#include "digest.h"
#include "driver_kit/quota_memory.h"

#include <string.h>

#define ALIGNMENT UINT64_C(64) /* of the constants in memory, as artefact.h wants them */

/* The key of the list; no program has it, since those are digests. */
static const char list_name[] = "programs";

/* A blob: this, then the bytes of the model, then those of the constants, all aligned. */
struct header {
    uint64_t model_length, data_length;
    uint8_t reserved[ALIGNMENT - 2 * sizeof(uint64_t)];
};

/* Keys of the programs that are stored, the latest first. */
struct list {
    struct sample_blob_key keys[SAMPLE_MAX_BLOBS + 1]; /* one more than is kept */
    uint32_t count;
};

static bool has_engine(const struct hy_host *host)
{
    return HY_HAS(host, blob_store) && HY_HAS(host, blob_load) && HY_HAS(host, blob_remove);
}

static uint64_t aligned(uint64_t length)
{
    return (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* A digest over the digests of both parts: so no part can be taken for some of the other. */
bool sample_blob_key_make(const struct sample_program *plain, struct sample_blob_key *key)
{
    struct sample_artefact artefact = {0};
    uint8_t parts[2][HY_DIGEST_SIZE];

    const bool made = has_engine(plain->host) && sample_artefact_make(plain, 1, &artefact);
    if (made) {
        sample_digest(artefact.model.data, artefact.model.length, parts[0]);
        sample_digest(artefact.data[0].data, artefact.data[0].length, parts[1]);
        sample_digest(parts, sizeof parts, key->bytes);
    }
    sample_artefact_finish(&artefact);
    return made;
}

static void remove_program(const struct hy_host *host, const struct sample_blob_key *key)
{
    (void)host->blob_remove(host->context, key->bytes, sizeof key->bytes);
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

static void take_off(struct list *list, const struct sample_blob_key *key)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (memcmp(&list->keys[i], key, sizeof *key) != 0)
            list->keys[left++] = list->keys[i];
    list->count = left;
}

static void put_first(struct list *list, const struct sample_blob_key *key)
{
    take_off(list, key);
    memmove(&list->keys[1], &list->keys[0], list->count * sizeof *list->keys);
    list->keys[0] = *key;
    list->count++;
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

/* ---- Storing --------------------------------------------------------------------------------- */

/* The blob of the artefact; NULL: out of memory, or longer than a host takes. */
static uint8_t *make_blob(const struct hy_host *host, const struct sample_artefact *artefact,
                          uint64_t *length)
{
    const struct header header = {.model_length = artefact->model.length,
                                  .data_length = artefact->data[0].length};
    const uint64_t data_at = sizeof header + aligned(header.model_length);
    *length = data_at + header.data_length;
    uint8_t *blob = *length <= HY_MAX_BLOB ? hy_quota_zeros(host, *length, 1) : NULL;
    if (!blob)
        return NULL;
    memcpy(blob, &header, sizeof header);
    memcpy(blob + sizeof header, artefact->model.data, header.model_length);
    if (header.data_length > 0)
        memcpy(blob + data_at, artefact->data[0].data, header.data_length);
    return blob;
}

void sample_blob_store(const struct hy_host *host, const struct sample_blob_key *key, uint32_t most,
                       const struct sample_program *program)
{
    struct sample_artefact artefact = {0};
    uint64_t length = 0;
    uint8_t *blob = NULL;

    if (sample_artefact_make(program, 1, &artefact))
        blob = make_blob(host, &artefact, &length);
    sample_artefact_finish(&artefact);
    if (blob && note_program(host, key, most))
        (void)host->blob_store(host->context, key->bytes, sizeof key->bytes, blob, length);
    hy_quota_free(blob);
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* First its length, then its bytes: another process may have replaced or removed it in between. */
static uint8_t *load_blob(const struct hy_host *host, const struct sample_blob_key *key,
                          uint64_t *length)
{
    uint64_t found = 0;
    if (host->blob_load(host->context, key->bytes, sizeof key->bytes, NULL, 0, length) !=
            HY_STATUS_OK ||
        *length == 0)
        return NULL;
    uint8_t *blob = hy_quota_bytes(host, *length);
    if (blob && (host->blob_load(host->context, key->bytes, sizeof key->bytes, blob, *length,
                                 &found) != HY_STATUS_OK ||
                 found != *length)) {
        hy_quota_free(blob);
        blob = NULL;
    }
    return blob;
}

/* The host has checked that the bytes are those that were stored; lengths are checked all the same.
 */
static struct sample_program *read_blob(const struct hy_host *host, const uint8_t *blob,
                                        uint64_t length)
{
    struct header header;
    if (length < sizeof header)
        return NULL;
    memcpy(&header, blob, sizeof header);
    const uint64_t left = length - sizeof header;
    if (header.model_length > left || aligned(header.model_length) > left ||
        header.data_length != left - aligned(header.model_length))
        return NULL;
    const struct hy_bytes model = {blob + sizeof header, header.model_length};
    const struct hy_bytes data = {blob + sizeof header + aligned(header.model_length),
                                  header.data_length};
    return sample_artefact_has_data(&model, &data, 1) ? sample_artefact_read(host, &model, &data, 1)
                                                      : NULL;
}

bool sample_blob_load(const struct hy_host *host, const struct sample_blob_key *key,
                      struct sample_restored *restored)
{
    uint64_t length = 0;
    uint8_t *blob = load_blob(host, key, &length);
    if (!blob)
        return false;
    struct sample_program *program = read_blob(host, blob, length);
    if (!program) {
        hy_quota_free(blob);
        remove_program(host, key); /* what cannot be used is of no use to the next one */
        return false;
    }
    *restored = (struct sample_restored){.program = program, .memory = blob};
    return true;
}
