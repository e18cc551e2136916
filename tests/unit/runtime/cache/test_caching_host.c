/* What the host does for drivers that cache, at any time: saving and restoring, records. */
#include "tests/kit/test.h"

#include "runtime/drivers/host.h"
#include "tests/unit/runtime/kit/cache_fixture.h"

#include <sys/resource.h>

static struct caching_device device;

static struct cache_dir begin(enum caching_fault fault)
{
    caching_device_init(&device, "acme-host", ANEURALNETWORKS_ADD);
    device.fault = fault;
    return make_dir();
}

static void end(struct cache_dir *dir)
{
    EXPECT_INT(device.alive, 0);
    remove_dir(dir->path);
    caching_device_finish(&device);
}

/* ---- Restoring ------------------------------------------------------------------------------- */

/* Two files, open, with a save of these bytes under a token. */
struct saved {
    int32_t model, data;
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_cache_files files;
};

static void save(struct saved *saved, const char *steer, const char *numbers, uint8_t token)
{
    const struct hy_bytes model = {steer, strlen(steer)}, data = {numbers, strlen(numbers)};
    const struct hy_host *host = device.host;

    memset(saved, 0, sizeof *saved);
    saved->model = memfd_create("model", MFD_CLOEXEC);
    saved->data = memfd_create("data", MFD_CLOEXEC);
    saved->token[0] = token;
    saved->files = (struct hy_cache_files){.struct_size = sizeof saved->files,
                                           .model_count = 1,
                                           .data_count = 1,
                                           .token = saved->token,
                                           .model = &saved->model,
                                           .data = &saved->data};
    /* At another offset and with other content, as they may be. */
    EXPECT(write(saved->model, "something longer than that", 26) == 26);
    EXPECT_INT(host->cache_save(host->context, &saved->files, &model, &data), HY_STATUS_OK);
}

static int32_t restore(struct saved *saved, struct hy_restored *restored)
{
    const struct hy_host *host = device.host;
    *restored = (struct hy_restored){.struct_size = sizeof *restored};
    return host->cache_restore(host->context, &saved->files, restored);
}

static void close_saved(struct saved *saved)
{
    close(saved->model);
    close(saved->data);
}

TEST(caching_host, what_is_saved_is_restored_wherever_the_offset_is)
{
    struct cache_dir dir = begin(CACHING_HONEST);
    struct hy_restored restored;
    struct saved saved;

    save(&saved, "steer", "numbers", 1);
    EXPECT(lseek(saved.model, 3, SEEK_SET) == 3);
    REQUIRE(restore(&saved, &restored) == HY_STATUS_OK);
    EXPECT_INT(restored.model[0].length, 5);
    EXPECT_INT(restored.data[0].length, 7);
    EXPECT(memcmp(restored.model[0].data, "steer", 5) == 0);
    EXPECT(memcmp(restored.data[0].data, "numbers", 7) == 0);
    EXPECT((uintptr_t)restored.model[0].data % 64 == 0);
    EXPECT((uintptr_t)restored.data[0].data % 64 == 0);

    /* A copy: what happens to the file afterwards is of no concern. */
    EXPECT(pwrite(saved.model, "wrong", 5, 0) == 5);
    EXPECT(memcmp(restored.model[0].data, "steer", 5) == 0);
    device.host->cache_release(device.host->context, &restored);
    device.host->cache_release(device.host->context, &restored); /* twice is harmless */
    close_saved(&saved);
    end(&dir);
}

TEST(caching_host, every_changed_bit_and_every_other_length_is_refused)
{
    struct cache_dir dir = begin(CACHING_HONEST);
    struct hy_restored restored;
    struct saved saved;

    save(&saved, "steer", "numbers", 2);
    const struct {
        int32_t fd;
        const char *text;
    } files[] = {{saved.model, "steer"}, {saved.data, "numbers"}};
    for (size_t f = 0; f < 2; f++) {
        const size_t length = strlen(files[f].text);
        for (size_t bit = 0; bit < length * 8; bit++) {
            const char byte = (char)(files[f].text[bit / 8] ^ 1 << bit % 8);
            EXPECT(pwrite(files[f].fd, &byte, 1, (off_t)(bit / 8)) == 1);
            EXPECT_INT(restore(&saved, &restored), HY_STATUS_GENERAL_FAILURE);
            EXPECT(pwrite(files[f].fd, files[f].text, length, 0) == (ssize_t)length);
        }
        for (size_t shorter = 0; shorter < length; shorter++) {
            EXPECT(ftruncate(files[f].fd, (off_t)shorter) == 0);
            EXPECT_INT(restore(&saved, &restored), HY_STATUS_GENERAL_FAILURE);
            EXPECT(pwrite(files[f].fd, files[f].text, length, 0) == (ssize_t)length);
        }
        EXPECT(ftruncate(files[f].fd, (off_t)length + 1) == 0);
        EXPECT_INT(restore(&saved, &restored), HY_STATUS_GENERAL_FAILURE);
        EXPECT(ftruncate(files[f].fd, (off_t)length) == 0);
    }
    EXPECT_INT(restore(&saved, &restored), HY_STATUS_OK);
    device.host->cache_release(device.host->context, &restored);
    close_saved(&saved);
    end(&dir);
}

TEST(caching_host, files_of_another_token_are_refused)
{
    struct cache_dir dir = begin(CACHING_HONEST);
    struct hy_restored restored;
    struct saved first, second;

    save(&first, "steer", "numbers", 3);
    save(&second, "other", "numbers", 4);
    first.files.model = &second.model;
    EXPECT_INT(restore(&first, &restored), HY_STATUS_GENERAL_FAILURE);
    first.token[0] = 5; /* which has no digest */
    EXPECT_INT(restore(&first, &restored), HY_STATUS_GENERAL_FAILURE);
    close_saved(&first);
    close_saved(&second);
    end(&dir);
}

TEST(caching_host, a_save_that_has_no_room_leaves_empty_files)
{
    struct cache_dir dir = begin(CACHING_HONEST);
    const struct rlimit narrow = {.rlim_cur = 4, .rlim_max = RLIM_INFINITY};
    const struct hy_bytes model = {"steer", 5}, data = {"num", 3};
    const struct hy_host *host = device.host;
    struct rlimit before;
    struct saved saved;
    struct stat file_info;

    save(&saved, "old", "numbers", 6);
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0 && setrlimit(RLIMIT_FSIZE, &narrow) == 0);
    const int32_t status = host->cache_save(host->context, &saved.files, &model, &data);
    EXPECT(setrlimit(RLIMIT_FSIZE, &before) == 0); /* and no signal has come */
    EXPECT_INT(status, HY_STATUS_GENERAL_FAILURE);
    EXPECT(fstat(saved.model, &file_info) == 0 && file_info.st_size == 0);
    EXPECT(fstat(saved.data, &file_info) == 0 && file_info.st_size == 0);
    close_saved(&saved);
    end(&dir);
}

TEST(caching_host, nonsense_is_refused)
{
    struct cache_dir dir = begin(CACHING_HONEST);
    const struct hy_host *host = device.host;
    const struct hy_bytes nothing = {NULL, 5};
    struct hy_restored restored = {.struct_size = 8};
    struct saved saved;

    save(&saved, "steer", "numbers", 7);
    EXPECT_INT(host->cache_restore(host->context, &saved.files, &restored),
               HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(host->cache_save(host->context, &saved.files, &nothing, &nothing),
               HY_STATUS_GENERAL_FAILURE);
    saved.files.model_count = HY_MAX_CACHE_FILES + 1;
    EXPECT_INT(restore(&saved, &restored), HY_STATUS_GENERAL_FAILURE);
    EXPECT_INT(host->cache_save(host->context, NULL, NULL, NULL), HY_STATUS_GENERAL_FAILURE);
    EXPECT_INT(host->digest_store(host->context, NULL, NULL), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(host->cache_lock(host->context, -1, 1, HY_NO_DEADLINE), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(host->cache_commit(host->context, NULL, 1), HY_STATUS_INVALID_ARGUMENT);
    close_saved(&saved);
    end(&dir);
}

/* ---- Records --------------------------------------------------------------------------------- */

TEST(caching_host, records_belong_to_one_driver_and_one_build)
{
    const struct hy_plugin_hosts *hosts = hy_runtime_hosts();
    struct cache_dir dir = begin(CACHING_HONEST);
    const uint8_t token[HY_TOKEN_SIZE] = {8}, digest[HY_DIGEST_SIZE] = {9};
    struct hy_device_info info = device.device.info;
    const struct hy_host *own = device.host, *other = hosts->create(), *updated = hosts->create();
    uint8_t found[HY_DIGEST_SIZE];
    char blob[4];
    uint64_t length = 7;

    REQUIRE(other && updated);
    EXPECT_INT(other->digest_store(other->context, token, digest), HY_STATUS_GENERAL_FAILURE);
    EXPECT(hosts->note_device(other, "other", &info));
    hosts->complete(other);
    info.version = "2";
    EXPECT(hosts->note_device(updated, "caching", &info));
    hosts->complete(updated);

    EXPECT_INT(own->digest_store(own->context, token, digest), HY_STATUS_OK);
    EXPECT_INT(own->digest_find(own->context, token, found), HY_STATUS_OK);
    EXPECT(memcmp(found, digest, sizeof digest) == 0);
    EXPECT_INT(other->digest_find(other->context, token, found), HY_STATUS_GENERAL_FAILURE);
    EXPECT_INT(own->blob_store(own->context, "key", 3, "blob", 4), HY_STATUS_OK);
    EXPECT_INT(own->blob_load(own->context, "key", 3, blob, sizeof blob, &length), HY_STATUS_OK);
    EXPECT(length == 4 && memcmp(blob, "blob", 4) == 0);
    EXPECT_INT(own->blob_store(own->context, "", 0, "blob", 4), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(other->blob_load(other->context, "key", 3, blob, sizeof blob, &length),
               HY_STATUS_OK);
    EXPECT_INT(length, 0);
    EXPECT_INT(own->blob_remove(own->context, "key", 3), HY_STATUS_OK);
    EXPECT_INT(own->blob_load(own->context, "key", 3, NULL, 0, &length), HY_STATUS_OK);
    EXPECT_INT(length, 0);

    EXPECT_INT(updated->digest_find(updated->context, token, found), HY_STATUS_GENERAL_FAILURE);
    hosts->destroy(other);
    hosts->destroy(updated);
    end(&dir);
}
