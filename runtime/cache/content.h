#ifndef HY_RUNTIME_CACHE_CONTENT_H
#define HY_RUNTIME_CACHE_CONTENT_H

#include "cache_store/records/records.h"

/*
 * cache_save, cache_restore and cache_release of struct hy_host. A digest over all files stands
 * under their token among the records of the owner (cache_store/digest/content_digest.h): put there
 * before the first byte is written, and compared when the model cache has been copied to memory of
 * ours.
 */

/* Errors: BAD_DATA (arguments), BAD_STATE (files of an entry that was found); FAILED: the files are
 * empty then, as far as possible. */
HY_MUST_CHECK enum hy_code hy_cache_save(struct hy_records *records,
                                         const struct hy_records_owner *owner,
                                         const struct hy_cache_files *files,
                                         const struct hy_bytes *model, const struct hy_bytes *data,
                                         struct hy_error *err);

/*
 * Data cache files are what the token's entry holds of them where it has been opened and read
 * through already; else they are copied too. Of an entry that is fixed (hy_folder_is_fixed) no
 * digest is asked for; `records` may be NULL for that. Errors: BAD_DATA (no digest, another digest,
 * too long), FAILED, OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cache_restore(struct hy_records *records,
                                            const struct hy_records_owner *owner,
                                            const struct hy_cache_files *files,
                                            struct hy_restored *ret, struct hy_error *err);
void hy_cache_release(struct hy_restored *restored); /* zeroed is fine, and what it leaves */

#endif
