#include "cache_store/records/records_sql.h"

#include "cache_store/records/records_tables.h"
#include "halyard/driver.h"

#include <string.h>
#include <unistd.h>

/* Long enough for a user with the database's command line tool; Halyard's processes wait outside of
 * the database. */
enum { BUSY_MILLISECONDS = 500 };

/* The mark of the last used build of owner `o`. */
#define NEWEST_BUILD "(SELECT max(used) FROM builds WHERE owner = o.id)"

static const char *const texts[HY_SQL_STATEMENTS] = {
    [HY_SQL_BEGIN] = "BEGIN",
    [HY_SQL_BEGIN_WRITING] = "BEGIN IMMEDIATE",
    [HY_SQL_COMMIT] = "COMMIT",
    [HY_SQL_FIND_BUILD] =
        "SELECT o.id, b.id, b.used = " NEWEST_BUILD " FROM owners o CROSS JOIN builds b"
        " WHERE o.user = ?1 AND o.driver = ?2"
        " AND b.owner = o.id AND b.build = ?3",
    [HY_SQL_ADD_OWNER] = "INSERT OR IGNORE INTO owners (user, driver, digests, bytes, uses)"
                         " VALUES (?1, ?2, 0, 0, 0)",
    [HY_SQL_FIND_OWNER] = "SELECT o.id, (SELECT count(*) FROM builds WHERE owner = o.id)"
                          " FROM owners o WHERE o.user = ?1 AND o.driver = ?2",
    [HY_SQL_ADD_BUILD] = "INSERT INTO builds (owner, build, used) VALUES (?1, ?2, 0)",
    [HY_SQL_USE_BUILD] =
        "UPDATE builds SET used = 1 + (SELECT max(used) FROM builds WHERE owner = ?1)"
        " WHERE id = ?2",
    [HY_SQL_OLDEST_BUILD] = "SELECT id FROM builds WHERE owner = ?1 ORDER BY used, id LIMIT 1",
    [HY_SQL_DROP_DIGESTS] = "DELETE FROM digests WHERE build = ?1",
    [HY_SQL_DROP_CONTENTS] =
        "DELETE FROM contents WHERE id IN (SELECT id FROM blobs WHERE build = ?1)",
    [HY_SQL_DROP_BLOBS] = "DELETE FROM blobs WHERE build = ?1",
    [HY_SQL_DROP_BUILD] = "DELETE FROM builds WHERE id = ?1",
    [HY_SQL_LOOK_UP_DIGEST] = "SELECT d.digest, d.mark, b.used = " NEWEST_BUILD
                              " FROM owners o CROSS JOIN builds b CROSS JOIN digests d"
                              " WHERE o.user = ?1 AND o.driver = ?2"
                              " AND b.owner = o.id AND b.build = ?3"
                              " AND d.build = b.id AND d.token = ?4",
    [HY_SQL_REMOVE_DIGEST] = "DELETE FROM digests WHERE build = ?2 AND token = ?3",
    [HY_SQL_ADD_DIGEST] =
        "INSERT INTO digests (owner, build, token, digest, mark) VALUES (?1, ?2, ?3, ?4, ?5)",
    [HY_SQL_COUNT_DIGESTS] =
        "UPDATE owners SET digests = digests + ?2 WHERE id = ?1 RETURNING digests",
    [HY_SQL_RECOUNT_DIGESTS] = "UPDATE owners SET digests ="
                               " (SELECT count(*) FROM digests WHERE owner = ?1)"
                               " WHERE id = ?1 RETURNING digests",
    [HY_SQL_OLDEST_DIGEST] =
        "SELECT id FROM digests INDEXED BY digests_by_age WHERE owner = ?1 ORDER BY id LIMIT 1",
    [HY_SQL_REMOVE_DIGEST_ROW] = "DELETE FROM digests WHERE id = ?1",
    [HY_SQL_FIND_BLOB] = "SELECT b.id, b.charge, b.mark, b.used = o.uses"
                         " FROM blobs b JOIN owners o ON o.id = b.owner"
                         " WHERE b.build = ?1 AND b.key = ?2",
    [HY_SQL_ADD_BLOB] = "INSERT INTO blobs (owner, build, key, charge, mark, used)"
                        " VALUES (?1, ?2, ?3, ?4, ?5, (SELECT uses FROM owners WHERE id = ?1))",
    [HY_SQL_ADD_CONTENT] = "INSERT INTO contents (id, bytes) VALUES (?1, ?2)",
    [HY_SQL_REMOVE_BLOB] = "DELETE FROM blobs WHERE id = ?1",
    [HY_SQL_REMOVE_CONTENT] = "DELETE FROM contents WHERE id = ?1",
    [HY_SQL_USE_BLOB] =
        "UPDATE blobs SET used = (SELECT uses FROM owners WHERE id = ?1) WHERE id = ?2",
    [HY_SQL_OLDEST_BLOB] =
        "SELECT id, charge FROM blobs WHERE owner = ?1 ORDER BY used, id LIMIT 1",
    [HY_SQL_COUNT_BYTES] =
        "UPDATE owners SET bytes = bytes + ?2, uses = uses + 1 WHERE id = ?1 RETURNING bytes",
    [HY_SQL_RECOUNT_BYTES] = "UPDATE owners SET bytes ="
                             " (SELECT coalesce(sum(charge), 0) FROM blobs WHERE owner = ?1)"
                             " WHERE id = ?1 RETURNING bytes",
};

/* True for a damaged file: neither a full disk nor a lock explains the status. */
static bool is_damage(int status)
{
    switch (status & 0xff) {
    case SQLITE_ERROR: /* an expected table or column is missing */
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_SCHEMA:
    case SQLITE_EMPTY:
        return true;
    default:
        return false;
    }
}

/* A file that only later versions may write; Halyard makes no such file. */
static bool is_claimed_read_only(const struct hy_sql_file *file, int status)
{
    return status == SQLITE_READONLY && file->database &&
           access(sqlite3_db_filename(file->database, "main"), W_OK) == 0;
}

enum hy_code hy_sql_fail(struct hy_sql_file *file, int status, struct hy_error *err)
{
    if ((status & 0xff) == SQLITE_NOMEM)
        return hy_fail(err, HY_OUT_OF_MEMORY, "records");
    if (is_damage(status) || is_claimed_read_only(file, status))
        file->is_damaged = true;
    return hy_fail(err, HY_FAILED, "records: %s",
                   file->database ? sqlite3_errmsg(file->database) : sqlite3_errstr(status));
}

static int bind(sqlite3_stmt *statement, int at, const struct hy_sql_value *value)
{
    if (!value->data)
        return sqlite3_bind_int64(statement, at, value->number);
    if (value->is_text)
        return sqlite3_bind_text64(statement, at, value->data, value->length, SQLITE_STATIC,
                                   SQLITE_UTF8);
    return sqlite3_bind_blob64(statement, at, value->data, value->length, SQLITE_STATIC);
}

enum hy_code hy_sql_run(struct hy_sql_file *file, enum hy_sql which,
                        const struct hy_sql_value *values, unsigned count, sqlite3_stmt **row,
                        struct hy_error *err)
{
    sqlite3_stmt **statement = &file->statements[which];
    int status = SQLITE_OK;

    if (!*statement)
        status = sqlite3_prepare_v3(file->database, texts[which], -1, SQLITE_PREPARE_PERSISTENT,
                                    statement, NULL);
    else
        (void)sqlite3_reset(*statement);
    for (unsigned i = 0; status == SQLITE_OK && i < count; i++)
        status = bind(*statement, (int)i + 1, &values[i]);
    if (status == SQLITE_OK)
        status = sqlite3_step(*statement);
    if (status == SQLITE_ROW && row) {
        *row = *statement;
        return HY_OK;
    }
    if (row)
        *row = NULL;
    enum hy_code code = HY_OK;
    if (status != SQLITE_DONE && status != SQLITE_ROW)
        code = hy_sql_fail(file, status, err);
    if (*statement)
        (void)sqlite3_reset(*statement);
    return code;
}

void hy_sql_leave_rows(struct hy_sql_file *file)
{
    for (unsigned i = 0; i < HY_SQL_STATEMENTS; i++) {
        if (file->statements[i]) {
            (void)sqlite3_reset(file->statements[i]);
            (void)sqlite3_clear_bindings(file->statements[i]);
        }
    }
}

void hy_sql_end(struct hy_sql_file *file)
{
    hy_sql_leave_rows(file);
    if (file->database && !sqlite3_get_autocommit(file->database))
        (void)sqlite3_exec(file->database, "ROLLBACK", NULL, NULL, NULL);
}

enum hy_code hy_sql_open(const char *path, struct hy_sql_file *ret, struct hy_error *err)
{
    *ret = (struct hy_sql_file){0};
    if (!sqlite3_threadsafe())
        return hy_fail(err, HY_FAILED, "records: SQLite was built without support for threads");

    int status =
        sqlite3_open_v2(path, &ret->database,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE |
                            SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE,
                        NULL);
    if (status != SQLITE_OK)
        return hy_error_prefix(err, hy_sql_fail(ret, status, err), "%s", path);
    (void)sqlite3_busy_timeout(ret->database, BUSY_MILLISECONDS);
    (void)sqlite3_limit(ret->database, SQLITE_LIMIT_LENGTH, (int)HY_MAX_BLOB + (1 << 16));
    (void)sqlite3_db_config(ret->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return hy_sql_make_tables(ret, err);
}

void hy_sql_close(struct hy_sql_file *file)
{
    for (unsigned i = 0; i < HY_SQL_STATEMENTS; i++)
        (void)sqlite3_finalize(file->statements[i]);
    (void)sqlite3_close(file->database);
    *file = (struct hy_sql_file){0};
}
