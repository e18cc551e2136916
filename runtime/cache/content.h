#ifndef HY_RUNTIME_CACHE_CONTENT_H
#define HY_RUNTIME_CACHE_CONTENT_H

#include "cache_store/records/records.h"

/*
 * cache_save, cache_restore and cache_release of struct hy_host. The records of the owner hold one
 * digest over all files of a token (cache_store/digest/content_digest.h). Save records the digest
 * before it writes the first byte. Restore compares the digest with a private copy of the model
 * cache files.
 */

/* Errors: HY_BAD_DATA (arguments), HY_BAD_STATE (the files belong to a published entry), HY_FAILED.
 * After HY_FAILED the files are truncated to 0 bytes where possible. */
HY_MUST_CHECK enum hy_code hy_cache_save(struct hy_records *records,
                                         const struct hy_records_owner *owner,
                                         const struct hy_cache_files *files,
                                         const struct hy_bytes *model, const struct hy_bytes *data,
                                         struct hy_error *err);

/*
 * Copies the model cache files. Data cache files use the mapped bytes of the open entry if the
 * entry is mapped and verified; otherwise they are copied. A read-only entry (hy_dir_is_fixed)
 * needs no recorded digest, and `records` may be NULL for such an entry. Errors: HY_BAD_DATA
 * (digest missing or different, file too long), HY_FAILED, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cache_restore(struct hy_records *records,
                                            const struct hy_records_owner *owner,
                                            const struct hy_cache_files *files,
                                            struct hy_restored *ret, struct hy_error *err);
void hy_cache_release(struct hy_restored *restored); /* a zeroed or released struct is allowed */

#endif
