/* What a driver has compiled, as bytes of cache files or of a blob. */
#include "driver_kit/artefact.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"

#include <string.h>

#define FORMAT "testing"

enum { PARTS = 2, CONSTANTS = 4 };

static const struct hy_bytes parts[PARTS] = {{"steps", 5}, {"tensors", 7}};
static const struct hy_bytes constants[CONSTANTS] = {
    {"first", 5}, {NULL, 0}, {"third", 5}, {"fourth", 6}};

static bool make(uint32_t data_count, struct hy_artefact *artefact)
{
    return hy_artefact_make(hy_test_host(), FORMAT, parts, PARTS, constants, CONSTANTS, data_count,
                            artefact);
}

static void expect_same(const struct hy_artefact *artefact)
{
    struct hy_artefact_content content;
    struct hy_bytes found[CONSTANTS];

    REQUIRE(hy_artefact_read(artefact, FORMAT, PARTS, &content));
    REQUIRE(content.part_count == PARTS && content.constant_count == CONSTANTS);
    REQUIRE(hy_artefact_find_constants(artefact, &content, found));
    for (uint32_t i = 0; i < PARTS; i++) {
        EXPECT_INT(content.parts[i].length, parts[i].length);
        EXPECT_INT(memcmp(content.parts[i].data, parts[i].data, parts[i].length), 0);
    }
    for (uint32_t i = 0; i < CONSTANTS; i++) {
        EXPECT_INT(found[i].length, constants[i].length);
        if (constants[i].length > 0)
            EXPECT_INT(memcmp(found[i].data, constants[i].data, constants[i].length), 0);
    }
}

TEST(artefact, constants_are_shared_out_among_the_files_of_data)
{
    for (uint32_t data_count = 1; data_count <= HY_MAX_CACHE_FILES; data_count++) {
        struct hy_artefact artefact;
        REQUIRE(make(data_count, &artefact));
        expect_same(&artefact);
        for (uint32_t i = 0; i < data_count; i++)
            EXPECT_INT(artefact.data[i].length % HY_ARCHIVE_ALIGNMENT, 0);
        if (data_count == 2)
            EXPECT(artefact.data[0].length == 128 && artefact.data[1].length == 64);
        hy_artefact_finish(&artefact);
    }
}

TEST(artefact, restored_files_are_read_where_they_are)
{
    struct hy_artefact artefact;

    REQUIRE(make(2, &artefact));
    const struct hy_restored restored = {.model = &artefact.model, .data = artefact.data};
    const struct hy_artefact view = hy_artefact_of(&restored, 2);
    expect_same(&view);
    EXPECT(view.memory == NULL);
    hy_artefact_finish(&artefact);
}

TEST(artefact, bytes_of_another_form_are_refused)
{
    struct hy_artefact artefact;
    struct hy_artefact_content content;
    struct hy_bytes found[CONSTANTS];

    REQUIRE(make(2, &artefact));
    EXPECT(!hy_artefact_read(&artefact, "another", PARTS, &content));
    EXPECT(!hy_artefact_read(&artefact, FORMAT, PARTS + 1, &content));
    artefact.data_count = 1;
    EXPECT(!hy_artefact_read(&artefact, FORMAT, PARTS, &content));
    artefact.data_count = 2;
    artefact.model.length--;
    EXPECT(!hy_artefact_read(&artefact, FORMAT, PARTS, &content));
    artefact.model.length++;
    REQUIRE(hy_artefact_read(&artefact, FORMAT, PARTS, &content));
    EXPECT(hy_artefact_find_constants(&artefact, &content, found));
    artefact.data[1].length--;
    EXPECT(!hy_artefact_find_constants(&artefact, &content, found));
    artefact.data[1].length = 0;
    EXPECT(!hy_artefact_find_constants(&artefact, &content, found));
    hy_artefact_finish(&artefact);
}

/* ---- Blobs ----------------------------------------------------------------------------------- */

/* An engine of one list and one blob. */
static struct {
    uint8_t list[64], blob[1024];
    uint64_t list_length, blob_length; /* 0: there is none */
} engine;

static int32_t store(void *context, const void *key, uint64_t key_length, const void *bytes,
                     uint64_t length)
{
    const bool is_list = key_length != sizeof(struct hy_blob_list_key);
    (void)context, (void)key;
    if (length > (is_list ? sizeof engine.list : sizeof engine.blob))
        return HY_STATUS_GENERAL_FAILURE;
    memcpy(is_list ? engine.list : engine.blob, bytes, length);
    *(is_list ? &engine.list_length : &engine.blob_length) = length;
    return HY_STATUS_OK;
}

static int32_t load(void *context, const void *key, uint64_t key_length, void *bytes,
                    uint64_t capacity, uint64_t *length)
{
    const bool is_list = key_length != sizeof(struct hy_blob_list_key);
    (void)context, (void)key;
    *length = is_list ? engine.list_length : engine.blob_length;
    if (*length > 0 && *length <= capacity)
        memcpy(bytes, is_list ? engine.list : engine.blob, *length);
    return HY_STATUS_OK;
}

static int32_t remove_blob(void *context, const void *key, uint64_t key_length)
{
    (void)context, (void)key, (void)key_length;
    engine.blob_length = 0;
    return HY_STATUS_OK;
}

static const struct hy_host host = {.struct_size = sizeof host,
                                    .abi = HY_DRIVER_ABI,
                                    .blob_store = store,
                                    .blob_load = load,
                                    .blob_remove = remove_blob};

TEST(artefact, blob_is_found_again)
{
    struct hy_artefact artefact, loaded;

    memset(&engine, 0, sizeof engine);
    REQUIRE(make(1, &artefact));
    const struct hy_blob_list_key key = hy_artefact_key(&artefact);
    EXPECT(!hy_artefact_load(&host, &key, &loaded));
    hy_artefact_store(&host, "list", 2, &key, &artefact);
    REQUIRE(hy_artefact_load(&host, &key, &loaded));
    expect_same(&loaded);
    hy_artefact_finish(&loaded);
    hy_artefact_finish(&artefact);
}

TEST(artefact, blob_that_is_none_is_removed)
{
    struct hy_artefact artefact, loaded;

    memset(&engine, 0, sizeof engine);
    REQUIRE(make(1, &artefact));
    const struct hy_blob_list_key key = hy_artefact_key(&artefact);
    hy_artefact_store(&host, "list", 2, &key, &artefact);
    engine.blob_length--;
    EXPECT(!hy_artefact_load(&host, &key, &loaded));
    EXPECT(loaded.memory == NULL);
    EXPECT_INT(engine.blob_length, 0);
    hy_artefact_finish(&artefact);
}
