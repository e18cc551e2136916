/*
 * What a driver has compiled, as the bytes of its cache files or of one blob. Parts that steer an
 * execution (steps, shapes) make the model cache, which is an archive. Constants, which are only
 * computed with, make the data cache: constant number i lies in data file i % count, at a multiple
 * of HY_ARCHIVE_ALIGNMENT bytes.
 *
 * Parts are written as they are in memory. So the name of the format, or the version and build of
 * the driver, change with the layout of the parts.
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
    uint8_t *memory;     /* of all the bytes; NULL: the bytes are somebody else's */
};

/* The parts and constants of an artefact. */
struct hy_artefact_content {
    struct hy_bytes parts[HY_ARTEFACT_MAX_PARTS];
    uint32_t part_count, constant_count;
    const uint64_t *lengths; /* of the constants */
};

/* Copies the parts and the constants into `artefact`. False: the host refuses, or there is no
 * memory. Call hy_artefact_finish in any case. */
bool hy_artefact_make(const struct hy_host *host, const char format[HY_ARCHIVE_FORMAT_SIZE],
                      const struct hy_bytes *parts, uint32_t part_count,
                      const struct hy_bytes *constants, uint32_t constant_count,
                      uint32_t data_count, struct hy_artefact *artefact);
void hy_artefact_finish(struct hy_artefact *artefact);

/* The artefact of cache files that were restored (driver_kit/cache_files.h), whose bytes it uses.
 */
struct hy_artefact hy_artefact_of(const struct hy_restored *restored, uint32_t data_count);

/*
 * Points `content` into the bytes of the model cache. Somebody has to vouch for these bytes, and
 * they must be private. False: the bytes are of another format, another number of parts or data
 * files, or have another length than they say.
 */
bool hy_artefact_read(const struct hy_artefact *artefact, const char format[HY_ARCHIVE_FORMAT_SIZE],
                      uint32_t part_count, struct hy_artefact_content *content);

/* Points the constants, `content->constant_count` of them, into the data cache; those of no bytes
 * are zero. False: the data cache is shorter than the model cache believes. */
bool hy_artefact_find_constants(const struct hy_artefact *artefact,
                                const struct hy_artefact_content *content,
                                struct hy_bytes *constants);

/* ---- As a blob, with one data file ----------------------------------------------------------- */

/* The key of what is compiled from this artefact. */
struct hy_blob_list_key hy_artefact_key(const struct hy_artefact *artefact);

/* hy_blob_list_store of the artefact. */
void hy_artefact_store(const struct hy_host *host, const char *list, uint32_t most,
                       const struct hy_blob_list_key *key, const struct hy_artefact *artefact);

/* False, and the artefact is zero: there is none, or no memory. A blob that is no artefact is
 * removed. */
bool hy_artefact_load(const struct hy_host *host, const struct hy_blob_list_key *key,
                      struct hy_artefact *artefact);

#endif
