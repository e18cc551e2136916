#include "bench/cache/records_store.h"

#include "common/clock.h"
#include "tools/stats.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Compares candidate stores for the records:
 *
 *     records_store [FOLDER]     directory for the files, which are removed at the end; default:
 *     /tmp
 */
enum { CONTENDERS = 2, OPENINGS = 200, CALLS = 2000, BLOBS = 50, BLOB = 1 << 20, MANY = 100000 };
enum { KILLS = 1000, COPIES = 1000 };

static const struct contender *const contenders[CONTENDERS] = {&hy_contender_records,
                                                               &hy_contender_lmdb};
static uint64_t times[CONTENDERS][CALLS];

static void check(bool holds, const char *name, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s: %s failed\n", name, what);
        exit(1);
    }
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

static void make_dir(char *path, const char *inside)
{
    snprintf(path, 4096, "%s/records-XXXXXX", inside);
    check(mkdtemp(path) != NULL, inside, "mkdtemp");
}

static void remove_dir(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void print_row(const char *what, size_t count)
{
    printf("%-36s", what);
    for (unsigned i = 0; i < CONTENDERS; i++) {
        const struct hy_stats stats = hy_stats_make(times[i], count);
        printf(" %10.1f", (double)stats.p50 / 1000);
    }
    printf("\n");
}

static void time_first(const char *inside)
{
    for (unsigned i = 0; i < OPENINGS * CONTENDERS; i++) {
        const struct contender *contender = contenders[i % CONTENDERS];
        char dir[4096];
        void *store;
        make_dir(dir, inside);
        const uint64_t start = hy_clock_now();
        check(contender->open(dir, &store), contender->name, "first opening");
        times[i % CONTENDERS][i / CONTENDERS] = hy_clock_now() - start;
        contender->close(store);
        remove_dir(dir);
    }
    print_row("open, no file yet", OPENINGS);
}

static void time_opening(char dirs[][4096], const char *what)
{
    for (unsigned i = 0; i < OPENINGS * CONTENDERS; i++) {
        const struct contender *contender = contenders[i % CONTENDERS];
        void *store;
        const uint64_t start = hy_clock_now();
        check(contender->open(dirs[i % CONTENDERS], &store), contender->name, "opening");
        times[i % CONTENDERS][i / CONTENDERS] = hy_clock_now() - start;
        contender->close(store);
    }
    print_row(what, OPENINGS);
}

static void fill(void **stores, unsigned first, unsigned end)
{
    for (unsigned i = 0; i < CONTENDERS; i++) {
        for (unsigned j = first; j < end; j++) {
            uint8_t token[32], digest[32];
            hy_numbered_token(j, token);
            hy_digest_for(token, digest);
            check(contenders[i]->store(stores[i], token, digest), contenders[i]->name, "store");
        }
    }
}

static void time_digests(void **stores, bool writes, const char *what)
{
    for (unsigned i = 0; i < CALLS * CONTENDERS; i++) {
        const unsigned which = i % CONTENDERS;
        const struct contender *contender = contenders[which];
        uint8_t token[32], digest[32];
        hy_numbered_token(i / CONTENDERS * 7919u % MANY, token);
        hy_digest_for(token, digest);
        const uint64_t start = hy_clock_now();
        check(writes ? contender->store(stores[which], token, digest)
                     : contender->find(stores[which], token, digest),
              contender->name, what);
        times[which][i / CONTENDERS] = hy_clock_now() - start;
    }
    print_row(what, CALLS);
}

static void time_blobs(void **stores, bool writes, const char *what)
{
    static uint8_t blob[BLOB];
    for (unsigned i = 0; i < BLOBS * CONTENDERS; i++) {
        const unsigned which = i % CONTENDERS;
        const struct contender *contender = contenders[which];
        const uint64_t start = hy_clock_now();
        check(writes ? contender->store_blob(stores[which], i / CONTENDERS, blob, BLOB)
                     : contender->load_blob(stores[which], i / CONTENDERS, blob, BLOB),
              contender->name, what);
        times[which][i / CONTENDERS] = hy_clock_now() - start;
    }
    print_row(what, BLOBS);
}

static void print_size(char dirs[][4096])
{
    printf("%-36s", "size of the file, MiB");
    for (unsigned i = 0; i < CONTENDERS; i++) {
        char path[8192];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", dirs[i], contenders[i]->file);
        check(stat(path, &info) == 0, path, "stat");
        printf(" %10.1f", (double)info.st_blocks * 512 / (1 << 20));
    }
    printf("\n");
}

static void open_all(char dirs[][4096], void **stores)
{
    for (unsigned i = 0; i < CONTENDERS; i++)
        check(contenders[i]->open(dirs[i], &stores[i]), contenders[i]->name, "opening");
}

static void close_all(void **stores)
{
    for (unsigned i = 0; i < CONTENDERS; i++)
        contenders[i]->close(stores[i]);
}

static void time_everything(const char *inside)
{
    char dirs[CONTENDERS][4096];
    void *stores[CONTENDERS];

    printf("%-36s", "medians, microseconds");
    for (unsigned i = 0; i < CONTENDERS; i++) {
        make_dir(dirs[i], inside);
        printf(" %10s", contenders[i]->name);
    }
    printf("\n");
    time_first(inside);
    open_all(dirs, stores);
    fill(stores, 0, 10);
    close_all(stores);
    time_opening(dirs, "open, 10 digests");
    open_all(dirs, stores);
    fill(stores, 10, MANY);
    print_size(dirs);
    close_all(stores);
    time_opening(dirs, "open, 100,000 digests");
    open_all(dirs, stores);
    time_digests(stores, false, "find a digest among 100,000");
    time_digests(stores, true, "store a digest among 100,000");
    time_blobs(stores, true, "store 1 MiB");
    time_blobs(stores, false, "load 1 MiB");
    print_size(dirs);
    close_all(stores);
    for (unsigned i = 0; i < CONTENDERS; i++)
        remove_dir(dirs[i]);
}

int main(int argc, char **argv)
{
    const char *inside = argc > 1 ? argv[1] : "/tmp";

    time_everything(inside);
    for (unsigned i = 0; i < CONTENDERS * 2; i++) {
        char dir[4096];
        make_dir(dir, inside);
        fflush(stdout);
        if (i < CONTENDERS)
            hy_records_kill(contenders[i], dir, KILLS);
        else
            hy_records_damage(contenders[i - CONTENDERS], dir, COPIES);
        remove_dir(dir);
    }
    return 0;
}
