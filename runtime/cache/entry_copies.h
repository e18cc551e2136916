#ifndef HY_RUNTIME_CACHE_ENTRY_COPIES_H
#define HY_RUNTIME_CACHE_ENTRY_COPIES_H

#include "cache_store/entry_writer.h"

/*
 * Copies of an entry for a device that restores inside prepare and may rewrite its files (support
 * libraries do). Published files are never written, so the device gets copies of all files: `entry`
 * has been opened with copies of its files (hy_entry_access), never with the published files.
 */

/*
 * Sets an old modification time on the copies. Every write updates the time, so a rewrite with
 * equal bytes is noticed too. False: the file system cannot store the time of a file, and
 * hy_entry_copies_are_unchanged will return false.
 */
bool hy_entry_copies_mark(const struct hy_entry *entry);

/* True: the device has not written to the copies and the bytes equal the entry, so the device has
 * accepted the entry. False also if a copy cannot be read. */
bool hy_entry_copies_are_unchanged(const struct hy_entry *entry);

/* Copies the files, as the device has rewritten them, to the empty files of a writer. Errors:
 * HY_BAD_DATA, HY_FAILED (disk full), HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_entry_copies_copy(const struct hy_entry *entry,
                                                const struct hy_entry_writer *writer,
                                                struct hy_error *err);

#endif
