#include "cache_store/records/records_owner.h"

#include "cache_store/digest/xxh3.h"

#include <string.h>

const struct hy_owner_count hy_owner_digests = {HY_SQL_COUNT_DIGESTS, HY_SQL_RECOUNT_DIGESTS};
const struct hy_owner_count hy_owner_bytes = {HY_SQL_COUNT_BYTES, HY_SQL_RECOUNT_BYTES};

enum hy_code hy_owner_find(struct hy_sql_file *file, const struct hy_records_owner *owner,
                           struct hy_owner_rows *ret, struct hy_error *err)
{
    const struct hy_sql_value values[] = {HY_SQL_NUMBER(owner->user), HY_SQL_TEXT(owner->driver),
                                          HY_SQL_TEXT(owner->build)};
    sqlite3_stmt *row;

    enum hy_code code = hy_sql_run(file, HY_SQL_FIND_BUILD, values, 3, &row, err);
    if (code != HY_OK)
        return code;
    *ret = (struct hy_owner_rows){0};
    if (row)
        *ret = (struct hy_owner_rows){.owner = sqlite3_column_int64(row, 0),
                                      .build = sqlite3_column_int64(row, 1),
                                      .is_newest = sqlite3_column_int(row, 2) != 0};
    return HY_OK;
}

static enum hy_code first_number(struct hy_sql_file *file, enum hy_sql which,
                                 const struct hy_sql_value *values, unsigned count, int64_t *ret,
                                 struct hy_error *err)
{
    sqlite3_stmt *row;

    enum hy_code code = hy_sql_run(file, which, values, count, &row, err);
    if (code == HY_OK)
        *ret = row ? sqlite3_column_int64(row, 0) : 0;
    return code;
}

enum hy_code hy_owner_recount(struct hy_sql_file *file, const struct hy_owner_count *count,
                              int64_t owner, int64_t *ret, struct hy_error *err)
{
    const struct hy_sql_value value = HY_SQL_NUMBER(owner);
    return first_number(file, count->recount, &value, 1, ret, err);
}

enum hy_code hy_owner_count(struct hy_sql_file *file, const struct hy_owner_count *count,
                            int64_t owner, int64_t added, int64_t *ret, struct hy_error *err)
{
    const struct hy_sql_value values[] = {HY_SQL_NUMBER(owner), HY_SQL_NUMBER(added)};

    enum hy_code code = first_number(file, count->add, values, 2, ret, err);
    if (code == HY_OK && *ret < 0)
        code = hy_owner_recount(file, count, owner, ret, err);
    return code;
}

/* Removes a build with all its records. */
static enum hy_code drop_build(struct hy_sql_file *file, int64_t build, struct hy_error *err)
{
    static const enum hy_sql drops[] = {HY_SQL_DROP_DIGESTS, HY_SQL_DROP_CONTENTS,
                                        HY_SQL_DROP_BLOBS, HY_SQL_DROP_BUILD};
    const struct hy_sql_value value = HY_SQL_NUMBER(build);
    enum hy_code code = HY_OK;

    for (unsigned i = 0; i < sizeof drops / sizeof *drops && code == HY_OK; i++)
        code = hy_sql_run(file, drops[i], &value, 1, NULL, err);
    return code;
}

/* Makes space for one more: removes the least recently used builds, usually one. */
static enum hy_code evict(struct hy_sql_file *file, int64_t owner, int64_t builds,
                          struct hy_error *err)
{
    const struct hy_sql_value value = HY_SQL_NUMBER(owner);
    enum hy_code code = HY_OK;
    int64_t count;

    if (builds < HY_MOST_BUILDS)
        return HY_OK;
    for (; code == HY_OK && builds >= HY_MOST_BUILDS; builds--) {
        sqlite3_stmt *row;
        code = hy_sql_run(file, HY_SQL_OLDEST_BUILD, &value, 1, &row, err);
        if (code == HY_OK && row)
            code = drop_build(file, sqlite3_column_int64(row, 0), err);
    }
    if (code == HY_OK)
        code = hy_owner_recount(file, &hy_owner_digests, owner, &count, err);
    return code == HY_OK ? hy_owner_recount(file, &hy_owner_bytes, owner, &count, err) : code;
}

static enum hy_code add_build(struct hy_sql_file *file, const struct hy_records_owner *owner,
                              struct hy_owner_rows *ret, struct hy_error *err)
{
    const struct hy_sql_value whose[] = {HY_SQL_NUMBER(owner->user), HY_SQL_TEXT(owner->driver)};
    sqlite3_stmt *row = NULL;

    enum hy_code code = hy_sql_run(file, HY_SQL_ADD_OWNER, whose, 2, NULL, err);
    if (code == HY_OK)
        code = hy_sql_run(file, HY_SQL_FIND_OWNER, whose, 2, &row, err);
    if (code == HY_OK && !row) {
        file->is_damaged = true;
        code = hy_fail(err, HY_FAILED, "records: the row of driver %s is missing", owner->driver);
    }
    if (code != HY_OK)
        return code;

    const int64_t id = sqlite3_column_int64(row, 0);
    const struct hy_sql_value values[] = {HY_SQL_NUMBER(id), HY_SQL_TEXT(owner->build)};
    code = evict(file, id, sqlite3_column_int64(row, 1), err);
    if (code == HY_OK)
        code = hy_sql_run(file, HY_SQL_ADD_BUILD, values, 2, NULL, err);
    if (code == HY_OK)
        *ret =
            (struct hy_owner_rows){.owner = id, .build = sqlite3_last_insert_rowid(file->database)};
    return code;
}

enum hy_code hy_owner_note_use(struct hy_sql_file *file, const struct hy_owner_rows *rows,
                               struct hy_error *err)
{
    const struct hy_sql_value values[] = {HY_SQL_NUMBER(rows->owner), HY_SQL_NUMBER(rows->build)};

    return rows->build == 0 || rows->is_newest
               ? HY_OK
               : hy_sql_run(file, HY_SQL_USE_BUILD, values, 2, NULL, err);
}

enum hy_code hy_owner_find_or_add(struct hy_sql_file *file, const struct hy_records_owner *owner,
                                  struct hy_owner_rows *ret, struct hy_error *err)
{
    enum hy_code code = hy_owner_find(file, owner, ret, err);
    if (code == HY_OK && ret->build == 0)
        code = add_build(file, owner, ret, err);
    return code == HY_OK ? hy_owner_note_use(file, ret, err) : code;
}

struct part {
    uint64_t length;
    XXH128_canonical_t hash;
};

static struct part part_of(const void *data, uint64_t length)
{
    struct part part = {.length = length};
    XXH128_canonicalFromHash(&part.hash, XXH3_128bits(data, length));
    return part;
}

void hy_owner_mark(const struct hy_records_owner *owner, struct hy_bytes key, struct hy_bytes value,
                   uint8_t mark[HY_MARK_SIZE])
{
    const struct part parts[] = {part_of(&owner->user, sizeof owner->user),
                                 part_of(owner->driver, strlen(owner->driver)),
                                 part_of(owner->build, strlen(owner->build)),
                                 part_of(key.data, key.length), part_of(value.data, value.length)};
    XXH128_canonical_t hash;

    XXH128_canonicalFromHash(&hash, XXH3_128bits(parts, sizeof parts));
    memcpy(mark, hash.digest, HY_MARK_SIZE);
}
