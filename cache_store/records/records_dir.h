#ifndef HY_CACHE_STORE_RECORDS_RECORDS_DIR_H
#define HY_CACHE_STORE_RECORDS_RECORDS_DIR_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/*
 * The directory of the records with `records-2.db` and `records-2.lock`. Every access holds the
 * lock file. The database has locks per process, which do not separate two copies of the library in
 * a process: closing the file in one copy releases the locks of the other copy. The lock file
 * belongs to an open file description and therefore separates copies, processes and forked
 * children. The lock also covers moving a damaged file aside.
 */
struct hy_records_dir {
    char *path; /* without symbolic links */
    char *file;
    char *damaged; /* new path of a damaged file */
    char *journal;
    char *lock;
    int lock_fd; /* -1: not needed on a read-only file system */
};

/* Opens the directory, and creates a missing directory (not its parents) and lock file. Both must
 * be owned by the caller and must not be writable for other users. Errors: FAILED,
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_records_dir_open(const char *dir, struct hy_records_dir *ret,
                                               struct hy_error *err);
void hy_records_dir_close(struct hy_records_dir *dir); /* a zeroed struct is allowed */

/* Acquires the lock. `deadline`: nanoseconds of CLOCK_MONOTONIC. Errors: FAILED (another process
 * holds the lock until the deadline). */
HY_MUST_CHECK enum hy_code hy_records_dir_lock(const struct hy_records_dir *dir, int64_t deadline,
                                               struct hy_error *err);
void hy_records_dir_unlock(const struct hy_records_dir *dir);

/* True if the directory still contains the lock file held by the struct. */
bool hy_records_dir_is_current(const struct hy_records_dir *dir);

/* Checks that the database file is regular and private, and creates a missing file. Call with the
 * lock held. */
HY_MUST_CHECK enum hy_code hy_records_dir_make_file(const struct hy_records_dir *dir,
                                                    struct stat *ret, struct hy_error *err);

/* Moves the damaged file aside and replaces a previously moved file. Call with the lock held. */
HY_MUST_CHECK enum hy_code hy_records_dir_move_damaged(const struct hy_records_dir *dir,
                                                       struct hy_error *err);

#endif
