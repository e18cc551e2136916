#include "blobs.h"

#include "artefact.h"
#include "driver_kit/archive.h"
#include "driver_kit/quota_memory.h"

/* A blob is an archive: the bytes of the model, then those of the constants. */
static const char format[HY_ARCHIVE_FORMAT_SIZE] = "smplblob";

bool sample_blob_key_make(const struct sample_program *plain, struct hy_blob_list_key *key)
{
    struct sample_artefact artefact = {0};
    const bool made =
        hy_blob_list_has_engine(plain->host) && sample_artefact_make(plain, 1, &artefact);
    if (made)
        *key = hy_blob_list_key_of((struct hy_bytes[]){artefact.model, artefact.data[0]});
    sample_artefact_finish(&artefact);
    return made;
}

void sample_blob_store(const struct hy_blob_list_key *key, uint32_t most,
                       const struct sample_program *program)
{
    struct sample_artefact artefact;
    if (sample_artefact_make(program, 1, &artefact)) {
        const struct hy_bytes parts[] = {artefact.model, artefact.data[0]};
        const uint64_t length = hy_archive_bytes(parts, 2);
        uint8_t *blob = length <= HY_MAX_BLOB ? hy_quota_bytes(program->host, length) : NULL;
        if (blob) {
            hy_archive_write(format, parts, 2, blob);
            hy_blob_list_store(program->host, "programs", most, key,
                               &(struct hy_bytes){blob, length});
        }
        hy_quota_free(blob);
    }
    sample_artefact_finish(&artefact);
}

/* The host has checked that the bytes are those that were stored; lengths are checked all the same.
 */
struct sample_program *sample_blob_load(const struct hy_host *host,
                                        const struct hy_blob_list_key *key, uint8_t **memory)
{
    struct hy_bytes archive = {0}, parts[2];
    uint8_t *blob = hy_blob_list_load(host, key, &archive.length);
    if (!blob)
        return NULL;
    archive.data = blob;
    struct sample_program *program = hy_archive_read(&archive, format, parts, 2)
                                         ? sample_artefact_read(host, &parts[0], &parts[1], 1)
                                         : NULL;
    if (program) {
        *memory = blob;
    } else {
        hy_quota_free(blob);
        hy_blob_list_remove(host, key);
    }
    return program;
}
