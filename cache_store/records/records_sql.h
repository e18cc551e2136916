#ifndef HY_CACHE_STORE_RECORDS_RECORDS_SQL_H
#define HY_CACHE_STORE_RECORDS_RECORDS_SQL_H

#include "common/error.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* The open database file and its statements. */

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
    sqlite3_stmt *statements[HY_SQL_STATEMENTS]; /* compiled on first use */
    bool is_damaged; /* impossible contents found: move the file aside */
};

/* A parameter of a statement: bytes if `data` is not NULL, otherwise a number. */
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

/* Opens an existing file; an empty file gets its tables. The caller closes the file, also after an
 * error. Errors: FAILED (see is_damaged), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_sql_open(const char *path, struct hy_sql_file *ret,
                                       struct hy_error *err);
void hy_sql_close(struct hy_sql_file *file); /* a zeroed struct is allowed */

/*
 * Runs a statement up to its first row. `*row` has the columns until the next call with the
 * statement, or is NULL without a row. Pass NULL for a statement without rows. Errors: FAILED (see
 * is_damaged), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_sql_run(struct hy_sql_file *file, enum hy_sql which,
                                      const struct hy_sql_value *values, unsigned count,
                                      sqlite3_stmt **row, struct hy_error *err);

/* Converts a database status to a code and an error text. */
HY_MUST_CHECK enum hy_code hy_sql_fail(struct hy_sql_file *file, int status, struct hy_error *err);

/* Resets every statement with an open row. Call before a commit. */
void hy_sql_leave_rows(struct hy_sql_file *file);

/* Resets all statements, and rolls back a transaction without a commit. */
void hy_sql_end(struct hy_sql_file *file);

#endif
