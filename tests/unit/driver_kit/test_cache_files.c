/* Cache files: in prepare, in the place of an entry, through descriptors that are kept. */
#include "driver_kit/cache_files.h"
#include "tests/kit/test.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* What the host was asked for last. */
static struct {
    int32_t model_fd;
    uint32_t saves, locks, unlocks, releases, is_exclusive;
    bool is_committed, is_kept_open, fails;
} calls;

static const struct hy_bytes model = {"model", 5}, data = {"data", 4};
static const uint8_t token[HY_TOKEN_SIZE] = {1, 2, 3};

static int32_t call_status(void)
{
    return calls.fails ? HY_STATUS_GENERAL_FAILURE : HY_STATUS_OK;
}

static int32_t save(void *context, const struct hy_cache_files *files, const struct hy_bytes *of,
                    const struct hy_bytes *rest)
{
    (void)context, (void)of, (void)rest;
    calls.saves++;
    calls.model_fd = files->model[0];
    return call_status();
}

static int32_t restore(void *context, const struct hy_cache_files *files,
                       struct hy_restored *restored)
{
    (void)context, (void)files;
    restored->model = &model;
    restored->data = &data;
    return call_status();
}

static void release(void *context, struct hy_restored *restored)
{
    (void)context, (void)restored;
    calls.releases++;
}

static int32_t begin(void *context, const uint8_t *of, int32_t *model_fds, int32_t *data_fds,
                     void **update)
{
    (void)context, (void)of;
    model_fds[0] = 71;
    data_fds[0] = 72;
    *update = &calls;
    return HY_STATUS_OK;
}

static int32_t commit(void *context, void *update, uint32_t publish)
{
    (void)context, (void)update;
    calls.is_committed = publish;
    return HY_STATUS_OK;
}

static int32_t keep_open(void *context, const uint8_t *of)
{
    (void)context, (void)of;
    calls.is_kept_open = true;
    return call_status();
}

static int32_t lock(void *context, int32_t fd, uint32_t exclusive, int64_t deadline)
{
    (void)context, (void)fd, (void)deadline;
    calls.locks++;
    calls.is_exclusive = exclusive;
    return calls.fails ? HY_STATUS_MISSED_DEADLINE_TRANSIENT : HY_STATUS_OK;
}

static void unlock(void *context, int32_t fd)
{
    (void)context, (void)fd;
    calls.unlocks++;
}

static const struct hy_host host = {.struct_size = sizeof host,
                                    .abi = HY_DRIVER_ABI,
                                    .cache_save = save,
                                    .cache_restore = restore,
                                    .cache_release = release,
                                    .cache_begin = begin,
                                    .cache_commit = commit,
                                    .cache_keep_open = keep_open,
                                    .cache_lock = lock,
                                    .cache_unlock = unlock};
static const struct hy_host bare = {.struct_size = sizeof bare, .abi = HY_DRIVER_ABI};

/* The options of a prepare with one file of each kind. */
static struct hy_prepare_options options_of(const int32_t *fds)
{
    memset(&calls, 0, sizeof calls);
    return (struct hy_prepare_options){.struct_size = sizeof(struct hy_prepare_options),
                                       .token = token,
                                       .model_cache_count = 1,
                                       .data_cache_count = 1,
                                       .model_cache = &fds[0],
                                       .data_cache = &fds[1]};
}

TEST(cache_files, are_wanted_with_a_token_and_all_files)
{
    struct hy_prepare_options options = options_of((int32_t[]){0, 0});
    EXPECT(hy_cache_files_are_wanted(&options, 1, 1));
    EXPECT(!hy_cache_files_are_wanted(&options, 1, 2));
    options.token = NULL;
    EXPECT(!hy_cache_files_are_wanted(&options, 1, 1));
}

TEST(cache_files, new_entry_is_published_when_it_is_written)
{
    (void)options_of((int32_t[]){0, 0});
    EXPECT(hy_cache_files_replace(&host, token, &model, 1, &data, 1));
    EXPECT_INT(calls.model_fd, 71);
    EXPECT(calls.is_committed);
    calls.fails = true;
    EXPECT(!hy_cache_files_replace(&host, token, &model, 1, &data, 1));
    EXPECT(!calls.is_committed);
    EXPECT(!hy_cache_files_replace(&bare, token, &model, 1, &data, 1));
}

TEST(cache_files, restored_bytes_are_released_once)
{
    const int32_t fds[] = {0, 0};
    const struct hy_prepare_options options = options_of(fds);
    const struct hy_cache_files files = hy_cache_files_from(&options);
    struct hy_restored restored;

    EXPECT_INT(hy_cache_files_restore(&host, &files, &restored), HY_STATUS_OK);
    EXPECT(restored.model == &model && restored.data == &data);
    hy_cache_files_release(&host, &restored);
    hy_cache_files_release(&host, &restored);
    EXPECT_INT(calls.releases, 1);
    calls.fails = true;
    EXPECT_INT(hy_cache_files_restore(&host, &files, &restored), HY_STATUS_GENERAL_FAILURE);
    EXPECT_INT(hy_cache_files_restore(&bare, &files, &restored), HY_STATUS_GENERAL_FAILURE);
    hy_cache_files_release(&host, &restored);
    EXPECT_INT(calls.releases, 1);
}

TEST(cache_files, kept_ones_are_duplicates_under_a_lock)
{
    const int32_t fds[] = {open("/dev/null", O_RDWR), open("/dev/null", O_RDWR)};
    const struct hy_prepare_options options = options_of(fds);
    const struct hy_cache_files files = hy_cache_files_from(&options);
    struct hy_deferred_files deferred = {0};
    struct hy_restored restored;

    hy_deferred_files_note(&host, &files, true, &deferred);
    close(fds[0]);
    close(fds[1]);
    REQUIRE(deferred.is_open);
    EXPECT(calls.is_kept_open);
    EXPECT(hy_deferred_files_save(&host, &deferred, &model, &data));
    EXPECT_INT(calls.model_fd, deferred.model[0]);
    EXPECT(calls.is_exclusive && calls.locks == 1 && calls.unlocks == 1);
    EXPECT_INT(hy_kept_open_files_restore(&host, &files, HY_NO_DEADLINE, &restored), HY_STATUS_OK);
    EXPECT(!calls.is_exclusive && calls.locks == 2 && calls.unlocks == 2);

    const int32_t duplicate = deferred.model[0];
    hy_deferred_files_close(&deferred);
    EXPECT(!deferred.is_wanted);
    EXPECT_INT(fcntl(duplicate, F_GETFD), -1);
    EXPECT(!hy_deferred_files_save(&host, &deferred, &model, &data));
}

TEST(cache_files, noted_ones_become_a_new_entry)
{
    const int32_t fds[] = {-1, -1}; /* which nobody looks at */
    const struct hy_prepare_options options = options_of(fds);
    const struct hy_cache_files files = hy_cache_files_from(&options);
    struct hy_deferred_files deferred;

    hy_deferred_files_note(&bare, &files, false, &deferred);
    EXPECT(deferred.is_wanted && !deferred.is_open);
    EXPECT(!hy_deferred_files_save(&bare, &deferred, &model, &data));
    EXPECT(hy_deferred_files_save(&host, &deferred, &model, &data));
    EXPECT(calls.is_committed && calls.model_fd == 71 && calls.locks == 0);
    hy_deferred_files_close(&deferred);
    EXPECT(!hy_deferred_files_save(&host, &deferred, &model, &data));
}

TEST(cache_files, nothing_is_kept_where_the_host_refuses)
{
    const int32_t closed[] = {-1, -1};
    const struct hy_prepare_options options = options_of(closed);
    const struct hy_cache_files files = hy_cache_files_from(&options);
    struct hy_deferred_files deferred = {0};
    struct hy_restored restored;

    hy_deferred_files_note(&host, &files, true, &deferred);
    EXPECT(!deferred.is_wanted);
    hy_deferred_files_note(&bare, &files, true, &deferred);
    EXPECT(!deferred.is_wanted);
    calls.fails = true;
    EXPECT_INT(hy_kept_open_files_restore(&host, &files, HY_NO_DEADLINE, &restored),
               HY_STATUS_MISSED_DEADLINE_TRANSIENT);
}
