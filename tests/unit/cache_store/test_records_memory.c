#include "records_fixture.h"
#include "tests/kit/allocation_count.h"
#include "tests/kit/test.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

/* The embedded store asks us for memory here, so that its allocations are counted too. Each block
 * starts with its size. */
enum { HEAD = 16 };

static void *store_malloc(int size)
{
    int *block = malloc((size_t)size + HEAD);
    if (!block)
        return NULL;
    *block = size;
    return (uint8_t *)block + HEAD;
}

static int *block_of(void *memory)
{
    return (int *)((uint8_t *)memory - HEAD);
}

static void store_free(void *memory)
{
    free(block_of(memory));
}

static void *store_realloc(void *memory, int size)
{
    int *block = realloc(block_of(memory), (size_t)size + HEAD);
    if (!block)
        return NULL;
    *block = size;
    return (uint8_t *)block + HEAD;
}

static int store_size(void *memory)
{
    return memory ? *block_of(memory) : 0;
}

static int store_roundup(int size)
{
    return (size + 7) & ~7;
}

static int store_init(void *context)
{
    (void)context;
    return SQLITE_OK;
}

static void store_shutdown(void *context)
{
    (void)context;
}

__attribute__((constructor)) static void count_allocations(void)
{
    static const sqlite3_mem_methods methods = {
        store_malloc,  store_free, store_realloc,  store_size,
        store_roundup, store_init, store_shutdown, NULL,
    };
    (void)sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    (void)sqlite3_initialize();
}

static struct hy_records_fixture fixture;

/* Opening, storing and finding; the first code that is not OK. */
static enum hy_code use_all(void)
{
    static const uint8_t token[HY_TOKEN_SIZE] = {1}, digest[HY_DIGEST_SIZE] = {2};
    const struct hy_records_owner *owner = &hy_some_owner;
    struct hy_records *records = NULL;
    uint8_t found[HY_DIGEST_SIZE] = {0}, blob[100] = {3}, loaded[100];
    uint64_t length = 0;

    enum hy_code code = hy_records_open(fixture.dir, &records, NULL);
    if (code == HY_OK)
        code = hy_digest_store(records, owner, token, digest, NULL);
    if (code == HY_OK)
        code = hy_digest_find(records, owner, token, found, NULL);
    if (code == HY_OK && memcmp(found, digest, sizeof digest) != 0)
        hy_test_fail(__FILE__, __LINE__, "a wrong digest");
    if (code == HY_OK)
        code = hy_blob_store(records, owner, "k", 1, blob, sizeof blob, NULL);
    if (code == HY_OK)
        code = hy_blob_load(records, owner, "k", 1, loaded, sizeof loaded, &length, NULL);
    if (code == HY_OK && (length != sizeof blob || memcmp(blob, loaded, sizeof blob) != 0))
        hy_test_fail(__FILE__, __LINE__, "a wrong blob");
    hy_records_close(records);
    return code;
}

/* The file is there already, or not yet. */
static void fail_each(bool is_there)
{
    hy_records_fixture_make(&fixture);
    enum hy_code code = HY_OK;
    unsigned long number = 1;
    for (; number < 5000; number++) {
        if (!is_there)
            (void)unlink(fixture.file);
        else if (number == 1)
            EXPECT_INT(use_all(), HY_OK);
        const unsigned long before = hy_allocation_count();
        hy_allocation_fail_at(before + number);
        code = use_all();
        hy_allocation_fail_at(0);
        if (hy_allocation_count() - before < number)
            break;
        if (code != HY_OK && code != HY_OUT_OF_MEMORY)
            hy_test_fail(__FILE__, __LINE__, "allocation %lu failed: %s", number,
                         hy_code_name(code));
        if (access(fixture.damaged, F_OK) == 0) {
            hy_test_fail(__FILE__, __LINE__, "allocation %lu failed: set aside", number);
            (void)unlink(fixture.damaged);
        }
    }
    EXPECT(number > 50 && number < 5000);
    EXPECT_INT(code, HY_OK);
    hy_records_fixture_end(&fixture);
}

TEST(records, every_failed_allocation_is_out_of_memory_and_harms_nothing)
{
    fail_each(false);
    fail_each(true);
}
