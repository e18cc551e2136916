#include "cache_store/digest/content_digest.h"
#include "cache_store/records/records_owner.h"
#include "cache_store/records/records_session.h"

#include <string.h>

/* Limit per owner over all its builds: a digest has about 200 bytes, and a driver has one per
 * prepared model. */
enum { MOST_DIGESTS = 100000 };

struct request {
    const struct hy_records_owner *owner;
    const uint8_t *token;
    const uint8_t *digest; /* to store */
    uint8_t *found;
    bool is_newest; /* the build was used last */
};

static void mark_of(const struct request *request, const uint8_t *digest, uint8_t *mark)
{
    hy_owner_mark(request->owner,
                  (struct hy_bytes){.data = request->token, .length = HY_TOKEN_SIZE},
                  (struct hy_bytes){.data = digest, .length = HY_DIGEST_SIZE}, mark);
}

/* Makes space for one more: removes the oldest digests, usually one. */
static enum hy_code evict(struct hy_sql_file *file, int64_t owner, int64_t count,
                          struct hy_error *err)
{
    const struct hy_sql_value value = HY_SQL_NUMBER(owner);
    enum hy_code code = HY_OK;

    while (code == HY_OK && count >= MOST_DIGESTS) {
        sqlite3_stmt *row;
        code = hy_sql_run(file, HY_SQL_OLDEST_DIGEST, &value, 1, &row, err);
        if (code != HY_OK)
            return code;
        if (!row) /* the count was wrong */
            return hy_owner_recount(file, &hy_owner_digests, owner, &count, err);
        const struct hy_sql_value oldest = HY_SQL_NUMBER(sqlite3_column_int64(row, 0));
        code = hy_sql_run(file, HY_SQL_REMOVE_DIGEST_ROW, &oldest, 1, NULL, err);
        if (code == HY_OK)
            code = hy_owner_count(file, &hy_owner_digests, owner, -1, &count, err);
    }
    return code;
}

static enum hy_code store_digest(struct hy_sql_file *file, void *context, struct hy_error *err)
{
    const struct request *request = context;
    struct hy_owner_rows rows;
    int64_t count;

    enum hy_code code = hy_owner_find_or_add(file, request->owner, &rows, err);
    if (code != HY_OK)
        return code;

    uint8_t mark[HY_MARK_SIZE];
    mark_of(request, request->digest, mark);
    const struct hy_sql_value values[] = {HY_SQL_NUMBER(rows.owner), HY_SQL_NUMBER(rows.build),
                                          HY_SQL_BYTES(request->token, HY_TOKEN_SIZE),
                                          HY_SQL_BYTES(request->digest, HY_DIGEST_SIZE),
                                          HY_SQL_BYTES(mark, sizeof mark)};
    code = hy_sql_run(file, HY_SQL_REMOVE_DIGEST, values, 3, NULL, err);
    const int removed = sqlite3_changes(file->database);
    if (code == HY_OK)
        code = hy_owner_count(file, &hy_owner_digests, rows.owner, -removed, &count, err);
    if (code == HY_OK)
        code = evict(file, rows.owner, count, err);
    if (code == HY_OK)
        code = hy_owner_count(file, &hy_owner_digests, rows.owner, 1, &count, err);
    if (code == HY_OK)
        code = hy_sql_run(file, HY_SQL_ADD_DIGEST, values, 5, NULL, err);
    return code;
}

enum hy_code hy_digest_store(struct hy_records *records, const struct hy_records_owner *owner,
                             const uint8_t token[HY_TOKEN_SIZE],
                             const uint8_t digest[HY_DIGEST_SIZE], struct hy_error *err)
{
    struct request request = {.owner = owner, .token = token, .digest = digest};
    hy_digest_memory_invalidate(hy_records_memory(records), token);
    return hy_records_run(records, HY_RECORDS_WRITE, store_digest, &request, err);
}

static bool is_whole(const struct request *request, sqlite3_stmt *row)
{
    const uint8_t *digest = sqlite3_column_blob(row, 0);
    const uint8_t *stored = sqlite3_column_blob(row, 1);
    uint8_t mark[HY_MARK_SIZE];

    if (!digest || sqlite3_column_bytes(row, 0) != HY_DIGEST_SIZE || !stored ||
        sqlite3_column_bytes(row, 1) != HY_MARK_SIZE)
        return false;
    mark_of(request, digest, mark);
    return memcmp(mark, stored, sizeof mark) == 0;
}

/* The query of each start with cached models. */
static enum hy_code look_up_digest(struct hy_sql_file *file, void *context, struct hy_error *err)
{
    struct request *request = context;
    const struct hy_records_owner *owner = request->owner;
    const struct hy_sql_value values[] = {HY_SQL_NUMBER(owner->user), HY_SQL_TEXT(owner->driver),
                                          HY_SQL_TEXT(owner->build),
                                          HY_SQL_BYTES(request->token, HY_TOKEN_SIZE)};
    sqlite3_stmt *row = NULL;

    enum hy_code code = hy_sql_run(file, HY_SQL_LOOK_UP_DIGEST, values, 4, &row, err);
    if (code != HY_OK)
        return code;
    if (!row)
        return hy_fail(err, HY_BAD_STATE, "no digest is recorded under the token");
    if (!is_whole(request, row))
        return hy_fail(err, HY_BAD_STATE, "the digest recorded under the token is damaged");
    memcpy(request->found, sqlite3_column_blob(row, 0), HY_DIGEST_SIZE);
    request->is_newest = sqlite3_column_int(row, 2) != 0;
    return HY_OK;
}

static enum hy_code note_use(struct hy_sql_file *file, void *context, struct hy_error *err)
{
    const struct request *request = context;
    struct hy_owner_rows rows;

    enum hy_code code = hy_owner_find(file, request->owner, &rows, err);
    return code == HY_OK ? hy_owner_note_use(file, &rows, err) : code;
}

enum hy_code hy_digest_find(struct hy_records *records, const struct hy_records_owner *owner,
                            const uint8_t token[HY_TOKEN_SIZE], uint8_t ret[HY_DIGEST_SIZE],
                            struct hy_error *err)
{
    struct request request = {.owner = owner, .token = token, .found = ret};

    enum hy_code code = hy_records_run(records, HY_RECORDS_LOOK, look_up_digest, &request, err);
    /* A failed write does not affect the result of the lookup. */
    if (code == HY_OK && !request.is_newest)
        (void)!hy_records_run(records, HY_RECORDS_WRITE, note_use, &request, NULL);
    return code;
}

enum hy_code hy_digest_check(struct hy_records *records, const struct hy_records_owner *owner,
                             const uint8_t token[HY_TOKEN_SIZE],
                             const uint8_t digest[HY_DIGEST_SIZE], struct hy_error *err)
{
    struct hy_digest_memory *memory = hy_records_memory(records);
    uint8_t recorded[HY_DIGEST_SIZE];

    if (hy_digest_memory_has(memory, owner, token, digest))
        return HY_OK;
    enum hy_code code = hy_digest_find(records, owner, token, recorded, err);
    if (code == HY_OK && !hy_digest_is_equal(digest, recorded))
        code = hy_fail(err, HY_BAD_DATA, "another digest is recorded under the token");
    if (code == HY_OK)
        hy_digest_memory_note(memory, owner, token, digest);
    return code;
}
