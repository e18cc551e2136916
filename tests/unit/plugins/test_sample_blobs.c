/* The sample driver that caches by itself: what it stores, finds again, believes and clears up. */
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/sample_cache_fixture.h"

#include <stdlib.h>

#define STORES_TWO "{\"compile\":\"at_prepare\",\"blobs\":2}"

static const uint32_t small[] = {13, 37, 7};

/* ---- An engine that a test looks into -------------------------------------------------------- */

enum { MOST_BLOBS = 16, KEY_SIZE = 32 };

struct blob {
    uint8_t key[HY_MAX_BLOB_KEY];
    uint64_t key_length, length; /* 0: there is none */
    uint8_t *bytes;
};

static struct engine {
    struct blob blobs[MOST_BLOBS];
    unsigned store_count, remove_count;
    bool refuses;  /* to store and to remove */
    bool is_busy;  /* fails every load */
    bool vanishes; /* what tells its length is gone when its bytes are asked for */
} engine;

static struct blob *find_blob(const void *key, uint64_t key_length)
{
    for (unsigned i = 0; i < MOST_BLOBS; i++) {
        struct blob *blob = &engine.blobs[i];
        if (blob->length > 0 && blob->key_length == key_length &&
            memcmp(blob->key, key, key_length) == 0)
            return blob;
    }
    return NULL;
}

static void drop_blob(struct blob *blob)
{
    if (!blob)
        return;
    free(blob->bytes);
    *blob = (struct blob){0};
}

static int32_t store(void *context, const void *key, uint64_t key_length, const void *bytes,
                     uint64_t length)
{
    (void)context;
    if (engine.refuses)
        return HY_STATUS_GENERAL_FAILURE;
    engine.store_count++;
    drop_blob(find_blob(key, key_length));
    for (unsigned i = 0; i < MOST_BLOBS; i++) {
        struct blob *blob = &engine.blobs[i];
        if (blob->length > 0)
            continue;
        memcpy(blob->key, key, key_length);
        blob->key_length = key_length;
        blob->bytes = malloc(length);
        memcpy(blob->bytes, bytes, length);
        blob->length = length;
        return HY_STATUS_OK;
    }
    return HY_STATUS_GENERAL_FAILURE;
}

static int32_t load(void *context, const void *key, uint64_t key_length, void *bytes,
                    uint64_t capacity, uint64_t *length)
{
    struct blob *blob = find_blob(key, key_length);
    (void)context;
    if (engine.is_busy)
        return HY_STATUS_GENERAL_FAILURE;
    if (blob && engine.vanishes && capacity > 0) {
        drop_blob(blob);
        blob = NULL;
    }
    *length = blob ? blob->length : 0;
    if (blob && blob->length <= capacity)
        memcpy(bytes, blob->bytes, blob->length);
    return HY_STATUS_OK;
}

static int32_t remove_blob(void *context, const void *key, uint64_t key_length)
{
    (void)context;
    if (engine.refuses)
        return HY_STATUS_GENERAL_FAILURE;
    engine.remove_count++;
    drop_blob(find_blob(key, key_length));
    return HY_STATUS_OK;
}

/* Programs have keys of 32 bytes; the list has not. */
static unsigned program_count(void)
{
    unsigned count = 0;
    for (unsigned i = 0; i < MOST_BLOBS; i++)
        count += engine.blobs[i].length > 0 && engine.blobs[i].key_length == KEY_SIZE;
    return count;
}

static struct blob *only_program(void)
{
    for (unsigned i = 0; i < MOST_BLOBS; i++)
        if (engine.blobs[i].length > 0 && engine.blobs[i].key_length == KEY_SIZE)
            return &engine.blobs[i];
    return NULL;
}

/* ---- A device with it ------------------------------------------------------------------------ */

static bool begin(struct cached_device *device)
{
    engine = (struct engine){0};
    if (!cached_device_init(device, STORES_TWO, false))
        return false;
    device->plugins.host.blob_store = store;
    device->plugins.host.blob_load = load;
    device->plugins.host.blob_remove = remove_blob;
    return true;
}

static void end(struct cached_device *device)
{
    for (unsigned i = 0; i < MOST_BLOBS; i++)
        drop_blob(&engine.blobs[i]);
    cached_device_finish(device);
}

/* The answer of the device without any of this. */
static uint8_t *uncached_output(const struct net *net)
{
    struct cached_device device;
    void *prepared = NULL;
    uint8_t *output = calloc(1, net_output_size(net));

    if (cached_device_init(&device, "{}", false) &&
        cached_prepare(&device, net, NULL, HY_NO_DEADLINE, &prepared) == HY_STATUS_OK) {
        EXPECT_INT(cached_execute(&device, net, prepared, HY_NO_DEADLINE, output), HY_STATUS_OK);
        device.table->prepared_destroy(prepared);
    }
    cached_device_finish(&device);
    return output;
}

/* Prepares, and answers as it should. The count of programs that were stored meanwhile; the list
 * is stored with each. */
static unsigned prepare_right(const struct cached_device *device, const struct net *net,
                              const uint8_t *expected)
{
    uint8_t *output = calloc(1, net_output_size(net));
    void *prepared = NULL;
    const unsigned before = engine.store_count;

    EXPECT_INT(cached_prepare(device, net, NULL, HY_NO_DEADLINE, &prepared), HY_STATUS_OK);
    if (prepared) {
        EXPECT_INT(cached_execute(device, net, prepared, HY_NO_DEADLINE, output), HY_STATUS_OK);
        EXPECT(memcmp(output, expected, net_output_size(net)) == 0);
        device->table->prepared_destroy(prepared);
    }
    free(output);
    EXPECT_INT((engine.store_count - before) % 2, 0);
    return (engine.store_count - before) / 2;
}

TEST(sample_blobs, program_is_stored_once_and_found_again)
{
    for (int is_quantised = 0; is_quantised < 2; is_quantised++) {
        struct cached_device device;
        struct net net;
        net_make(&net, is_quantised, 2, small);
        uint8_t *expected = uncached_output(&net);
        if (begin(&device)) {
            EXPECT_INT(device.data_count, 0); /* no caching that apps see */
            EXPECT_INT(prepare_right(&device, &net, expected), 1);
            EXPECT_INT(prepare_right(&device, &net, expected), 0);
            EXPECT_INT(prepare_right(&device, &net, expected), 0);
            EXPECT_INT(program_count(), 1);
            EXPECT_INT(engine.remove_count, 0);
        }
        end(&device);
        free(expected);
        net_finish(&net);
    }
}

TEST(sample_blobs, model_that_differs_in_one_weight_is_another_one)
{
    struct cached_device device;
    struct net net;

    net_make(&net, false, 2, small);
    if (begin(&device)) {
        uint8_t *expected = uncached_output(&net);
        EXPECT_INT(prepare_right(&device, &net, expected), 1);
        free(expected);
        ((float *)net.weights)[3] += 1;
        expected = uncached_output(&net);
        EXPECT_INT(prepare_right(&device, &net, expected), 1);
        EXPECT_INT(program_count(), 2);
        free(expected);
    }
    end(&device);
    net_finish(&net);
}

TEST(sample_blobs, program_that_was_stored_longest_ago_is_removed)
{
    struct cached_device device;
    struct net net;
    uint8_t *expected[3];

    net_make(&net, false, 2, small);
    if (begin(&device)) {
        for (int i = 0; i < 3; i++) {
            ((float *)net.weights)[0] = (float)i;
            expected[i] = uncached_output(&net);
            EXPECT_INT(prepare_right(&device, &net, expected[i]), 1);
        }
        EXPECT_INT(program_count(), 2);
        EXPECT_INT(engine.remove_count, 1);
        for (int i = 2; i >= 0; i--) {
            ((float *)net.weights)[0] = (float)i;
            EXPECT_INT(prepare_right(&device, &net, expected[i]), i == 0);
            free(expected[i]);
        }
        EXPECT_INT(program_count(), 2);
    }
    end(&device);
    net_finish(&net);
}

TEST(sample_blobs, blob_of_another_length_is_removed_and_stored_anew)
{
    struct cached_device device;
    struct net net;

    net_make(&net, false, 2, small);
    uint8_t *expected = uncached_output(&net);
    if (begin(&device)) {
        EXPECT_INT(prepare_right(&device, &net, expected), 1);
        for (uint64_t cut = 1; cut < only_program()->length; cut += cut < 300 ? 1 : 97) {
            only_program()->length = cut;
            EXPECT_INT(prepare_right(&device, &net, expected), 1);
            EXPECT_INT(program_count(), 1);
            EXPECT(only_program()->length != cut);
        }
    }
    end(&device);
    free(expected);
    net_finish(&net);
}

TEST(sample_blobs, lengths_that_do_not_fit_are_a_miss)
{
    static const uint64_t lengths[] = {0, 1, 63, UINT64_C(1) << 32, UINT64_MAX - 63, UINT64_MAX};
    struct cached_device device;
    struct net net;

    net_make(&net, false, 2, small);
    uint8_t *expected = uncached_output(&net);
    if (begin(&device)) {
        EXPECT_INT(prepare_right(&device, &net, expected), 1);
        for (unsigned i = 0; i < 2 * sizeof lengths / sizeof *lengths; i++) {
            memcpy(only_program()->bytes + 8 + i % 2 * 8, &lengths[i / 2], 8); /* model's, data's */
            EXPECT_INT(prepare_right(&device, &net, expected), 1);
        }
    }
    end(&device);
    free(expected);
    net_finish(&net);
}

TEST(sample_blobs, list_that_is_no_list_is_begun_anew)
{
    struct cached_device device;
    struct net net;

    net_make(&net, false, 2, small);
    uint8_t *expected = uncached_output(&net);
    if (begin(&device)) {
        EXPECT_INT(store(NULL, "programs", sizeof "programs", "garbage", 7), HY_STATUS_OK);
        engine.store_count = 0;
        EXPECT_INT(prepare_right(&device, &net, expected), 1);
        EXPECT_INT(find_blob("programs", sizeof "programs")->length, KEY_SIZE);
        EXPECT_INT(prepare_right(&device, &net, expected), 0);
    }
    end(&device);
    free(expected);
    net_finish(&net);
}

TEST(sample_blobs, engine_that_refuses_or_loses_everything_costs_time_alone)
{
    struct cached_device device;
    struct net net;

    net_make(&net, false, 2, small);
    uint8_t *expected = uncached_output(&net);
    if (begin(&device)) {
        engine.refuses = true;
        EXPECT_INT(prepare_right(&device, &net, expected), 0);
        EXPECT_INT(program_count(), 0);
        engine.refuses = false;
        EXPECT_INT(prepare_right(&device, &net, expected), 1);
        engine.is_busy = true;
        EXPECT_INT(prepare_right(&device, &net, expected), 1);
        engine.is_busy = false;
        engine.vanishes = true;
        EXPECT_INT(prepare_right(&device, &net, expected), 1);
        device.plugins.host.blob_remove = NULL; /* a host without the engine */
        engine.store_count = 0;
        EXPECT_INT(prepare_right(&device, &net, expected), 0);
    }
    end(&device);
    free(expected);
    net_finish(&net);
}

TEST(sample_blobs, arguments_that_ask_for_two_ways_to_cache_are_refused)
{
    static const char *const wrong[] = {
        "{\"blobs\":8}", "{\"blobs\":8,\"compile\":\"just_in_time\"}",
        "{\"blobs\":8,\"compile\":\"at_prepare\",\"cache_files\":1}"};

    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct plugin_fixture fixture;
        REQUIRE(plugin_fixture_init(&fixture));
        plugin_fixture_manifest(&fixture, "a.json", SAMPLE_DRIVER_PATH, wrong[i], 0);
        fixture.discovery.driver_files = plugin_fixture_path(&fixture, "a.json");
        if (plugin_fixture_open(&fixture))
            EXPECT_CONTAINS(plugin_fixture_reason(&fixture), "arguments.blobs needs");
        plugin_fixture_finish(&fixture);
    }
}
