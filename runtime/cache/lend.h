#ifndef HY_RUNTIME_CACHE_LEND_H
#define HY_RUNTIME_CACHE_LEND_H

#include "cache_store/entry_writer.h"

/*
 * For a device that restores inside of prepare, from the files that it is given, and rewrites those
 * that it does not like (support libraries do): it gets the files of the entry that was opened, all
 * of them copies, since published files are never written.
 */

/* Whether the files still are what was opened: then the device has taken them. */
bool hy_lend_is_unchanged(const struct hy_entry *entry);

/* Writes what the device has made of them to the empty files of a writer. Errors: BAD_DATA, FAILED
 * (no room), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_lend_take_back(const struct hy_entry *entry,
                                             const struct hy_entry_writer *writer,
                                             struct hy_error *err);

#endif
