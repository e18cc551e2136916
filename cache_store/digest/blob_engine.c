#include "cache_store/records/records_owner.h"
#include "cache_store/records/records_session.h"

#include <string.h>

/* Limit per owner over all its builds, in bytes: two of the largest blobs. Each blob counts with
 * its key and the overhead in the file. */
static const int64_t most_bytes = INT64_C(512) << 20;
enum { COST_OF_ONE = 256 };

enum outcome { NONE, TOO_LONG, LOADED, LOADED_NEWEST, DAMAGED };

struct request {
    const struct hy_records_owner *owner;
    struct hy_bytes key;
    struct hy_bytes blob; /* to store */
    void *capacity;       /* buffer of `blob.length` bytes for loading */
    uint64_t found;       /* bytes */
    enum outcome outcome;
};

static enum hy_code check_key(const void *key, uint64_t length, struct hy_error *err)
{
    if (!key || length == 0)
        return hy_fail(err, HY_BAD_DATA, "blob with an empty key");
    if (length > HY_MAX_BLOB_KEY)
        return hy_fail(err, HY_BAD_DATA, "blob with a key of %llu bytes, the limit is %u",
                       (unsigned long long)length, HY_MAX_BLOB_KEY);
    return HY_OK;
}

static int64_t charge_of(const struct request *request, uint64_t length)
{
    return (int64_t)(request->key.length + length + COST_OF_ONE);
}

static enum hy_code find_row(struct hy_sql_file *file, int64_t build, const struct request *request,
                             sqlite3_stmt **row, struct hy_error *err)
{
    const struct hy_sql_value values[] = {HY_SQL_NUMBER(build),
                                          HY_SQL_BYTES(request->key.data, request->key.length)};
    return hy_sql_run(file, HY_SQL_FIND_BLOB, values, 2, row, err);
}

/* `*count`: bytes of the owner after the removal. */
static enum hy_code remove_row(struct hy_sql_file *file, int64_t owner, int64_t id, int64_t charge,
                               int64_t *count, struct hy_error *err)
{
    const struct hy_sql_value value = HY_SQL_NUMBER(id);

    enum hy_code code = hy_sql_run(file, HY_SQL_REMOVE_CONTENT, &value, 1, NULL, err);
    if (code == HY_OK)
        code = hy_sql_run(file, HY_SQL_REMOVE_BLOB, &value, 1, NULL, err);
    if (code == HY_OK)
        code = hy_owner_count(file, &hy_owner_bytes, owner, -charge, count, err);
    return code;
}

static enum hy_code remove_same(struct hy_sql_file *file, const struct hy_owner_rows *rows,
                                const struct request *request, int64_t *count, struct hy_error *err)
{
    sqlite3_stmt *row;
    enum hy_code code = find_row(file, rows->build, request, &row, err);
    if (code != HY_OK)
        return code;
    if (!row)
        return hy_owner_count(file, &hy_owner_bytes, rows->owner, 0, count, err);
    return remove_row(file, rows->owner, sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1),
                      count, err);
}

/* Removes the least recently used blobs until `needed` more bytes fit. */
static enum hy_code evict(struct hy_sql_file *file, int64_t owner, int64_t count, int64_t needed,
                          struct hy_error *err)
{
    const struct hy_sql_value value = HY_SQL_NUMBER(owner);
    enum hy_code code = HY_OK;

    while (code == HY_OK && count > most_bytes - needed) {
        sqlite3_stmt *row;
        code = hy_sql_run(file, HY_SQL_OLDEST_BLOB, &value, 1, &row, err);
        if (code != HY_OK)
            return code;
        if (!row) /* the count was wrong */
            return hy_owner_recount(file, &hy_owner_bytes, owner, &count, err);
        code = remove_row(file, owner, sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1),
                          &count, err);
    }
    return code;
}

static enum hy_code add_row(struct hy_sql_file *file, const struct hy_owner_rows *rows,
                            const struct request *request, struct hy_error *err)
{
    const int64_t charge = charge_of(request, request->blob.length);
    uint8_t mark[HY_MARK_SIZE];
    int64_t count;

    enum hy_code code = hy_owner_count(file, &hy_owner_bytes, rows->owner, charge, &count, err);
    if (code != HY_OK)
        return code;
    hy_owner_mark(request->owner, request->key, request->blob, mark);
    const struct hy_sql_value row[] = {HY_SQL_NUMBER(rows->owner), HY_SQL_NUMBER(rows->build),
                                       HY_SQL_BYTES(request->key.data, request->key.length),
                                       HY_SQL_NUMBER(charge), HY_SQL_BYTES(mark, sizeof mark)};
    code = hy_sql_run(file, HY_SQL_ADD_BLOB, row, 5, NULL, err);
    if (code != HY_OK)
        return code;
    const struct hy_sql_value content[] = {HY_SQL_NUMBER(sqlite3_last_insert_rowid(file->database)),
                                           HY_SQL_BYTES(request->blob.data, request->blob.length)};
    return hy_sql_run(file, HY_SQL_ADD_CONTENT, content, 2, NULL, err);
}

static enum hy_code store_blob(struct hy_sql_file *file, void *context, struct hy_error *err)
{
    const struct request *request = context;
    struct hy_owner_rows rows;
    int64_t count;

    enum hy_code code = hy_owner_find_or_add(file, request->owner, &rows, err);
    if (code == HY_OK)
        code = remove_same(file, &rows, request, &count, err);
    if (code == HY_OK)
        code = evict(file, rows.owner, count, charge_of(request, request->blob.length), err);
    return code == HY_OK ? add_row(file, &rows, request, err) : code;
}

static enum hy_code remove_blob(struct hy_sql_file *file, void *context, struct hy_error *err)
{
    const struct request *request = context;
    struct hy_owner_rows rows;
    int64_t count;

    enum hy_code code = hy_owner_find(file, request->owner, &rows, err);
    return code == HY_OK && rows.build != 0 ? remove_same(file, &rows, request, &count, err) : code;
}

enum hy_code hy_blob_store(struct hy_records *records, const struct hy_records_owner *owner,
                           const void *key, uint64_t key_length, const void *blob,
                           uint64_t blob_length, struct hy_error *err)
{
    enum hy_code code = check_key(key, key_length, err);
    if (code != HY_OK)
        return code;
    if (blob_length > HY_MAX_BLOB || (!blob && blob_length > 0))
        return hy_fail(err, HY_BAD_DATA, "blob of %llu bytes, the limit is %llu",
                       (unsigned long long)blob_length, (unsigned long long)HY_MAX_BLOB);

    struct request request = {.owner = owner,
                              .key = {.data = key, .length = key_length},
                              .blob = {.data = blob, .length = blob_length}};
    /* An empty blob loads like a missing blob, so storing it removes the old blob. */
    return hy_records_run(records, HY_RECORDS_WRITE, blob_length > 0 ? store_blob : remove_blob,
                          &request, err);
}

enum hy_code hy_blob_remove(struct hy_records *records, const struct hy_records_owner *owner,
                            const void *key, uint64_t key_length, struct hy_error *err)
{
    struct request request = {.owner = owner, .key = {.data = key, .length = key_length}};

    enum hy_code code = check_key(key, key_length, err);
    return code == HY_OK ? hy_records_run(records, HY_RECORDS_WRITE, remove_blob, &request, err)
                         : code;
}

/* Reads directly into the caller's memory, for any size. */
static enum hy_code read_content(struct hy_sql_file *file, int64_t id, int64_t charge,
                                 struct request *request, struct hy_error *err)
{
    sqlite3_blob *content = NULL;
    int status = sqlite3_blob_open(file->database, "main", "contents", "bytes", id, 0, &content);
    if (status == SQLITE_ERROR) { /* no such row: only in a damaged file */
        request->outcome = DAMAGED;
        return HY_OK;
    }
    if (status == SQLITE_OK) {
        request->found = (uint64_t)sqlite3_blob_bytes(content);
        if (charge != charge_of(request, request->found))
            request->outcome = DAMAGED;
        else if (request->found > request->blob.length)
            request->outcome = TOO_LONG;
        else
            status = sqlite3_blob_read(content, request->capacity, (int)request->found, 0);
    }
    enum hy_code code = status == SQLITE_OK ? HY_OK : hy_sql_fail(file, status, err);
    (void)sqlite3_blob_close(content);
    return code;
}

static enum hy_code load_blob(struct hy_sql_file *file, void *context, struct hy_error *err)
{
    struct request *request = context;
    sqlite3_stmt *row = NULL;
    struct hy_owner_rows rows;

    request->outcome = NONE;
    enum hy_code code = hy_owner_find(file, request->owner, &rows, err);
    if (code == HY_OK && rows.build != 0)
        code = find_row(file, rows.build, request, &row, err);
    if (code != HY_OK || !row)
        return code;

    const bool is_newest = rows.is_newest && sqlite3_column_int(row, 3) != 0;
    request->outcome = is_newest ? LOADED_NEWEST : LOADED;
    code = read_content(file, sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1), request,
                        err);
    if (code != HY_OK || request->outcome == DAMAGED || request->outcome == TOO_LONG)
        return code;

    const struct hy_bytes blob = {.data = request->capacity, .length = request->found};
    const void *stored = sqlite3_column_blob(row, 2);
    uint8_t mark[HY_MARK_SIZE];
    hy_owner_mark(request->owner, request->key, blob, mark);
    if (!stored || sqlite3_column_bytes(row, 2) != HY_MARK_SIZE ||
        memcmp(stored, mark, sizeof mark) != 0)
        request->outcome = DAMAGED;
    return HY_OK;
}

static enum hy_code note_use(struct hy_sql_file *file, void *context, struct hy_error *err)
{
    const struct request *request = context;
    sqlite3_stmt *row = NULL;
    struct hy_owner_rows rows;
    int64_t count;

    enum hy_code code = hy_owner_find(file, request->owner, &rows, err);
    if (code == HY_OK && rows.build != 0)
        code = find_row(file, rows.build, request, &row, err);
    if (code != HY_OK || !row)
        return code;
    const struct hy_sql_value values[] = {HY_SQL_NUMBER(rows.owner),
                                          HY_SQL_NUMBER(sqlite3_column_int64(row, 0))};
    code = hy_owner_note_use(file, &rows, err);
    if (code == HY_OK)
        code = hy_owner_count(file, &hy_owner_bytes, rows.owner, 0, &count, err);
    return code == HY_OK ? hy_sql_run(file, HY_SQL_USE_BLOB, values, 2, NULL, err) : code;
}

enum hy_code hy_blob_load(struct hy_records *records, const struct hy_records_owner *owner,
                          const void *key, uint64_t key_length, void *blob, uint64_t capacity,
                          uint64_t *blob_length, struct hy_error *err)
{
    struct request request = {.owner = owner,
                              .key = {.data = key, .length = key_length},
                              .blob = {.length = blob ? capacity : 0},
                              .capacity = blob};

    enum hy_code code = check_key(key, key_length, err);
    if (code == HY_OK)
        code = hy_records_run(records, HY_RECORDS_READ, load_blob, &request, err);
    if (code != HY_OK)
        return code;

    /* A separate transaction: a failed write does not undo the load. */
    if (request.outcome == LOADED)
        (void)!hy_records_run(records, HY_RECORDS_WRITE, note_use, &request, NULL);
    else if (request.outcome == DAMAGED)
        (void)!hy_records_run(records, HY_RECORDS_WRITE, remove_blob, &request, NULL);
    const bool is_there = request.outcome != NONE && request.outcome != DAMAGED;
    *blob_length = is_there ? request.found : 0;
    return HY_OK;
}
