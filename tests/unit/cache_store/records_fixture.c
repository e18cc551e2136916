#include "records_fixture.h"

#include "tests/kit/test.h"

#include <ftw.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

const struct hy_records_owner hy_some_owner = {.user = 1000, .driver = "npu", .build = "1.0 abc"};

void hy_records_fixture_make(struct hy_records_fixture *fixture)
{
    *fixture = (struct hy_records_fixture){.top = "/tmp/hy-records-XXXXXX"};
    if (!mkdtemp(fixture->top))
        abort();
    snprintf(fixture->dir, sizeof fixture->dir, "%s/state", fixture->top);
    snprintf(fixture->file, sizeof fixture->file, "%s/records-2.db", fixture->dir);
    snprintf(fixture->damaged, sizeof fixture->damaged, "%s/records-2.damaged", fixture->dir);
}

void hy_records_fixture_reopen(struct hy_records_fixture *fixture)
{
    struct hy_error err = {.text = ""};

    hy_records_close(fixture->records);
    fixture->records = NULL;
    if (hy_records_open(fixture->dir, &fixture->records, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
}

void hy_records_fixture_begin(struct hy_records_fixture *fixture)
{
    hy_records_fixture_make(fixture);
    hy_records_fixture_reopen(fixture);
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

void hy_records_fixture_end(struct hy_records_fixture *fixture)
{
    hy_records_close(fixture->records);
    nftw(fixture->top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int64_t hy_records_fixture_number(const struct hy_records_fixture *fixture, const char *text)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    int64_t number = -1;

    if (sqlite3_open_v2(fixture->file, &database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(database, text, -1, &statement, NULL) != SQLITE_OK)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", text, sqlite3_errmsg(database));
    else if (sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return number;
}

void hy_records_fixture_sql(const struct hy_records_fixture *fixture, const char *text)
{
    sqlite3 *database = NULL;

    if (sqlite3_open_v2(fixture->file, &database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sqlite3_exec(database, text, NULL, NULL, NULL) != SQLITE_OK)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", text, sqlite3_errmsg(database));
    sqlite3_close(database);
}

static uint8_t byte_of(uint32_t index, uint32_t at)
{
    return (uint8_t)((index * 2654435761u + at * 40503u) >> 11);
}

void hy_token_number(uint32_t index, uint8_t token[HY_TOKEN_SIZE])
{
    memset(token, 0x55, HY_TOKEN_SIZE);
    memcpy(token, &index, sizeof index);
}

void hy_digest_number(uint32_t index, uint8_t digest[HY_DIGEST_SIZE])
{
    for (uint32_t i = 0; i < HY_DIGEST_SIZE; i++)
        digest[i] = byte_of(index, i);
}

/* Those who never rest may keep the file from others for a second, after which it is busy: on a
 * machine that is so itself that happens, and is asked again. */
enum { MOST_ATTEMPTS = 60 };

static bool is_busy(enum hy_code code, const struct hy_error *err)
{
    return code == HY_FAILED && strstr(err->text, "busy");
}

enum hy_code hy_store_number(struct hy_records *records, uint32_t index)
{
    uint8_t token[HY_TOKEN_SIZE], digest[HY_DIGEST_SIZE];
    struct hy_error err = {.text = ""};
    enum hy_code code = HY_OK;

    hy_token_number(index, token);
    hy_digest_number(index, digest);
    for (int i = 0; i == 0 || (i < MOST_ATTEMPTS && is_busy(code, &err)); i++)
        code = hy_digest_store(records, &hy_some_owner, token, digest, &err);
    return code;
}

enum hy_found hy_find_number(struct hy_records *records, uint32_t index)
{
    uint8_t token[HY_TOKEN_SIZE], digest[HY_DIGEST_SIZE], expected[HY_DIGEST_SIZE];
    struct hy_error err = {.text = ""};
    enum hy_code code = HY_OK;

    hy_token_number(index, token);
    hy_digest_number(index, expected);
    for (int i = 0; i == 0 || (i < MOST_ATTEMPTS && is_busy(code, &err)); i++)
        code = hy_digest_find(records, &hy_some_owner, token, digest, &err);
    if (code != HY_OK)
        return HY_FOUND_NONE;
    return memcmp(digest, expected, sizeof digest) == 0 ? HY_FOUND_RIGHT : HY_FOUND_WRONG;
}

enum hy_code hy_store_blob_number(struct hy_records *records, uint32_t index, uint64_t length)
{
    uint8_t *blob = malloc(length + 1);
    if (!blob)
        abort();
    for (uint64_t i = 0; i < length; i++)
        blob[i] = byte_of(index, (uint32_t)i);
    struct hy_error err = {.text = ""};
    enum hy_code code = HY_OK;
    for (int i = 0; i == 0 || (i < MOST_ATTEMPTS && is_busy(code, &err)); i++)
        code = hy_blob_store(records, &hy_some_owner, &index, sizeof index, blob, length, &err);
    free(blob);
    return code;
}

enum hy_found hy_load_blob_number(struct hy_records *records, uint32_t index, uint64_t length)
{
    uint8_t *blob = malloc(length + 1);
    uint64_t found = 0;
    if (!blob)
        abort();
    struct hy_error err = {.text = ""};
    enum hy_code code = HY_OK;
    for (int i = 0; i == 0 || (i < MOST_ATTEMPTS && is_busy(code, &err)); i++)
        code =
            hy_blob_load(records, &hy_some_owner, &index, sizeof index, blob, length, &found, &err);
    enum hy_found result = HY_FOUND_RIGHT;
    if (code != HY_OK || found == 0)
        result = HY_FOUND_NONE;
    else if (found != length)
        result = HY_FOUND_WRONG;
    for (uint64_t i = 0; result == HY_FOUND_RIGHT && i < length; i++) {
        if (blob[i] != byte_of(index, (uint32_t)i))
            result = HY_FOUND_WRONG;
    }
    free(blob);
    return result;
}
