#include "records_copy.h"

#include "cache_store/records/records.h"

#include <stdlib.h>
#include <string.h>

static const struct hy_records_owner owner = {.user = 1000, .driver = "npu", .build = "1.0 abc"};

static void make_record(uint32_t index, uint8_t token[HY_TOKEN_SIZE],
                        uint8_t digest[HY_DIGEST_SIZE])
{
    memset(token, 0x33, HY_TOKEN_SIZE);
    memcpy(token, &index, sizeof index);
    memset(digest, (int)index, HY_DIGEST_SIZE);
}

/* On a busy machine the other copy may keep the file for longer than one waits. */
static bool store(struct hy_records *records, const uint8_t *token, const uint8_t *digest)
{
    enum { MOST_ATTEMPTS = 60 };
    struct hy_error err = {.text = ""};
    enum hy_code code = HY_FAILED;

    for (int i = 0; i == 0 || (i < MOST_ATTEMPTS && strstr(err.text, "busy")); i++) {
        err.text[0] = '\0';
        code = hy_digest_store(records, &owner, token, digest, &err);
    }
    return code == HY_OK;
}

__attribute__((visibility("default"))) int hy_records_copy_store(const char *dir, uint32_t first,
                                                                 uint32_t end)
{
    struct hy_records *records = NULL;
    int failed = 0;

    for (uint32_t i = first; i < end; i++) {
        uint8_t token[HY_TOKEN_SIZE], digest[HY_DIGEST_SIZE];
        make_record(i, token, digest);
        if (!records)
            failed += hy_records_open(dir, &records, NULL) != HY_OK;
        failed += !records || !store(records, token, digest);
        if (i % 4 == 0) { /* closing is what lets go of the locks of a process */
            hy_records_close(records);
            records = NULL;
        }
    }
    hy_records_close(records);
    return failed;
}

__attribute__((visibility("default"))) int hy_records_copy_find(const char *dir, uint32_t first,
                                                                uint32_t end)
{
    struct hy_records *records = NULL;
    int failed = hy_records_open(dir, &records, NULL) != HY_OK;

    for (uint32_t i = first; i < end && records; i++) {
        uint8_t token[HY_TOKEN_SIZE], digest[HY_DIGEST_SIZE], found[HY_DIGEST_SIZE];
        make_record(i, token, digest);
        failed += hy_digest_find(records, &owner, token, found, NULL) != HY_OK ||
                  memcmp(found, digest, sizeof digest) != 0;
    }
    hy_records_close(records);
    return failed;
}
