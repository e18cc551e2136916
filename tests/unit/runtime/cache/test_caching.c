/* What an app asks of caching, before any device makes use of it. */
#include "runtime/cache/setting.h"

#include "tests/kit/test.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

static const uint8_t token[HY_TOKEN_SIZE] = {1, 2, 3, [HY_TOKEN_SIZE - 1] = 9};

/* Whether nobody has the writing end of the pipe any more. */
static bool is_hung_up(int reader)
{
    struct pollfd look = {.fd = reader, .events = POLLIN};
    return poll(&look, 1, 0) > 0 && look.revents & POLLHUP;
}

TEST(caching, folder_and_token_are_copied)
{
    char dir[] = "/tmp/cache";
    uint8_t own[HY_TOKEN_SIZE];
    struct hy_caching caching = {0};

    memcpy(own, token, sizeof own);
    EXPECT_INT(hy_caching_set_dir(&caching, dir, own, NULL), HY_OK);
    memset(dir, 'x', sizeof dir);
    memset(own, 0, sizeof own);
    EXPECT(caching.is_wanted);
    EXPECT_STR(caching.dir, "/tmp/cache/");
    EXPECT(memcmp(caching.token, token, sizeof token) == 0);
    hy_caching_finish(&caching);
    EXPECT(!caching.is_wanted && !caching.dir);
}

TEST(caching, a_folder_ends_in_one_slash_unless_it_is_empty)
{
    static const struct {
        const char *given, *stored;
    } cases[] = {{"", ""}, {"a", "a/"}, {"a/", "a/"}, {"/", "/"}, {"a//", "a//"}};
    struct hy_caching caching = {0};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        EXPECT_INT(hy_caching_set_dir(&caching, cases[i].given, token, NULL), HY_OK);
        EXPECT_STR(caching.dir, cases[i].stored);
    }
    hy_caching_finish(&caching);
}

TEST(caching, files_are_duplicated_and_closed_with_it)
{
    int model[2], data[2];
    struct hy_caching caching = {0};
    REQUIRE(pipe(model) == 0 && pipe(data) == 0);

    const struct hy_caching_files files = {
        .model_files = &model[1],
        .data_files = &data[1],
        .model_file_count = 1,
        .data_file_count = 1,
    };
    EXPECT_INT(hy_caching_set_files(&caching, &files, token, NULL), HY_OK);
    close(model[1]);
    close(data[1]);
    EXPECT(!is_hung_up(model[0]) && !is_hung_up(data[0]));
    EXPECT(caching.files && fcntl(caching.files[0], F_GETFD) == FD_CLOEXEC);
    hy_caching_finish(&caching);
    EXPECT(is_hung_up(model[0]) && is_hung_up(data[0]));
    close(model[0]);
    close(data[0]);
}

TEST(caching, a_file_that_is_not_open_is_named_and_changes_nothing)
{
    int ends[2], bad[] = {-1, -1};
    struct hy_caching caching = {0};
    struct hy_error err;
    REQUIRE(pipe(ends) == 0);
    REQUIRE(hy_caching_set_dir(&caching, "kept", token, NULL) == HY_OK);

    bad[0] = ends[1];
    const struct hy_caching_files files = {.data_files = bad, .data_file_count = 2};
    EXPECT_INT(hy_caching_set_files(&caching, &files, token, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "data cache file 1, descriptor -1");
    EXPECT_STR(caching.dir, "kept/");
    close(ends[1]);
    EXPECT(is_hung_up(ends[0])); /* the duplicate of the first is closed again */
    close(ends[0]);
    hy_caching_finish(&caching);
}

TEST(caching, the_last_setting_counts)
{
    int ends[2];
    struct hy_caching caching = {0};
    REQUIRE(pipe(ends) == 0);

    const struct hy_caching_files files = {.model_files = &ends[1], .model_file_count = 1};
    const struct hy_caching_files none = {0};
    REQUIRE(hy_caching_set_dir(&caching, "first", token, NULL) == HY_OK);
    EXPECT_INT(hy_caching_set_files(&caching, &files, token, NULL), HY_OK);
    EXPECT(!caching.dir && caching.model_file_count == 1);
    close(ends[1]);
    EXPECT_INT(hy_caching_set_files(&caching, &none, token, NULL), HY_OK);
    EXPECT(is_hung_up(ends[0]));
    EXPECT(caching.is_wanted && caching.model_file_count == 0);
    EXPECT_INT(hy_caching_set_dir(&caching, "last", token, NULL), HY_OK);
    EXPECT_STR(caching.dir, "last/");
    close(ends[0]);
    hy_caching_finish(&caching);
}
