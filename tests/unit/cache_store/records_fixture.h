#ifndef HY_TESTS_UNIT_CACHE_STORE_RECORDS_FIXTURE_H
#define HY_TESTS_UNIT_CACHE_STORE_RECORDS_FIXTURE_H

#include "cache_store/records/records.h"

/* Records in a temporary directory. Contents follow from an index, so a test can check all bytes.
 */
struct hy_records_fixture {
    char top[64];      /* the temporary directory */
    char dir[128];     /* inside `top`: where the records are opened */
    char file[160];    /* the database inside `folder` */
    char damaged[160]; /* where a damaged database goes */
    struct hy_records *records;
};

extern const struct hy_records_owner hy_some_owner;

/* Opens records in a new directory. On failure records a test failure and sets `records` to
 * NULL. */
void hy_records_fixture_begin(struct hy_records_fixture *fixture);
/* Creates the directory without opening records. */
void hy_records_fixture_make(struct hy_records_fixture *fixture);
void hy_records_fixture_reopen(struct hy_records_fixture *fixture);
void hy_records_fixture_end(struct hy_records_fixture *fixture); /* removes everything */

/* Runs SQL statements on the file directly, without the records code. */
void hy_records_fixture_sql(const struct hy_records_fixture *fixture, const char *text);
/* First column of the first row, or -1 without rows. */
int64_t hy_records_fixture_number(const struct hy_records_fixture *fixture, const char *text);

void hy_token_number(uint32_t index, uint8_t token[HY_TOKEN_SIZE]);
void hy_digest_number(uint32_t index, uint8_t digest[HY_DIGEST_SIZE]);
/* Stores digest `index` under token `index`. */
enum hy_code hy_store_number(struct hy_records *records, uint32_t index);

enum hy_found { HY_FOUND_NONE, HY_FOUND_RIGHT, HY_FOUND_WRONG };
/* Looks up token `index`. HY_FOUND_WRONG, a wrong digest, must never occur. */
enum hy_found hy_find_number(struct hy_records *records, uint32_t index);

/* Stores or loads blob `index`: `length` bytes computed from the index. */
enum hy_code hy_store_blob_number(struct hy_records *records, uint32_t index, uint64_t length);
enum hy_found hy_load_blob_number(struct hy_records *records, uint32_t index, uint64_t length);

#endif
