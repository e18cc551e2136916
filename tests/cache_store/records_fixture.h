#ifndef HY_TESTS_CACHE_STORE_RECORDS_FIXTURE_H
#define HY_TESTS_CACHE_STORE_RECORDS_FIXTURE_H

#include "cache_store/records/records.h"

/* Records in a temporary folder, and bytes that tell where they belong. */
struct hy_records_fixture {
    char top[64];     /* the temporary folder */
    char folder[128]; /* in it: what the records are opened with */
    char file[160];   /* in that */
    char aside[160];  /* where a damaged one goes */
    struct hy_records *records;
};

extern const struct hy_records_owner hy_some_owner;

/* Opens records in a new folder; a failure is recorded, `records` NULL. */
void hy_records_fixture_begin(struct hy_records_fixture *fixture);
/* The same without opening them. */
void hy_records_fixture_make(struct hy_records_fixture *fixture);
void hy_records_fixture_reopen(struct hy_records_fixture *fixture);
void hy_records_fixture_end(struct hy_records_fixture *fixture); /* removes everything */

/* Runs statements on the file, behind the back of the records. */
void hy_records_fixture_sql(const struct hy_records_fixture *fixture, const char *text);
/* The first column of the first row, -1 without any. */
int64_t hy_records_fixture_number(const struct hy_records_fixture *fixture, const char *text);

void hy_token_number(uint32_t index, uint8_t token[HY_TOKEN_SIZE]);
void hy_digest_number(uint32_t index, uint8_t digest[HY_DIGEST_SIZE]);
/* Stores digest `index` under token `index`. */
enum hy_code hy_store_number(struct hy_records *records, uint32_t index);

enum hy_found { HY_FOUND_NONE, HY_FOUND_RIGHT, HY_FOUND_WRONG };
/* Finds it: there, right, or what must never be. */
enum hy_found hy_find_number(struct hy_records *records, uint32_t index);

/* Blob `index`: `length` bytes told by it. */
enum hy_code hy_store_blob_number(struct hy_records *records, uint32_t index, uint64_t length);
enum hy_found hy_load_blob_number(struct hy_records *records, uint32_t index, uint64_t length);

#endif
