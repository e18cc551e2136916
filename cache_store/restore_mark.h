#ifndef HY_CACHE_STORE_RESTORE_MARK_H
#define HY_CACHE_STORE_RESTORE_MARK_H

#include "common/error.h"

/*
 * The restore mark of an entry, set while a driver of the process restores a model from the entry:
 * the file `restoring` in the directory of the entry, with a single byte. While the driver
 * restores, the byte is `1` and the file is locked; otherwise the byte is `0`. A `1` without a lock
 * means: a process has died while its driver restored the entry, and the next process might die as
 * well. If several processes or threads restore an entry at the same time, only the first sets the
 * mark.
 */

#define HY_RESTORE_MARK_BYTES 1u

/* Creates the file in the directory of a new entry. Errors: HY_FAILED, HY_EXHAUSTED,
 * HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_restore_mark_create(int dir, struct hy_error *err);

/*
 * Sets the mark. Pass `*ret` to hy_restore_mark_lift. -1: another thread or process has set the
 * mark, or the file system is not writable. Errors: HY_BAD_DATA (a process has died while its
 * driver restored the entry; the file is missing or invalid), HY_FAILED, HY_EXHAUSTED,
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_restore_mark_set(int dir, int *ret, struct hy_error *err);

/* Removes the mark after the driver has returned. `*mark` becomes -1, and may be -1. */
void hy_restore_mark_lift(int *mark);

#endif
