#include "cache_store/records_owner.h"

#include "cache_store/xxh3.h"

#include <string.h>

static enum hy_code renew(struct hy_sql_file *file, int64_t id, const char *build,
                          struct hy_error *err)
{
    static const enum hy_sql drops[] = {HY_SQL_DROP_DIGESTS, HY_SQL_DROP_CONTENTS,
                                        HY_SQL_DROP_BLOBS};
    const struct hy_sql_value values[] = {HY_SQL_NUMBER(id), HY_SQL_TEXT(build)};

    enum hy_code code = HY_OK;
    for (unsigned i = 0; i < sizeof drops / sizeof *drops && code == HY_OK; i++)
        code = hy_sql_run(file, drops[i], values, 1, NULL, err);
    if (code == HY_OK)
        code = hy_sql_run(file, HY_SQL_RENEW_OWNER, values, 2, NULL, err);
    return code;
}

static bool is_text(sqlite3_stmt *row, int column, const char *text)
{
    const void *bytes = sqlite3_column_text(row, column);
    const size_t length = strlen(text);
    return bytes && (size_t)sqlite3_column_bytes(row, column) == length &&
           memcmp(bytes, text, length) == 0;
}

enum hy_code hy_owner_find(struct hy_sql_file *file, const struct hy_records_owner *owner,
                           bool make, int64_t *ret, struct hy_error *err)
{
    const struct hy_sql_value values[] = {HY_SQL_NUMBER(owner->user), HY_SQL_TEXT(owner->driver),
                                          HY_SQL_TEXT(owner->build)};
    sqlite3_stmt *row;

    enum hy_code code = hy_sql_run(file, HY_SQL_FIND_OWNER, values, 2, &row, err);
    if (code != HY_OK)
        return code;
    if (row) {
        *ret = sqlite3_column_int64(row, 0);
        return is_text(row, 1, owner->build) ? HY_OK : renew(file, *ret, owner->build, err);
    }
    *ret = 0;
    if (make) {
        code = hy_sql_run(file, HY_SQL_ADD_OWNER, values, 3, NULL, err);
        *ret = sqlite3_last_insert_rowid(file->database);
    }
    return code;
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
