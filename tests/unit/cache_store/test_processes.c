/* Many threads, and many processes that are killed at any moment, in one cache: whatever is found
 * is right, no lock is lost and nothing is left. */
#include "cache_fixture.h"

#include "cache_store/inventory.h"

#include "common/random.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TOKENS = 40, MOST_MODEL = 3000, MOST_DATA = 60000, MOST_PROCESSES = 16 };

/* About half of what all tokens take together: entries are evicted all the time. */
#define LIMIT ((uint64_t)TOKENS / 2 * (MOST_MODEL + MOST_DATA) / 2)

/* What one worker has done. */
struct work {
    struct hy_store *store;
    bool others_die;
    struct hy_random random;
    unsigned steps;
    unsigned hits;
    unsigned published;
    char fault[200]; /* "" as long as all is well */
};

static void note_fault(struct work *work, const char *what, unsigned number, enum hy_code code,
                       const struct hy_error *err)
{
    snprintf(work->fault, sizeof work->fault, "%s %u: %s, %.120s", what, number, hy_code_name(code),
             err->text);
}

/* An entry that somebody who was killed had open is not given out once more. */
static bool is_left_marked(enum hy_code code, const struct hy_error *err)
{
    return code == HY_BAD_DATA && strstr(err->text, "a process died while a driver");
}

static void find(struct work *work, unsigned number)
{
    struct hy_error err = {0};
    const enum hy_code code = cache_check(work->store, number, &err);
    work->hits += code == HY_OK;
    if (work->others_die && is_left_marked(code, &err))
        return;
    if (code != HY_OK && code != HY_BAD_STATE)
        note_fault(work, "open", number, code, &err);
}

static void publish(struct work *work, unsigned number)
{
    struct hy_error err = {0};
    const size_t model = 1 + hy_random_next(&work->random) % MOST_MODEL;
    const size_t data = hy_random_next(&work->random) % MOST_DATA;
    const enum hy_code code = cache_publish(work->store, number, model, data, &err);
    work->published += code == HY_OK;
    if (code != HY_OK && code != HY_BAD_STATE)
        note_fault(work, "publish", number, code, &err);
}

static void drop(struct work *work, const uint8_t *token)
{
    struct hy_entry_writer *writer = NULL;
    if (hy_entry_writer_create(work->store, token, cache_counts, &writer, NULL) == HY_OK)
        hy_entry_writer_discard(writer);
}

static void look(struct work *work, bool collect)
{
    struct hy_inventory_summary summary = {0};
    struct hy_error err = {0};
    enum hy_code code =
        collect ? hy_inventory_collect(work->store, LIMIT / 2, NULL, NULL, &summary, &err)
                : hy_inventory_list(work->store, true, NULL, NULL, &summary, &err);
    if (code != HY_OK || summary.faulty > 0)
        note_fault(work, collect ? "collect" : "list", (unsigned)summary.faulty, code, &err);
}

static void step(struct work *work)
{
    const unsigned number = (unsigned)(hy_random_next(&work->random) % TOKENS);
    const unsigned what = (unsigned)(hy_random_next(&work->random) % 100);
    uint8_t token[HY_TOKEN_SIZE];

    cache_token(number, token);
    work->steps++;
    if (what < 50)
        find(work, number);
    else if (what < 88)
        publish(work, number);
    else if (what < 93)
        hy_entry_remove(work->store, token);
    else if (what < 97)
        drop(work, token);
    else
        look(work, what == 99);
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void work_in_thread(void *argument)
{
    struct work *work = argument;
    for (int i = 0; i < 60 && !work->fault[0]; i++)
        step(work);
}

TEST(cache_processes, threads_share_a_store)
{
    struct cache_fixture cache = cache_fixture_make(LIMIT);
    struct work works[8] = {0};
    const int descriptors = cache_descriptor_count();
    unsigned published = 0;

    for (unsigned i = 0; i < 8; i++)
        works[i] = (struct work){.store = cache.store, .random = {i + 1}};
    REQUIRE(hy_threads_run(8, work_in_thread, works, sizeof *works));
    for (unsigned i = 0; i < 8; i++) {
        EXPECT_STR(works[i].fault, "");
        published += works[i].published;
    }
    EXPECT(published > 50);
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "new")), 0);
    EXPECT_INT(cache_descriptor_count(), descriptors);
    cache_fixture_remove(&cache);
}

static struct cache_fixture shared;
static atomic_uint writers;

static void write_in_thread(void *argument)
{
    struct hy_entry_writer **writer = argument;
    uint8_t token[HY_TOKEN_SIZE];
    cache_token(1, token);
    const enum hy_code code =
        hy_entry_writer_create(shared.store, token, cache_counts, writer, NULL);
    writers += code == HY_OK;
    if (code != HY_OK && code != HY_BAD_STATE)
        writers += 100;
}

TEST(cache_processes, one_of_many_threads_makes_the_entry)
{
    shared = cache_fixture_make(LIMIT);
    for (int round = 0; round < 50; round++) {
        struct hy_entry_writer *made[8] = {0};
        writers = 0;
        REQUIRE(hy_threads_run(8, write_in_thread, made, sizeof *made));
        EXPECT_INT(writers, 1);
        for (int i = 0; i < 8; i++)
            hy_entry_writer_discard(made[i]);
    }
    cache_fixture_remove(&shared);
}

/* ---- Processes ------------------------------------------------------------------------------- */

/* Works until it is killed, or until something is wrong: then it says so and ends with 1. */
static _Noreturn void work_until_killed(const struct cache_fixture *cache, uint64_t seed)
{
    struct work work = {.others_die = true, .random = {seed}};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (hy_store_open(cache->dir, false, LIMIT, &work.store, NULL) != HY_OK)
        _exit(2);
    while (!work.fault[0])
        step(&work);
    fprintf(stderr, "step %u: %s\n", work.steps, work.fault);
    _exit(1);
}

static pid_t start(const struct cache_fixture *cache, uint64_t seed)
{
    const pid_t child = fork();
    if (child == 0)
        work_until_killed(cache, seed);
    return child;
}

static void pause_for(uint64_t ns)
{
    const struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    nanosleep(&time, NULL);
}

/* Ends it: what it has found out by itself counts. */
static unsigned reap(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) != 0;
}

static unsigned kill_at_random(const struct cache_fixture *cache, unsigned processes,
                               unsigned kills)
{
    struct hy_random dice = {7};
    pid_t children[MOST_PROCESSES];
    unsigned faults = 0;
    uint64_t seed = 1;

    for (unsigned i = 0; i < processes; i++)
        children[i] = start(cache, seed++);
    for (unsigned i = 0; i < kills; i++) {
        pause_for(hy_random_next(&dice) % 20000000);
        pid_t *victim = &children[hy_random_next(&dice) % processes];
        kill(*victim, SIGKILL);
        faults += reap(*victim);
        *victim = start(cache, seed++);
    }
    for (unsigned i = 0; i < processes; i++) {
        kill(children[i], SIGKILL);
        faults += reap(children[i]);
    }
    return faults;
}

/* Afterwards, when the next process comes: everything in its place, every token free. */
static void expect_sane(const struct cache_fixture *cache, struct hy_inventory_summary *summary)
{
    EXPECT_INT(cache_publish(cache->store, 0, 10, 10, NULL), HY_OK);
    EXPECT_INT(cache_name_count(cache_root_path(cache, "new")), 0);
    EXPECT(cache_name_count(cache_root_path(cache, "old")) <= 0);
    EXPECT_INT(hy_inventory_list(cache->store, true, NULL, NULL, summary, NULL), HY_OK);
    EXPECT_INT(summary->faulty, 0);
    EXPECT(summary->entries > 0);
    EXPECT(summary->bytes <= LIMIT);
    for (unsigned i = 0; i < TOKENS; i++) {
        struct hy_error err = {0};
        const enum hy_code code = cache_check(cache->store, i, &err);
        EXPECT(code == HY_OK || code == HY_BAD_STATE || is_left_marked(code, &err));
        EXPECT_INT(cache_publish(cache->store, i, 10, 10, NULL), HY_OK);
    }
}

static void run_campaign(const char *parent, unsigned processes, unsigned kills)
{
    struct cache_fixture cache = cache_fixture_make_in(parent, LIMIT);
    struct hy_inventory_summary summary = {0};
    if (!cache.store)
        return cache_fixture_remove(&cache); /* no such folder here */

    EXPECT_INT(kill_at_random(&cache, processes, kills), 0);
    const int staging_left = cache_name_count(cache_root_path(&cache, "new"));
    const int trash_left = cache_name_count(cache_root_path(&cache, "old"));
    pause_for(3000000000); /* leftovers have an age then */
    expect_sane(&cache, &summary);
    printf("\n  %s: %u processes, %u kills; %d staging directories and %d removals left, which "
           "then went; %llu "
           "entries, %llu bytes, %llu faulty\n",
           parent, processes, kills, staging_left, trash_left, (unsigned long long)summary.entries,
           (unsigned long long)summary.bytes, (unsigned long long)summary.faulty);
    cache_fixture_remove(&cache);
}

TEST(cache_processes, killed_processes_leave_nothing_behind)
{
    run_campaign("/tmp", 4, 40);
}

TEST(cache_processes_slow, a_thousand_killed_processes_leave_nothing_behind)
{
    run_campaign("/tmp", 16, 1000);
}

TEST(cache_processes_slow, nor_do_they_where_no_disk_slows_them_down)
{
    run_campaign("/dev/shm", 16, 1000);
}
