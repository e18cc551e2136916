#include "cache_store/records/records_tables.h"

#include <string.h>

/*
 * - owners: users and drivers. `digests` and `bytes` are counts over all builds; `uses` numbers the
 *   uses of blobs, so that the blob with the least `used` is removed first.
 * - builds: of an owner; the build with the least `used` is removed first.
 * - digests: ids rise, so that the least id of an owner is the oldest.
 * - blobs, contents: separate, so that noting a use does not rewrite the bytes.
 * - mark: XXH3-128 of the record and its owner, see records_owner.h.
 */
static const char *const tables[] = {
    "CREATE TABLE owners (id INTEGER PRIMARY KEY, user INTEGER NOT NULL, driver TEXT NOT NULL,"
    " digests INTEGER NOT NULL, bytes INTEGER NOT NULL, uses INTEGER NOT NULL,"
    " UNIQUE (user, driver))",
    "CREATE TABLE builds (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, build TEXT NOT NULL,"
    " used INTEGER NOT NULL, UNIQUE (owner, build))",
    "CREATE TABLE digests (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, build INTEGER NOT NULL,"
    " token BLOB NOT NULL, digest BLOB NOT NULL, mark BLOB NOT NULL, UNIQUE (build, token))",
    "CREATE INDEX digests_by_age ON digests (owner)",
    "CREATE TABLE blobs (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, build INTEGER NOT NULL,"
    " key BLOB NOT NULL, charge INTEGER NOT NULL, mark BLOB NOT NULL, used INTEGER NOT NULL,"
    " UNIQUE (build, key))",
    "CREATE INDEX blobs_by_use ON blobs (owner, used)",
    "CREATE TABLE contents (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)",
};

enum { TABLES = sizeof tables / sizeof *tables };

/*
 * Losing the last records is only a cache miss, so nothing waits for the disk; a power failure may
 * damage the file, which is detected like any other damage. The file is never mapped: a truncated
 * file is then an error and no signal.
 */
static const char settings[] = "PRAGMA synchronous = OFF;"
                               "PRAGMA journal_mode = DELETE;"
                               "PRAGMA mmap_size = 0;"
                               "PRAGMA temp_store = MEMORY;"
                               "PRAGMA secure_delete = OFF;"
                               "PRAGMA trusted_schema = OFF;"
                               "PRAGMA cell_size_check = ON;";

static enum hy_code execute(struct hy_sql_file *file, const char *text, struct hy_error *err)
{
    const int status = sqlite3_exec(file->database, text, NULL, NULL, NULL);
    return status == SQLITE_OK ? HY_OK : hy_sql_fail(file, status, err);
}

static enum hy_code begin_file(struct hy_sql_file *file, struct hy_error *err)
{
    /* Returning pages to the file system takes minutes after large removals, so free pages are kept
     * for later records. Must come before the first table. */
    enum hy_code code = execute(file, "PRAGMA auto_vacuum = NONE; BEGIN", err);
    for (unsigned i = 0; i < TABLES && code == HY_OK; i++)
        code = execute(file, tables[i], err);
    if (code == HY_OK)
        code = execute(file, "COMMIT", err);
    return code;
}

/* Compares the tables of the file: none, the expected ones, or others. */
static enum hy_code compare_tables(struct hy_sql_file *file, sqlite3_stmt *schema, unsigned *found,
                                   struct hy_error *err)
{
    int status;

    *found = 0;
    while ((status = sqlite3_step(schema)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(schema, 0);
        if (*found >= TABLES || !text || strcmp(text, tables[*found]) != 0) {
            file->is_damaged = true;
            return hy_fail(err, HY_FAILED, "records: table %u has an unknown definition", *found);
        }
        ++*found;
    }
    if (status != SQLITE_DONE)
        return hy_sql_fail(file, status, err);
    if (*found > 0 && *found < TABLES) {
        file->is_damaged = true;
        return hy_fail(err, HY_FAILED, "records: the store has %u tables, needs %d", *found,
                       TABLES);
    }
    return HY_OK;
}

enum hy_code hy_sql_make_tables(struct hy_sql_file *file, struct hy_error *err)
{
    enum hy_code code = execute(file, settings, err);
    if (code != HY_OK)
        return code;

    sqlite3_stmt *schema = NULL;
    unsigned found = 0;
    const int status = sqlite3_prepare_v2(
        file->database, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid", -1,
        &schema, NULL);
    if (status != SQLITE_OK)
        return hy_sql_fail(file, status, err);
    code = compare_tables(file, schema, &found, err);
    (void)sqlite3_finalize(schema);
    if (code == HY_OK && found == 0)
        code = begin_file(file, err);
    return code;
}
