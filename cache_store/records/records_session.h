#ifndef HY_CACHE_STORE_RECORDS_RECORDS_SESSION_H
#define HY_CACHE_STORE_RECORDS_RECORDS_SESSION_H

#include "cache_store/digest/digest_memory.h"
#include "cache_store/records/records.h"
#include "cache_store/records/records_sql.h"

/* How the file is used. */
enum hy_records_access {
    HY_RECORDS_LOOK, /* a single statement, consistent by itself */
    HY_RECORDS_READ, /* several statements in a transaction */
    HY_RECORDS_WRITE,
};

/*
 * The work in a session. May run twice: the second time on a new file, after the first file was
 * damaged.
 */
typedef enum hy_code (*hy_records_work_fn)(struct hy_sql_file *file, void *context,
                                           struct hy_error *err);

/*
 * Runs `work` under the lock of all threads and processes, and commits if `work` returns HY_OK.
 * Waits at most a second for the lock. Errors: those of `work`; FAILED (busy, or the file cannot be
 * read or written), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_records_run(struct hy_records *records, enum hy_records_access access,
                                          hy_records_work_fn work, void *context,
                                          struct hy_error *err);

/* The digests cached in the process. */
struct hy_digest_memory *hy_records_memory(struct hy_records *records);

#endif
