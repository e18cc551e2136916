#ifndef HY_CACHE_STORE_RECORDS_RECORDS_SQL_H
#define HY_CACHE_STORE_RECORDS_RECORDS_SQL_H

#include "common/error.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* The embedded store's file, open, and all that is said to it. */

enum hy_sql {
    HY_SQL_BEGIN,
    HY_SQL_BEGIN_WRITING,
    HY_SQL_COMMIT,
    HY_SQL_FIND_BUILD,
    HY_SQL_ADD_OWNER,
    HY_SQL_FIND_OWNER,
    HY_SQL_ADD_BUILD,
    HY_SQL_USE_BUILD,
    HY_SQL_OLDEST_BUILD,
    HY_SQL_DROP_DIGESTS,
    HY_SQL_DROP_CONTENTS,
    HY_SQL_DROP_BLOBS,
    HY_SQL_DROP_BUILD,
    HY_SQL_LOOK_UP_DIGEST,
    HY_SQL_REMOVE_DIGEST,
    HY_SQL_ADD_DIGEST,
    HY_SQL_COUNT_DIGESTS,
    HY_SQL_RECOUNT_DIGESTS,
    HY_SQL_OLDEST_DIGEST,
    HY_SQL_REMOVE_DIGEST_ROW,
    HY_SQL_FIND_BLOB,
    HY_SQL_ADD_BLOB,
    HY_SQL_ADD_CONTENT,
    HY_SQL_REMOVE_BLOB,
    HY_SQL_REMOVE_CONTENT,
    HY_SQL_USE_BLOB,
    HY_SQL_OLDEST_BLOB,
    HY_SQL_COUNT_BYTES,
    HY_SQL_RECOUNT_BYTES,
    HY_SQL_STATEMENTS,
};

struct hy_sql_file {
    sqlite3 *database;
    sqlite3_stmt *statements[HY_SQL_STATEMENTS]; /* compiled at first use */
    bool is_damaged; /* something was found that the store does not write: set it aside */
};

/* A parameter of a statement: bytes if `data` is not NULL, else a number. */
struct hy_sql_value {
    const void *data;
    uint64_t length;
    int64_t number;
    bool is_text;
};

#define HY_SQL_NUMBER(value)      ((struct hy_sql_value){.number = (int64_t)(value)})
#define HY_SQL_BYTES(start, size) ((struct hy_sql_value){.data = (start), .length = (size)})
#define HY_SQL_TEXT(text) \
    ((struct hy_sql_value){.data = (text), .length = strlen(text), .is_text = true})

/* Opens the file, which exists; an empty one gets its tables. Also with an error the caller closes
 * it. Errors: FAILED (is_damaged tells more), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_sql_open(const char *path, struct hy_sql_file *ret,
                                       struct hy_error *err);
void hy_sql_close(struct hy_sql_file *file); /* also a zeroed one */

/*
 * Runs a statement up to its first row: `*row` is where its columns are, until the next call with
 * that statement, or NULL if there is none. `row` NULL: it has no rows.
 * Errors: FAILED (is_damaged tells more), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_sql_run(struct hy_sql_file *file, enum hy_sql which,
                                      const struct hy_sql_value *values, unsigned count,
                                      sqlite3_stmt **row, struct hy_error *err);

/* What the store answered, in our codes and words. */
HY_MUST_CHECK enum hy_code hy_sql_fail(struct hy_sql_file *file, int status, struct hy_error *err);

/* Ends every statement that is at a row: before a commit. */
void hy_sql_leave_rows(struct hy_sql_file *file);

/* The same, and undoes a transaction that was not committed. */
void hy_sql_end(struct hy_sql_file *file);

#endif
