/*
 * cache_open: the cost of a cache with many entries. Fills two directories, with 10 and with 10,000
 * entries of 1 KiB of model and 4 KiB of data cache, and measures in turns: opening the store and
 * finding an entry, a different one each time; and publishing an additional entry. (On some file
 * systems the removal of old files takes milliseconds, independent of their number: the benchmark
 * replaces no entry.)
 *
 *     cache_open [FOLDER]     directory for the caches, which are removed at the end; default: /tmp
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/measure.h"
#include "cache_store/digest/file_digest.h"
#include "cache_store/directory/names.h"
#include "cache_store/entry_writer.h"
#include "cache_store/metadata.h"

enum { MODEL_BYTES = 1024, DATA_BYTES = 4096 };

static const struct hy_file_counts counts = {1, 1};
static const struct hy_entry_access access_of_ours = {.is_restored_here = true,
                                                      .map_from = HY_ENTRY_MAP_FROM};
static const struct hy_entry_info entry_info = {
    .device = "sample-device", .version = "1.0", .build_id = "", .operations = 28};
static uint8_t bytes[DATA_BYTES]; /* of every file */

struct cache {
    char dir[256];
    unsigned entries;
    unsigned next;      /* to be found */
    unsigned published; /* beyond those */
};

static void make_token(unsigned number, uint8_t token[HY_TOKEN_SIZE])
{
    for (unsigned i = 0; i < HY_TOKEN_SIZE; i++)
        token[i] = (uint8_t)((number + i + 1) * 0x9e3779b1u >> 24);
    memcpy(token + 1, &number, sizeof number);
}

/* ---- Filling --------------------------------------------------------------------------------- */

static enum hy_code write_file(const char *dir, const char *name, const void *from, size_t length,
                               struct hy_error *err)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool done = fd >= 0 && write(fd, from, length) == (ssize_t)length;
    if (fd >= 0)
        close(fd);
    return done ? HY_OK : hy_fail(err, HY_FAILED, "%s cannot be written", path);
}

/* As publishing does it, without locks and renaming. */
static enum hy_code make_entry(const struct cache *cache, unsigned number, struct hy_error *err)
{
    struct hy_metadata metadata = {.counts = counts};
    char path[400];

    make_token(number, metadata.token);
    hy_metadata_set_info(&metadata, &entry_info);
    metadata.model[0].length = MODEL_BYTES;
    metadata.data[0].length = DATA_BYTES;
    hy_bytes_digest(bytes, MODEL_BYTES, metadata.model[0].digest);
    hy_bytes_digest(bytes, DATA_BYTES, metadata.data[0].digest);
    hy_metadata_seal(&metadata);
    snprintf(path, sizeof path, "%s/" HY_NAME_ROOT "/%s", cache->dir,
             hy_shard_name_make(metadata.token[0]).text);
    mkdir(path, 0700);
    snprintf(path + strlen(path), sizeof path - strlen(path), "/%s",
             hy_token_name_make(metadata.token).text);
    mkdir(path, 0700);
    enum hy_code code = write_file(path, HY_NAME_METADATA, &metadata, sizeof metadata, err);
    if (code == HY_OK)
        code = write_file(path, "model-0", bytes, MODEL_BYTES, err);
    if (code == HY_OK)
        code = write_file(path, "data-0", bytes, DATA_BYTES, err);
    if (code == HY_OK)
        code = write_file(path, HY_NAME_RESTORING, "0", 1, err);
    return code;
}

static enum hy_code fill(struct cache *cache, const char *parent, struct hy_error *err)
{
    char root[300];
    enum hy_code code = HY_OK;

    snprintf(cache->dir, sizeof cache->dir, "%s/halyard-bench-XXXXXX", parent);
    if (!mkdtemp(cache->dir))
        return hy_fail(err, HY_FAILED, "no folder can be made in %s", parent);
    snprintf(root, sizeof root, "%s/" HY_NAME_ROOT, cache->dir);
    mkdir(root, 0700);
    for (unsigned i = 0; code == HY_OK && i < cache->entries; i++)
        code = make_entry(cache, i, err);
    return code;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *position)
{
    (void)info, (void)type, (void)position;
    remove(path);
    return 0;
}

static void empty(const struct cache *cache)
{
    if (cache->dir[0])
        nftw(cache->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- Measuring ------------------------------------------------------------------------------- */

static enum hy_code open_and_find(void *self, struct hy_error *err)
{
    struct cache *cache = self;
    struct hy_store *store = NULL;
    struct hy_entry *entry = NULL;
    uint8_t token[HY_TOKEN_SIZE];

    make_token(cache->next++ % cache->entries, token);
    enum hy_code code = hy_store_open(cache->dir, false, (uint64_t)1 << 40, &store, err);
    if (code == HY_OK)
        code = hy_entry_open(store, token, counts, &access_of_ours, &entry, err);
    if (code == HY_OK)
        hy_entry_close(entry);
    hy_store_close(store);
    return code;
}

static enum hy_code publish(void *self, struct hy_error *err)
{
    struct cache *cache = self;
    struct hy_store *store = NULL;
    struct hy_entry_writer *writer = NULL;
    uint8_t token[HY_TOKEN_SIZE];

    make_token(cache->entries + cache->published++, token);
    enum hy_code code = hy_store_open(cache->dir, false, (uint64_t)1 << 40, &store, err);
    if (code == HY_OK)
        code = hy_entry_writer_create(store, token, counts, &writer, err);
    if (code == HY_OK && (write(writer->model[0], bytes, MODEL_BYTES) != MODEL_BYTES ||
                          write(writer->data[0], bytes, DATA_BYTES) != DATA_BYTES)) {
        hy_entry_writer_discard(writer);
        code = hy_fail(err, HY_FAILED, "a cache file cannot be written");
    } else if (code == HY_OK) {
        code = hy_entry_writer_publish(writer, &entry_info, false, err);
    }
    hy_store_close(store);
    return code;
}

static enum hy_code measure(struct cache *caches, const char *what,
                            enum hy_code (*run)(void *, struct hy_error *),
                            const struct hy_bench_rules *rules, struct hy_error *err)
{
    struct hy_bench_subject subjects[] = {{.name = "few", .run = run, .self = &caches[0]},
                                          {.name = "many", .run = run, .self = &caches[1]}};

    enum hy_code code = hy_bench_measure(subjects, 2, rules, err);
    if (code == HY_OK)
        printf("| %s | %.1f | %.1f | %.2f |\n", what, subjects[0].median_us, subjects[1].median_us,
               subjects[1].median_us / subjects[0].median_us);
    return code;
}

int main(int argc, char **argv)
{
    const struct hy_bench_rules quick = {.rounds = 101, .round_time = 0.02};
    const struct hy_bench_rules slow = {.rounds = 21, .round_time = 0.05};
    struct cache caches[] = {{.entries = 10}, {.entries = 10000}};
    const char *parent = argc > 1 ? argv[1] : "/tmp";
    struct hy_error err;

    if (argc > 2) {
        fprintf(stderr, "usage: cache_open [FOLDER]\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 0x9e3779b1u >> 17);
    enum hy_code code = fill(&caches[0], parent, &err);
    if (code == HY_OK)
        code = fill(&caches[1], parent, &err);
    sync(); /* what filling has begun is not to be measured */
    printf("| median of a call | %u entries: us | %u entries: us | ratio |\n|---|--:|--:|--:|\n",
           caches[0].entries, caches[1].entries);
    if (code == HY_OK)
        code = measure(caches, "open the store, find an entry", open_and_find, &quick, &err);
    if (code == HY_OK)
        code = measure(caches, "publish one more", publish, &slow, &err);
    empty(&caches[0]);
    empty(&caches[1]);
    if (code != HY_OK)
        fprintf(stderr, "cache_open: %s\n", err.text);
    return code == HY_OK ? 0 : 1;
}
