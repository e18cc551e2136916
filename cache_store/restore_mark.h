#ifndef HY_CACHE_STORE_RESTORE_MARK_H
#define HY_CACHE_STORE_RESTORE_MARK_H

#include "common/error.h"

/*
 * The mark of an entry from which a driver of this process restores a model: the file `restoring`
 * in the folder of the entry, of one byte. While the driver restores, the byte is `1` and the file
 * is locked; else the byte is `0`. A `1` without a lock: a process has died while its driver
 * restored the entry, and the next process might die as well. Of several processes and threads that
 * restore one entry at the same time, the first has the mark, and no other counts.
 */

#define HY_RESTORE_MARK_BYTES 1u

/* Makes the file in the folder of a new entry. Errors: FAILED, EXHAUSTED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_restore_mark_create(int folder, struct hy_error *err);

/*
 * Marks the entry. `*ret` goes to hy_restore_mark_lift; -1: somebody else has the mark, or the file
 * system takes none. Errors: BAD_DATA (a process has died while its driver restored the entry; the
 * file is missing or strange), FAILED, EXHAUSTED, OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_restore_mark_set(int folder, int *ret, struct hy_error *err);

/* The driver has returned. `*mark` becomes -1, and may be -1. */
void hy_restore_mark_lift(int *mark);

#endif
