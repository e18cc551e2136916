#ifndef HY_CACHE_STORE_RECORDS_RECORDS_FOLDER_H
#define HY_CACHE_STORE_RECORDS_RECORDS_FOLDER_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/*
 * Where the records lie, and who may touch them: `records-2.db`, and `records-2.lock`, under whose
 * lock every access happens. The store has locks of its own, but those are a process's: two copies
 * of the store in one process would not see each other's, and closing the file in one would let go
 * those of the other. This lock belongs to an open file, so it parts copies, processes and forked
 * children alike, and it covers what the store cannot: setting a damaged file aside.
 */
struct hy_records_folder {
    char *path; /* without symbolic links */
    char *file;
    char *aside; /* where a damaged file goes */
    char *journal;
    char *lock;
    int lock_fd; /* -1: on a read-only file system, where nobody needs it */
};

/* Makes what is missing of folder and lock, nothing above; everything has to be the caller's own,
 * and nobody else's to write to. Errors: FAILED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_records_folder_open(const char *folder, struct hy_records_folder *ret,
                                                  struct hy_error *err);
void hy_records_folder_close(struct hy_records_folder *folder); /* also a zeroed one */

/* `deadline`: nanoseconds of CLOCK_MONOTONIC. Errors: FAILED (somebody else has it all the time).
 */
HY_MUST_CHECK enum hy_code hy_records_folder_lock(const struct hy_records_folder *folder,
                                                  int64_t deadline, struct hy_error *err);
void hy_records_folder_unlock(const struct hy_records_folder *folder);

/* The lock is still the one that others find in the folder. */
bool hy_records_folder_is_current(const struct hy_records_folder *folder);

/* Under the lock: the file is there, an ordinary one, ours alone; makes an empty one. */
HY_MUST_CHECK enum hy_code hy_records_folder_make_file(const struct hy_records_folder *folder,
                                                       struct stat *ret, struct hy_error *err);

/* Under the lock: takes the damaged file out of the way, in the place of one from before. */
HY_MUST_CHECK enum hy_code hy_records_folder_set_aside(const struct hy_records_folder *folder,
                                                       struct hy_error *err);

#endif
