/* Blobs of a driver, of which a list keeps a number. */
#include "driver_kit/blob_list.h"
#include "driver_kit/quota_memory.h"
#include "tests/kit/test.h"

#include <string.h>

#define LIST "things"

/* An engine of a few small blobs. */
static struct blob {
    uint8_t key[64], bytes[512];
    uint64_t key_length, length; /* 0: there is none */
} blobs[8];

static struct blob *find(const void *key, uint64_t key_length)
{
    for (uint32_t i = 0; i < 8; i++)
        if (blobs[i].key_length == key_length && memcmp(blobs[i].key, key, key_length) == 0)
            return &blobs[i];
    return NULL;
}

static int32_t store(void *context, const void *key, uint64_t key_length, const void *bytes,
                     uint64_t length)
{
    struct blob *blob = find(key, key_length);
    (void)context;
    for (uint32_t i = 0; !blob && i < 8; i++)
        if (blobs[i].key_length == 0)
            blob = &blobs[i];
    if (!blob || length > sizeof blob->bytes)
        return HY_STATUS_GENERAL_FAILURE;
    memcpy(blob->key, key, key_length);
    memcpy(blob->bytes, bytes, length);
    blob->key_length = key_length;
    blob->length = length;
    return HY_STATUS_OK;
}

static int32_t load(void *context, const void *key, uint64_t key_length, void *bytes,
                    uint64_t capacity, uint64_t *length)
{
    const struct blob *blob = find(key, key_length);
    (void)context;
    *length = blob ? blob->length : 0;
    if (blob && blob->length <= capacity)
        memcpy(bytes, blob->bytes, blob->length);
    return HY_STATUS_OK;
}

static int32_t remove_blob(void *context, const void *key, uint64_t key_length)
{
    struct blob *blob = find(key, key_length);
    (void)context;
    if (blob)
        memset(blob, 0, sizeof *blob);
    return HY_STATUS_OK;
}

static const struct hy_host host = {.struct_size = sizeof host,
                                    .abi = HY_DRIVER_ABI,
                                    .blob_store = store,
                                    .blob_load = load,
                                    .blob_remove = remove_blob};

static struct hy_blob_list_key key_of(const char *text)
{
    return hy_blob_list_key_of(
        (struct hy_bytes[]){{text, strlen(text)}, {"constants", sizeof "constants"}});
}

static void store_text(const char *text, uint32_t most)
{
    const struct hy_blob_list_key key = key_of(text);
    hy_blob_list_store(&host, LIST, most, &key, &(struct hy_bytes){text, strlen(text)});
}

static bool is_stored(const char *text)
{
    const struct hy_blob_list_key key = key_of(text);
    uint64_t length = 0;
    uint8_t *blob = hy_blob_list_load(&host, &key, &length);
    const bool is_same = blob && length == strlen(text) && memcmp(blob, text, length) == 0;
    hy_quota_free(blob);
    return is_same;
}

TEST(blob_list, removes_what_was_stored_longest_ago)
{
    memset(blobs, 0, sizeof blobs);
    store_text("one", 2);
    store_text("two", 2);
    store_text("one", 2); /* again: `two` is the oldest now */
    store_text("three", 2);
    EXPECT(is_stored("one"));
    EXPECT(!is_stored("two"));
    EXPECT(is_stored("three"));
}

TEST(blob_list, list_of_another_length_is_an_empty_one)
{
    memset(blobs, 0, sizeof blobs);
    EXPECT_INT(store(NULL, LIST, sizeof LIST, "garbage", 7), HY_STATUS_OK);
    store_text("one", 2);
    EXPECT(is_stored("one"));
    EXPECT_INT(find(LIST, sizeof LIST)->length, sizeof(struct hy_blob_list_key));
}

TEST(blob_list, removed_blob_is_not_found)
{
    const struct hy_blob_list_key key = key_of("one");
    memset(blobs, 0, sizeof blobs);
    store_text("one", 2);
    hy_blob_list_remove(&host, &key);
    EXPECT(!is_stored("one"));
}

TEST(blob_list, host_without_an_engine_has_none)
{
    const struct hy_host bare = {.struct_size = sizeof bare, .abi = HY_DRIVER_ABI};
    EXPECT(!hy_blob_list_has_engine(&bare));
    EXPECT(hy_blob_list_has_engine(&host));
}
