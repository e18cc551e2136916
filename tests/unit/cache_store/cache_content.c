#include "cache_content.h"

#include "tests/kit/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const names[NAME_COUNT] = {"metadata", "model-0", "data-0", "restoring"};

size_t read_path(struct cache_path path, uint8_t *bytes, size_t capacity)
{
    const int fd = open(path.text, O_RDONLY);
    const ssize_t got = fd < 0 ? 0 : read(fd, bytes, capacity);
    close(fd);
    return got > 0 ? (size_t)got : 0;
}

/* A new file: one that is emptied and written again, some file systems bring to the disk at once.
 */
bool write_path(struct cache_path path, const uint8_t *bytes, size_t length)
{
    unlink(path.text);
    const int fd = open(path.text, O_WRONLY | O_CREAT | O_EXCL, 0600);
    const bool done = fd >= 0 && write(fd, bytes, length) == (ssize_t)length;
    close(fd);
    return done;
}

void read_content(const struct cache_fixture *cache, unsigned number, struct content *ret)
{
    for (size_t i = 0; i < NAME_COUNT; i++)
        ret->length[i] =
            read_path(cache_entry_path(cache, number, names[i]), ret->bytes[i], MOST_BYTES);
}

bool lay_out(const struct cache_fixture *cache, unsigned number, const struct content *content)
{
    bool done = true;
    mkdir(cache_entry_path(cache, number, "").text, 0700);
    for (size_t i = 0; done && i < NAME_COUNT; i++)
        done = write_path(cache_entry_path(cache, number, names[i]), content->bytes[i],
                          content->length[i]);
    return done;
}

bool is_miss(const struct cache_fixture *cache, unsigned number, const char *what, size_t index)
{
    struct hy_error err = {0};
    const enum hy_code code = cache_check(cache->store, number, &err);
    const bool gone = !cache_exists(cache_entry_path(cache, number, ""));
    if (code == HY_BAD_DATA && err.text[0] && gone)
        return true;
    hy_test_fail(__FILE__, __LINE__, "%s %zu: %s, \"%s\", %s", what, index, hy_code_name(code),
                 err.text, gone ? "gone" : "still there");
    return false;
}

struct cache_fixture make_entry(struct content *content)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    EXPECT_INT(cache_publish(cache.store, 1, MODEL_BYTES, DATA_BYTES, NULL), HY_OK);
    read_content(&cache, 1, content);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    return cache;
}
