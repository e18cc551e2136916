#include "cache_fixture.h"

#include "cache_store/directory/names.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct hy_file_counts cache_counts = {1, 1};
const struct hy_entry_access cache_access = {.is_restored_here = true,
                                             .map_from = HY_ENTRY_MAP_FROM};
const struct hy_entry_info cache_test_info = {
    .device = "sample-device", .version = "1.2", .build_id = "b7", .operations = 3, .priority = 1};

enum { PIECE = 4096 };

/* ---- Folders --------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *position)
{
    (void)info, (void)type, (void)position;
    remove(path);
    return 0;
}

void cache_fixture_remove(struct cache_fixture *fixture)
{
    hy_store_close(fixture->store);
    if (fixture->dir[0])
        nftw(fixture->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    *fixture = (struct cache_fixture){0};
}

struct hy_store *cache_fixture_reopen(const struct cache_fixture *fixture, uint64_t limit)
{
    struct hy_store *store = NULL;
    if (hy_store_open(fixture->dir, false, limit, &store, NULL) != HY_OK)
        return NULL;
    return store;
}

struct cache_fixture cache_fixture_make(uint64_t limit)
{
    return cache_fixture_make_in("/tmp", limit);
}

struct cache_fixture cache_fixture_make_in(const char *parent, uint64_t limit)
{
    struct cache_fixture fixture = {0};
    snprintf(fixture.dir, sizeof fixture.dir, "%s/halyard-test-XXXXXX", parent);
    if (!mkdtemp(fixture.dir))
        fixture.dir[0] = '\0';
    fixture.store = cache_fixture_reopen(&fixture, limit);
    return fixture;
}

int cache_name_count(struct cache_path path)
{
    DIR *names = opendir(path.text);
    int count = 0;
    if (!names)
        return -1;
    for (struct dirent *entry; (entry = readdir(names)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(names);
    return count;
}

int cache_descriptor_count(void)
{
    return cache_name_count((struct cache_path){"/proc/self/fd"});
}

struct cache_path cache_root_path(const struct cache_fixture *fixture, const char *file)
{
    struct cache_path path;
    snprintf(path.text, sizeof path.text, "%s/halyard-cache%s%s", fixture->dir, file[0] ? "/" : "",
             file);
    return path;
}

struct cache_path cache_entry_path(const struct cache_fixture *fixture, unsigned number,
                                   const char *file)
{
    struct cache_path path;
    uint8_t token[HY_TOKEN_SIZE];
    cache_token(number, token);
    snprintf(path.text, sizeof path.text, "%s/halyard-cache/%s/%s%s%s", fixture->dir,
             hy_shard_name_make(token[0]).text, hy_token_name_make(token).text, file[0] ? "/" : "",
             file);
    return path;
}

bool cache_exists(struct cache_path path)
{
    struct stat info;
    return lstat(path.text, &info) == 0;
}

/* ---- Entries --------------------------------------------------------------------------------- */

void cache_token(unsigned number, uint8_t token[HY_TOKEN_SIZE])
{
    for (unsigned i = 0; i < HY_TOKEN_SIZE; i++)
        token[i] = (uint8_t)((number + i) * 0x9e3779b1u >> 24);
    memcpy(token + 1, &number, sizeof number);
}

uint8_t cache_byte(unsigned number, bool is_data, size_t i)
{
    return (uint8_t)((((uint32_t)i + 7) * 0x85ebca6bu + number * 0xc2b2ae35u + is_data) >> 11);
}

/* In pieces: this allocates nothing. */
static bool write_file(int fd, unsigned number, bool is_data, size_t length)
{
    uint8_t piece[PIECE];
    bool done = true;
    for (size_t i = 0; done && i < length; i += PIECE) {
        const size_t count = length - i < PIECE ? length - i : PIECE;
        for (size_t k = 0; k < count; k++)
            piece[k] = cache_byte(number, is_data, i + k);
        done = write(fd, piece, count) == (ssize_t)count;
    }
    return done;
}

bool cache_write(const struct hy_entry_writer *writer, unsigned number, size_t model_bytes,
                 size_t data_bytes)
{
    return write_file(writer->model[0], number, false, model_bytes) &&
           write_file(writer->data[0], number, true, data_bytes);
}

enum hy_code cache_publish(struct hy_store *store, unsigned number, size_t model_bytes,
                           size_t data_bytes, struct hy_error *err)
{
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_entry_writer *writer = NULL;

    cache_token(number, token);
    enum hy_code code = hy_entry_writer_create(store, token, cache_counts, &writer, err);
    if (code != HY_OK)
        return code;
    if (!cache_write(writer, number, model_bytes, data_bytes)) {
        hy_entry_writer_discard(writer);
        return hy_fail(err, HY_FAILED, "entry %u cannot be written", number);
    }
    return hy_entry_writer_publish(writer, &cache_test_info, false, err);
}

/* From byte `first` on. */
static bool is_right(const uint8_t *bytes, size_t first, size_t count, unsigned number,
                     bool is_data)
{
    size_t i = 0;
    while (i < count && bytes[i] == cache_byte(number, is_data, first + i))
        i++;
    return i == count;
}

static bool is_file_right(const struct hy_entry_file *file, unsigned number)
{
    uint8_t piece[PIECE];
    size_t done = 0;
    for (;;) {
        const ssize_t got = pread(file->fd, piece, PIECE, (off_t)done);
        if (got <= 0)
            return got == 0 && done == file->length;
        if (!is_right(piece, done, (size_t)got, number, false))
            return false;
        done += (size_t)got;
    }
}

enum hy_code cache_check(struct hy_store *store, unsigned number, struct hy_error *err)
{
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_entry *entry = NULL;

    cache_token(number, token);
    enum hy_code code = hy_entry_open(store, token, cache_counts, &cache_access, &entry, err);
    if (code != HY_OK)
        return code;
    if (!is_file_right(&entry->model[0], number))
        code = hy_fail(err, HY_FAILED, "entry %u: wrong model file", number);
    else if (entry->data[0].length > 0 &&
             !is_right(entry->data[0].address, 0, entry->data[0].length, number, true))
        code = hy_fail(err, HY_FAILED, "entry %u: wrong data file", number);
    hy_entry_close(entry);
    return code;
}
