#ifndef HY_RUNTIME_CACHE_ENTRY_COPIES_H
#define HY_RUNTIME_CACHE_ENTRY_COPIES_H

#include "cache_store/entry_writer.h"

/*
 * For a device that restores inside of prepare, from the files that it is given, and rewrites those
 * that it does not like (support libraries do): it gets the files of the entry that was opened, all
 * of them copies, since published files are never written.
 */

/*
 * Marks the files with a time of the last change that lies long ago: every write sets the time
 * anew, and a digest cannot tell a rewrite of equal bytes. False: the file system does not keep the
 * mark of one of them.
 */
bool hy_entry_copies_mark(const struct hy_entry *entry);

/* Whether nobody has written to the files since, and they still are what was opened: then the
 * device has taken them. */
bool hy_entry_copies_are_unchanged(const struct hy_entry *entry);

/* Writes what the device has made of them to the empty files of a writer. Errors: BAD_DATA, FAILED
 * (no room), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_entry_copies_copy(const struct hy_entry *entry,
                                                const struct hy_entry_writer *writer,
                                                struct hy_error *err);

#endif
