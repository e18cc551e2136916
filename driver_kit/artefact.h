/*
 * The compiled form of a model as the bytes of cache files or of one blob. The model cache is an
 * archive of the parts that steer an execution (steps, shapes). The data cache holds the constants,
 * which are only computed with: constant i is in data file i % count, at a multiple of
 * HY_ARCHIVE_ALIGNMENT bytes.
 *
 * Parts are stored in their memory layout. When the layout of the parts changes, the name of the
 * format, or the version and build of the driver, must change.
 */
#ifndef HY_DRIVER_KIT_ARTEFACT_H
#define HY_DRIVER_KIT_ARTEFACT_H

#include "driver_kit/archive.h"
#include "driver_kit/blob_list.h"

#define HY_ARTEFACT_MAX_PARTS (HY_ARCHIVE_MAX_PARTS - 1)

struct hy_artefact {
    struct hy_bytes model;
    struct hy_bytes data[HY_MAX_CACHE_FILES];
    uint32_t data_count; /* 1 to HY_MAX_CACHE_FILES */
    uint8_t *memory;     /* owned memory with all bytes; NULL: the bytes are borrowed */
};

/* The parts and constants of an artefact. */
struct hy_artefact_content {
    struct hy_bytes parts[HY_ARTEFACT_MAX_PARTS];
    uint32_t part_count, constant_count;
    const uint64_t *lengths; /* of the constants, in bytes */
};

/* Copies the parts and the constants into `artefact`. False: the host refuses, or memory is
 * exhausted. Call hy_artefact_finish in any case. */
bool hy_artefact_make(const struct hy_host *host, const char format[HY_ARCHIVE_FORMAT_SIZE],
                      const struct hy_bytes *parts, uint32_t part_count,
                      const struct hy_bytes *constants, uint32_t constant_count,
                      uint32_t data_count, struct hy_artefact *artefact);
void hy_artefact_finish(struct hy_artefact *artefact);

/* Wraps restored cache files (driver_kit/cache_files.h) without a copy. `restored` must outlive the
 * artefact. */
struct hy_artefact hy_artefact_of(const struct hy_restored *restored, uint32_t data_count);

/*
 * Points `content` into the bytes of the model cache. The bytes must be verified (by the host) and
 * private. False: the bytes have another format, another number of parts or data files, or a length
 * that does not match.
 */
bool hy_artefact_read(const struct hy_artefact *artefact, const char format[HY_ARCHIVE_FORMAT_SIZE],
                      uint32_t part_count, struct hy_artefact_content *content);

/* Points `constants` (content->constant_count elements) into the data cache. Constants of length 0
 * become zero. False: the data cache is shorter than the lengths in the model cache require. */
bool hy_artefact_find_constants(const struct hy_artefact *artefact,
                                const struct hy_artefact_content *content,
                                struct hy_bytes *constants);

/* ---- As a blob, with one data file ----------------------------------------------------------- */

/* The key for a blob compiled from `artefact`. */
struct hy_blob_list_key hy_artefact_key(const struct hy_artefact *artefact);

/* Stores the artefact with hy_blob_list_store. */
void hy_artefact_store(const struct hy_host *host, const char *list, uint32_t most,
                       const struct hy_blob_list_key *key, const struct hy_artefact *artefact);

/* Loads the artefact of `key`. False: no blob, or memory is exhausted; `artefact` is zero. Removes
 * a blob in another format. */
bool hy_artefact_load(const struct hy_host *host, const struct hy_blob_list_key *key,
                      struct hy_artefact *artefact);

#endif
