/* What a driver in a process of its own asks of its host for its cache. */
#include "app.h"
#include "halyard/driver.h"
#include "tests/kit/test.h"
#include "tests/unit/plugins/service/client/isolated.h"

#include <ftw.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT_MS 60000

/* A folder, and the app that has compiled into it. */
struct fixture {
    char dir[64];
    struct app app;
};

/* A process that has been killed has its place taken with a growing pause. */
static bool open_in_time(struct app *app, const char *dir)
{
    for (int i = 0; i < TIMEOUT_MS; i += 10) {
        if (app_open(app, dir))
            return true;
        poll(NULL, 0, 10);
    }
    return false;
}

static bool init(struct fixture *fixture)
{
    snprintf(fixture->dir, sizeof fixture->dir, "/tmp/halyard-asking-XXXXXX");
    fixture->app = (struct app){0};
    return mkdtemp(fixture->dir) && open_in_time(&fixture->app, fixture->dir);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *position)
{
    (void)info, (void)type, (void)position;
    return remove(path);
}

static void finish(struct fixture *fixture)
{
    app_close(&fixture->app);
    nftw(fixture->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static bool is_gone_in_time(pid_t pid)
{
    for (int i = 0; i < TIMEOUT_MS && kill(pid, 0) == 0; i++)
        poll(NULL, 0, 1);
    return kill(pid, 0) != 0;
}

#define EXPECT_STATUS(app, status_, ...) EXPECT_INT(app_ask(app, __VA_ARGS__).status, status_)

/* ---- Locks ----------------------------------------------------------------------------------- */

TEST(service_cache_locks, shared_ones_go_together_and_an_exclusive_one_alone)
{
    struct fixture fixture;
    struct app other;
    REQUIRE(init(&fixture));
    REQUIRE(open_in_time(&other, fixture.dir));
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_LOCK, 0, -1);
    EXPECT_STATUS(&other, HY_STATUS_OK, ASK_LOCK, 0, -1);
    EXPECT_STATUS(&other, HY_STATUS_OK, ASK_UNLOCK, 0, 0);
    EXPECT_STATUS(&other, HY_STATUS_MISSED_DEADLINE_TRANSIENT, ASK_LOCK, 1, 20);
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_UNLOCK, 0, 0);
    EXPECT_STATUS(&other, HY_STATUS_OK, ASK_LOCK, 1, TIMEOUT_MS);
    EXPECT_STATUS(&other, HY_STATUS_OK, ASK_UNLOCK, 0, 0);
    EXPECT_STATUS(&other, HY_STATUS_OK, ASK_UNLOCK, 0, 0); /* none: no error */
    app_close(&other);
    finish(&fixture);
}

TEST(service_cache_locks, a_deadline_that_is_past_takes_what_is_free)
{
    struct fixture fixture;
    REQUIRE(init(&fixture));
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_LOCK, 1, 0);
    EXPECT_STATUS(&fixture.app, HY_STATUS_MISSED_DEADLINE_TRANSIENT, ASK_LOCK, 1, 0);
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_UNLOCK, 0, 0);
    finish(&fixture);
}

TEST(service_cache_locks, two_processes_contend_and_the_waiter_is_woken)
{
    struct fixture fixture;
    struct peer peer;
    REQUIRE(init(&fixture));
    REQUIRE(peer_start(&peer, fixture.dir));
    EXPECT(peer.service != isolated_pid("asker"));
    for (int round = 0; round < 5; round++) {
        EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_LOCK, 1, TIMEOUT_MS);
        EXPECT(peer_send(&peer, 'L'));
        struct pollfd early = {.fd = peer.replies, .events = POLLIN};
        EXPECT_INT(poll(&early, 1, 30), 0);
        EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_UNLOCK, 0, 0);
        EXPECT_INT(peer_reply(&peer), HY_STATUS_OK);
        EXPECT_STATUS(&fixture.app, HY_STATUS_MISSED_DEADLINE_TRANSIENT, ASK_LOCK, 0, 20);
        EXPECT(peer_send(&peer, 'U'));
        EXPECT_INT(peer_reply(&peer), HY_STATUS_OK);
    }
    peer_end(&peer);
    finish(&fixture);
}

TEST(service_cache_locks, a_service_that_dies_gives_its_lock_back)
{
    struct fixture fixture;
    struct peer peer;
    REQUIRE(init(&fixture));
    REQUIRE(peer_start(&peer, fixture.dir));
    EXPECT(peer_send(&peer, 'L'));
    EXPECT_INT(peer_reply(&peer), HY_STATUS_OK);
    EXPECT_STATUS(&fixture.app, HY_STATUS_MISSED_DEADLINE_TRANSIENT, ASK_LOCK, 1, 20);
    kill(peer.service, SIGKILL); /* its app lives on */
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_LOCK, 1, TIMEOUT_MS);
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_UNLOCK, 0, 0);
    peer_end(&peer);
    finish(&fixture);
}

TEST(service_cache_locks, an_app_that_dies_gives_its_lock_back)
{
    struct fixture fixture;
    struct peer peer;
    REQUIRE(init(&fixture));
    REQUIRE(peer_start(&peer, fixture.dir));
    EXPECT(peer_send(&peer, 'L'));
    EXPECT_INT(peer_reply(&peer), HY_STATUS_OK);
    peer_end(&peer);
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_LOCK, 1, TIMEOUT_MS);
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_UNLOCK, 0, 0);
    finish(&fixture);
}

/* Nobody gives the lock back, and there is no deadline: the hang-up is what ends the wait. */
TEST(service_cache_locks, a_wait_ends_with_the_app)
{
    struct fixture fixture;
    struct peer peer;
    REQUIRE(init(&fixture));
    REQUIRE(peer_start(&peer, fixture.dir));
    const pid_t service = peer.service;
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_LOCK, 1, TIMEOUT_MS);
    EXPECT(peer_send(&peer, 'L'));
    struct pollfd early = {.fd = peer.replies, .events = POLLIN};
    EXPECT_INT(poll(&early, 1, 30), 0);
    peer_end(&peer);
    EXPECT(is_gone_in_time(service));
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_UNLOCK, 0, 0);
    finish(&fixture);
}

struct waiter {
    const struct app *app;
    pthread_t thread;
    int status;
};

static void *wait_there(void *argument)
{
    struct waiter *waiter = argument;
    waiter->status = app_ask(waiter->app, ASK_LOCK, 1, TIMEOUT_MS).status;
    return NULL;
}

/* The control socket goes on serving while somebody waits. */
TEST(service_cache_locks, who_waits_keeps_nobody_else_waiting)
{
    struct fixture fixture;
    struct app other;
    REQUIRE(init(&fixture));
    REQUIRE(open_in_time(&other, fixture.dir));
    struct waiter waiter = {.app = &other};
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_LOCK, 1, TIMEOUT_MS);
    REQUIRE(pthread_create(&waiter.thread, NULL, wait_there, &waiter) == 0);
    for (int i = 0; i < 20; i++)
        EXPECT_STATUS(&fixture.app, HY_STATUS_MISSED_DEADLINE_TRANSIENT, ASK_LOCK, 1, 1);
    EXPECT_STATUS(&fixture.app, HY_STATUS_GENERAL_FAILURE, ASK_BEGIN, 1, 0);
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_UNLOCK, 0, 0);
    pthread_join(waiter.thread, NULL);
    EXPECT_INT(waiter.status, HY_STATUS_OK);
    EXPECT_STATUS(&other, HY_STATUS_OK, ASK_UNLOCK, 0, 0);
    app_close(&other);
    finish(&fixture);
}

/* The app opens nothing for a service that it could not read anyway. */
TEST(service_cache_locks, what_is_no_file_is_not_opened_anew)
{
    struct fixture fixture;
    REQUIRE(init(&fixture));
    EXPECT_STATUS(&fixture.app, HY_STATUS_GENERAL_FAILURE, ASK_LOCK_PIPE, 0, 0);
    EXPECT_STATUS(&fixture.app, HY_STATUS_GENERAL_FAILURE, ASK_LOCK_PIPE, 1, 0);
    finish(&fixture);
}

TEST(service_cache_locks, without_a_file_there_is_nothing_to_lock)
{
    struct app app;
    REQUIRE(open_in_time(&app, NULL));
    EXPECT_STATUS(&app, HY_STATUS_INVALID_ARGUMENT, ASK_LOCK, 1, 0);
    app_close(&app);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static float content_of(const char *dir)
{
    struct app app;
    if (!app_open(&app, dir))
        return -1;
    const struct reply reply = app_ask(&app, ASK_CONTENT, 0, 0);
    app_close(&app);
    return reply.status == HY_STATUS_OK ? reply.numbers[0] : -1;
}

TEST(service_cache_files, what_is_kept_open_is_written_later)
{
    struct fixture fixture;
    REQUIRE(init(&fixture));
    EXPECT(content_of(fixture.dir) == 1);
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_WRITE, 7, 0);
    EXPECT(content_of(fixture.dir) == 7);
    finish(&fixture);
}

TEST(service_cache_files, an_update_takes_the_place_of_the_entry)
{
    struct fixture fixture;
    REQUIRE(init(&fixture));
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_BEGIN, 0, 0);
    EXPECT(content_of(fixture.dir) == 1);
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_COMMIT, 1, 9);
    EXPECT(content_of(fixture.dir) == 9);
    EXPECT(app_ask(&fixture.app, ASK_CONTENT, 0, 0).numbers[0] == 1); /* it keeps what it has */
    finish(&fixture);
}

TEST(service_cache_files, an_update_that_is_not_kept_leaves_the_entry)
{
    struct fixture fixture;
    REQUIRE(init(&fixture));
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_BEGIN, 0, 0);
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_COMMIT, 0, 9);
    EXPECT(content_of(fixture.dir) == 1);
    finish(&fixture);
}

TEST(service_cache_files, a_token_that_is_not_in_use_has_no_update)
{
    struct fixture fixture;
    REQUIRE(init(&fixture));
    EXPECT_STATUS(&fixture.app, HY_STATUS_GENERAL_FAILURE, ASK_BEGIN, 1, 0);
    finish(&fixture);
}

/* The client drops what the process had begun, so that the next one can begin. */
TEST(service_cache_files, an_update_of_a_service_that_dies_is_dropped)
{
    struct fixture fixture;
    REQUIRE(init(&fixture));
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_BEGIN, 0, 0);
    isolated_kill("asker");
    app_close(&fixture.app);
    REQUIRE(open_in_time(&fixture.app, fixture.dir));
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_BEGIN, 0, 0);
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_COMMIT, 1, 5);
    EXPECT(content_of(fixture.dir) == 5);
    finish(&fixture);
}

/* ---- Records: they live with the service ----------------------------------------------------- */

TEST(service_cache_records, digests_outlive_the_service)
{
    struct fixture fixture;
    REQUIRE(init(&fixture));
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_STORE_DIGEST, 42, 0);
    isolated_kill("asker");
    app_close(&fixture.app);
    REQUIRE(open_in_time(&fixture.app, fixture.dir));
    const struct reply found = app_ask(&fixture.app, ASK_FIND_DIGEST, 0, 0);
    EXPECT_INT(found.status, HY_STATUS_OK);
    EXPECT(found.numbers[0] == 42);
    finish(&fixture);
}

TEST(service_cache_records, blobs_outlive_the_service_until_they_are_removed)
{
    struct fixture fixture;
    REQUIRE(init(&fixture));
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_STORE_BLOB, 17, 0);
    isolated_kill("asker");
    app_close(&fixture.app);
    REQUIRE(open_in_time(&fixture.app, fixture.dir));
    struct reply loaded = app_ask(&fixture.app, ASK_LOAD_BLOB, 0, 0);
    EXPECT_INT(loaded.status, HY_STATUS_OK);
    EXPECT(loaded.numbers[0] == 3 && loaded.numbers[1] == 17);
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_REMOVE_BLOB, 0, 0);
    loaded = app_ask(&fixture.app, ASK_LOAD_BLOB, 0, 0);
    EXPECT(loaded.numbers[0] == 0);
    finish(&fixture);
}

TEST(service_cache_records, later_runs_in_the_service)
{
    struct fixture fixture;
    REQUIRE(init(&fixture));
    const float before = app_ask(&fixture.app, ASK_TASK_RUNS, 0, 0).numbers[0];
    EXPECT_STATUS(&fixture.app, HY_STATUS_OK, ASK_POST_TASK, 0, 0);
    float ran = before;
    for (int i = 0; i < TIMEOUT_MS && ran == before; i++) {
        poll(NULL, 0, 1);
        ran = app_ask(&fixture.app, ASK_TASK_RUNS, 0, 0).numbers[0];
    }
    EXPECT(ran == before + 1);
    finish(&fixture);
}
