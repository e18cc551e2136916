/* Things in the place of files and folders of a cache that are none of ours. */
#include "cache_content.h"

#include "tests/kit/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- Things that are no files ---------------------------------------------------------------- */

static bool put_link(const char *path)
{
    return symlink("/etc/hostname", path) == 0;
}

static bool put_dangling_link(const char *path)
{
    return symlink("nothing", path) == 0;
}

static bool put_fifo(const char *path)
{
    return mkfifo(path, 0600) == 0;
}

static bool put_dir(const char *path)
{
    char inner[300];
    snprintf(inner, sizeof inner, "%s/inner", path);
    return mkdir(path, 0700) == 0 && mkdir(inner, 0700) == 0;
}

static bool put_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/halyard-test-%d", getpid());
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool done = fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
                      rename(address.sun_path, path) == 0;
    close(fd);
    return done;
}

static bool put_device(const char *path)
{
    return mknod(path, S_IFCHR | 0600, 1 << 8 | 3) == 0 || put_fifo(path); /* needs to be root */
}

static bool put_readable_file(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT, 0600);
    const bool done = fd >= 0 && fchmod(fd, 0644) == 0;
    close(fd);
    return done;
}

static bool (*const put[])(const char *path) = {
    put_link, put_dangling_link, put_fifo, put_dir, put_socket, put_device, put_readable_file};
#define PUT_COUNT (sizeof put / sizeof *put)

TEST(cache_strange, strange_thing_in_the_place_of_a_file_is_a_miss)
{
    static struct content content;
    struct cache_fixture cache = make_entry(&content);

    for (size_t i = 0; i < NAME_COUNT; i++) {
        for (size_t kind = 0; kind < PUT_COUNT; kind++) {
            const struct cache_path path = cache_entry_path(&cache, 1, names[i]);
            REQUIRE(lay_out(&cache, 1, &content));
            EXPECT(unlink(path.text) == 0);
            EXPECT(is_miss(&cache, 1, "missing file", i));
            REQUIRE(lay_out(&cache, 1, &content));
            EXPECT(unlink(path.text) == 0 && put[kind](path.text));
            EXPECT(is_miss(&cache, 1, names[i], kind));
        }
    }
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "old")), 0);
    cache_fixture_remove(&cache);
}

TEST(cache_strange, link_to_a_right_file_is_a_miss_too)
{
    static struct content content;
    struct cache_fixture cache = make_entry(&content);
    const struct cache_path elsewhere = cache_root_path(&cache, "elsewhere");

    for (size_t i = 0; i < NAME_COUNT; i++) {
        const struct cache_path path = cache_entry_path(&cache, 1, names[i]);
        REQUIRE(lay_out(&cache, 1, &content));
        REQUIRE(link(path.text, elsewhere.text) == 0);
        EXPECT(is_miss(&cache, 1, "second link", i));
        REQUIRE(lay_out(&cache, 1, &content));
        REQUIRE(unlink(path.text) == 0 && symlink(elsewhere.text, path.text) == 0);
        EXPECT(is_miss(&cache, 1, "symbolic link", i));
        EXPECT(cache_exists(elsewhere));
        unlink(elsewhere.text);
    }
    cache_fixture_remove(&cache);
}

TEST(cache_strange, strange_thing_in_the_place_of_a_folder_is_replaced)
{
    static struct content content;
    struct cache_fixture cache = make_entry(&content);
    const struct cache_path entry = cache_entry_path(&cache, 1, "");
    struct cache_path inner[] = {entry, entry, cache_root_path(&cache, "new"),
                                 cache_root_path(&cache, "old"), cache_root_path(&cache, "used")};
    char command[300];

    inner[1].text[strlen(entry.text) - 2 * HY_TOKEN_SIZE - 1] = '\0'; /* the shard */
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
        for (size_t kind = 0; kind < PUT_COUNT; kind++) {
            if (put[kind] == put_dir && i != 4)
                continue; /* is one */
            snprintf(command, sizeof command, "rm -rf %.256s", inner[i].text);
            REQUIRE(system(command) == 0);
            REQUIRE(put[kind](inner[i].text));
            const enum hy_code code = cache_check(cache.store, 1, NULL);
            EXPECT_INT(code, i == 0 ? HY_BAD_DATA : i == 1 ? HY_BAD_STATE : HY_OK);
            REQUIRE(i > 0 || !cache_exists(inner[i]));
            if (i == 0)
                EXPECT(put[kind](inner[i].text)); /* and publishing into it */
            EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_OK);
            EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
            EXPECT_INT(cache_publish(cache.store, 1, 11, 11, NULL), HY_OK);
            EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
        }
    }
    cache_fixture_remove(&cache);
}

TEST(cache_strange, entry_that_others_may_reach_is_a_miss)
{
    static struct content content;
    struct cache_fixture cache = make_entry(&content);

    EXPECT(chmod(cache_entry_path(&cache, 1, "").text, 0755) == 0);
    EXPECT(is_miss(&cache, 1, "mode of the folder", 0755));
    for (size_t i = 0; i < NAME_COUNT; i++) {
        const struct cache_path path = cache_entry_path(&cache, 1, names[i]);
        REQUIRE(lay_out(&cache, 1, &content));
        EXPECT(chmod(path.text, 0620) == 0);
        EXPECT(is_miss(&cache, 1, names[i], 0620));
        if (geteuid() == 0) {
            REQUIRE(lay_out(&cache, 1, &content));
            EXPECT(chown(path.text, 1, 1) == 0);
            EXPECT(is_miss(&cache, 1, "owner", i));
        }
    }
    cache_fixture_remove(&cache);
}

TEST(cache_strange, inner_folder_that_others_may_reach_is_replaced)
{
    static struct content content;
    struct cache_fixture cache = make_entry(&content);
    struct cache_path shard = cache_entry_path(&cache, 1, "");
    const struct cache_path inner[] = {cache_root_path(&cache, "new"),
                                       cache_root_path(&cache, "old")};

    shard.text[strlen(shard.text) - 2 * HY_TOKEN_SIZE - 1] = '\0';
    EXPECT(chmod(shard.text, 0755) == 0);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_BAD_STATE);
    EXPECT(!cache_exists(shard));
    for (size_t i = 0; i < 2; i++) {
        mkdir(inner[i].text, 0700);
        EXPECT(chmod(inner[i].text, 0755) == 0);
        EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_OK);
        EXPECT_INT(cache_publish(cache.store, 1, 10, 11, NULL), HY_OK);
        EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    }
    cache_fixture_remove(&cache);
}

TEST(cache_strange, sparse_file_of_any_length_is_a_miss_at_once)
{
    static struct content content;
    struct cache_fixture cache = make_entry(&content);

    for (size_t i = 0; i < NAME_COUNT; i++) {
        REQUIRE(lay_out(&cache, 1, &content));
        EXPECT(truncate(cache_entry_path(&cache, 1, names[i]).text, (off_t)1 << 42) == 0);
        EXPECT(is_miss(&cache, 1, names[i], 42));
    }
    cache_fixture_remove(&cache);
}

TEST(cache_strange, removal_spares_what_was_published_meanwhile)
{
    static struct content content;
    struct cache_fixture cache = make_entry(&content);
    const struct cache_path entry = cache_entry_path(&cache, 1, "");
    uint8_t token[HY_TOKEN_SIZE];

    /* Somebody who holds the folder's lock is about to replace it: it stays, and is a miss. */
    cache_token(1, token);
    content.bytes[2][0] ^= 1;
    REQUIRE(lay_out(&cache, 1, &content));
    const int dir = open(entry.text, O_RDONLY | O_DIRECTORY);
    REQUIRE(dir >= 0 && flock(dir, LOCK_EX | LOCK_NB) == 0);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_BAD_DATA);
    hy_entry_remove(cache.store, token);
    EXPECT(cache_exists(entry));
    close(dir);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_BAD_DATA);
    EXPECT(!cache_exists(entry));
    cache_fixture_remove(&cache);
}
