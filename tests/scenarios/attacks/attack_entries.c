#include "attack_client.h"

#include "plugins/service/wire/pools.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Cached models of one user in the hands of another, who has got the files and the token: they are
 * not taken, since the digests are the first user's. Nor are files that differ in a bit, or that
 * belong to another token.
 */
enum { ATTEMPTS = 12, BYTES = 16 };

/* An entry of a cache, in files of the client's. */
struct entry {
    uint8_t token[HY_TOKEN_SIZE];
    int32_t model, data;
};

static unsigned long own_hits, misses;

static struct hy_prepare_options options_of(const struct entry *entry)
{
    return (struct hy_prepare_options){.struct_size = sizeof(struct hy_prepare_options),
                                       .deadline = HY_NO_DEADLINE,
                                       .model_cache = &entry->model,
                                       .data_cache = &entry->data,
                                       .model_cache_count = 1,
                                       .data_cache_count = 1,
                                       .token = entry->token};
}

static void make_entry(struct hy_random *chance, struct raw_client *owner, struct entry *entry)
{
    for (size_t i = 0; i < HY_TOKEN_SIZE; i++)
        entry->token[i] = (uint8_t)hy_random_next(chance);
    entry->model = memfd_create("model", MFD_CLOEXEC);
    entry->data = memfd_create("data", MFD_CLOEXEC);
    const struct hy_prepare_options options = options_of(entry);
    if (raw_prepare_with(owner, &options) == 0)
        live_fail("no model: %s", owner->error_text);
}

static int copy_file(int file)
{
    const int copy = memfd_create("copy", MFD_CLOEXEC);
    uint8_t bytes[4096];
    ssize_t got;

    for (off_t at = 0; (got = pread(file, bytes, sizeof bytes, at)) > 0; at += got) {
        if (pwrite(copy, bytes, (size_t)got, at) != got)
            live_fail("no copy");
    }
    return copy;
}

static struct entry copy_entry(const struct entry *entry)
{
    struct entry copy = *entry;

    copy.model = copy_file(entry->model);
    copy.data = copy_file(entry->data);
    return copy;
}

static void close_entry(const struct entry *entry)
{
    close(entry->model);
    close(entry->data);
}

static void flip(struct hy_random *chance, int file)
{
    struct stat info;
    uint8_t byte;

    if (fstat(file, &info) != 0 || info.st_size == 0)
        live_fail("the driver wrote nothing");
    const off_t at = (off_t)hy_random_below(chance, (uint32_t)info.st_size);
    (void)!pread(file, &byte, 1, at);
    byte ^= (uint8_t)(1u << hy_random_below(chance, 8));
    (void)!pwrite(file, &byte, 1, at);
}

static void expect_miss(struct raw_client *client, const struct entry *entry, const char *what)
{
    const struct hy_prepare_options options = options_of(entry);

    if (raw_prepare_from_cache(client, &options) != 0)
        live_fail("%s: the model is taken", what);
    misses++;
}

/* The one that it belongs to finds it: else all else says nothing. */
static void expect_hit(struct raw_client *owner, const struct entry *entry)
{
    const struct entry copy = copy_entry(entry);
    const struct hy_prepare_options options = options_of(&copy);

    if (raw_prepare_from_cache(owner, &options) == 0)
        live_fail("a user does not find an own model: %s", owner->error_text);
    own_hits++;
    close_entry(&copy);
}

static void attempt(struct hy_random *chance, struct raw_client *owner, struct raw_client *thief,
                    bool is_other_user, const struct entry *entry)
{
    struct entry copy = copy_entry(entry);

    switch (hy_random_below(chance, 3)) {
    case 0:
        if (is_other_user)
            expect_miss(thief, &copy, "another user's entry");
        break;
    case 1:
        copy.token[hy_random_below(chance, HY_TOKEN_SIZE)] ^=
            (uint8_t)(1u << hy_random_below(chance, 8));
        expect_miss(owner, &copy, "another token");
        break;
    default:
        flip(chance, copy.model);
        expect_miss(hy_random_below(chance, 2) ? owner : thief, &copy, "a bit that differs");
    }
    close_entry(&copy);
}

void attack_entries(struct hy_random *chance)
{
    struct raw_client owner, thief;
    struct entry entry;

    attack_begin(&owner, LIVE_CPU, false);
    attack_begin(&thief, LIVE_CPU, true);
    make_entry(chance, &owner, &entry);
    expect_hit(&owner, &entry);
    for (int i = 0; i < ATTEMPTS; i++)
        attempt(chance, &owner, &thief, geteuid() == 0, &entry);
    expect_hit(&owner, &entry);
    close_entry(&entry);
    raw_close(&owner);
    raw_close(&thief);
}

void attack_entries_report(void)
{
    printf("%lu entries were found by their own users, %lu were not by others or otherwise\n",
           own_hits, misses);
}
