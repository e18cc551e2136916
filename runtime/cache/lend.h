#ifndef HY_RUNTIME_CACHE_LEND_H
#define HY_RUNTIME_CACHE_LEND_H

#include "cache_store/draft.h"

/*
 * For a device that restores inside of prepare, from the files that it is given, and rewrites those
 * that it does not like (support libraries do): it gets a copy of the entry in a draft, since
 * published files are never written.
 */

/* Fills the empty files of the draft. Errors: BAD_DATA, FAILED (no room), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_lend_copy(const struct hy_entry *entry, const struct hy_draft *draft,
                                        struct hy_error *err);

/* Empties them again. */
void hy_lend_clear(const struct hy_draft *draft);

/* Whether the draft still is that copy: then the device has taken it. */
bool hy_lend_is_unchanged(const struct hy_entry *entry, const struct hy_draft *draft);

#endif
