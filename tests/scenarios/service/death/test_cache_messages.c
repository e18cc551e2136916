/*
 * Hosts that end at everything that a driver asks its host for: at each message with which it asks
 * the app's process, and before and after each call in which it asks its own.
 */
#include "child.h"
#include "death_trigger.h"
#include "halyard/driver.h"
#include "held_resources.h"
#include "plugins/service/wire/messages.h"
#include "tests/kit/test.h"
#include "tests/scenarios/service/cache/app.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { BOUND_MS = 60000, DIR_SIZE = 64, NAMES = 4096 };

static struct death_trigger *trigger;

/* One case: the host dies at this point of the nth message of the kind. */
struct death {
    uint32_t kind;
    enum death_point point;
    unsigned nth;
    unsigned number; /* of the case; what it stores is found by nobody else's */
};

/* ---- What a driver asks for ------------------------------------------------------------------ */

/* An app whose cache is in a folder. */
struct fixture {
    struct app app;
    const char *dir;
    float byte; /* to store, which nobody before has stored */
};

enum outcome {
    DONE,
    LOST, /* its process has died, or is not there again yet */
    WRONG /* with words */
};

/* Gives away one of the driver's wishes, which it has to be granted. */
static enum outcome send_request(struct fixture *fixture, enum asking_request send_request,
                                 float first, float second, struct reply *ret)
{
    *ret = app_ask(&fixture->app, send_request, first, second);
    if (ret->status == -1)
        return LOST;
    if (ret->status == HY_STATUS_OK)
        return DONE;
    (void)child_fail("wish %d gave %d", (int)send_request, ret->status);
    return WRONG;
}

static enum outcome compare(const struct reply *reply, float expected, const char *what)
{
    if (reply->numbers[0] == expected)
        return DONE;
    (void)child_fail("%s is %g, expected %g", what, (double)reply->numbers[0], (double)expected);
    return WRONG;
}

/* What the next one to compile finds in the cache. */
static enum outcome find_content(struct fixture *fixture, float expected)
{
    struct fixture other = *fixture;
    struct reply reply;

    if (!app_open(&other.app, fixture->dir))
        return LOST;
    enum outcome outcome = send_request(&other, ASK_CONTENT, 0, 0, &reply);
    app_close(&other.app);
    return outcome == DONE ? compare(&reply, expected, "what the cache has") : outcome;
}

static enum outcome compile(struct fixture *fixture)
{
    app_close(&fixture->app);
    return app_open(&fixture->app, fixture->dir) ? DONE : LOST;
}

static enum outcome lock(struct fixture *fixture)
{
    struct reply reply;
    const enum outcome outcome = send_request(fixture, ASK_LOCK, 1, BOUND_MS, &reply);

    return outcome == DONE ? send_request(fixture, ASK_UNLOCK, 0, 0, &reply) : outcome;
}

static enum outcome write_entry(struct fixture *fixture)
{
    struct reply reply;
    const enum outcome outcome = send_request(fixture, ASK_WRITE, fixture->byte, 0, &reply);

    return outcome == DONE ? find_content(fixture, fixture->byte) : outcome;
}

static enum outcome update(struct fixture *fixture, bool keep, float byte)
{
    struct reply reply;
    enum outcome outcome = send_request(fixture, ASK_BEGIN, 0, 0, &reply);

    if (outcome == DONE)
        outcome = send_request(fixture, ASK_COMMIT, keep, byte, &reply);
    return outcome == DONE ? find_content(fixture, fixture->byte + 1) : outcome;
}

static enum outcome commit_update(struct fixture *fixture)
{
    return update(fixture, true, fixture->byte + 1);
}

static enum outcome drop_update(struct fixture *fixture)
{
    return update(fixture, false, fixture->byte + 2);
}

static enum outcome remember_digest(struct fixture *fixture)
{
    struct reply reply;
    enum outcome outcome = send_request(fixture, ASK_STORE_DIGEST, fixture->byte, 0, &reply);

    if (outcome == DONE)
        outcome = send_request(fixture, ASK_FIND_DIGEST, 0, 0, &reply);
    return outcome == DONE ? compare(&reply, fixture->byte, "the digest") : outcome;
}

static enum outcome remember_blob(struct fixture *fixture)
{
    struct reply reply;
    enum outcome outcome = send_request(fixture, ASK_STORE_BLOB, fixture->byte, 0, &reply);

    if (outcome == DONE)
        outcome = send_request(fixture, ASK_LOAD_BLOB, 0, 0, &reply);
    if (outcome == DONE)
        outcome = compare(&reply, 3, "the length of the blob");
    if (outcome == DONE && reply.numbers[1] != fixture->byte) {
        (void)child_fail("the blob starts with %g", (double)reply.numbers[1]);
        outcome = WRONG;
    }
    return outcome;
}

/* It may have been removed by the process that died. */
static enum outcome remove_blob(struct fixture *fixture)
{
    struct reply reply = app_ask(&fixture->app, ASK_REMOVE_BLOB, 0, 0);

    if (reply.status == -1)
        return LOST;
    reply = app_ask(&fixture->app, ASK_LOAD_BLOB, 0, 0);
    return reply.status == -1 ? LOST : compare(&reply, 0, "the length of the removed blob");
}

static enum outcome later(struct fixture *fixture)
{
    struct reply reply;
    return send_request(fixture, ASK_POST_TASK, 0, 0, &reply);
}

static enum outcome log_line(struct fixture *fixture)
{
    struct reply reply;
    return send_request(fixture, ASK_LOG, 0, 0, &reply);
}

/* Nobody has kept the lock of the entry; and what was stored last is there. */
static enum outcome look_back(struct fixture *fixture)
{
    enum outcome outcome = compile(fixture);

    if (outcome == DONE)
        outcome = lock(fixture);
    return outcome == DONE ? find_content(fixture, fixture->byte + 1) : outcome;
}

static const struct step {
    const char *name;
    enum outcome (*perform)(struct fixture *fixture);
} steps[] = {
    {"compile", compile},
    {"lock", lock},
    {"write into the entry", write_entry},
    {"update that is kept", commit_update},
    {"update that is dropped", drop_update},
    {"digest", remember_digest},
    {"blob", remember_blob},
    {"removed blob", remove_blob},
    {"later", later},
    {"log", log_line},
    {"look back", look_back},
};

/* ---- One life -------------------------------------------------------------------------------- */

/* After a death the app compiles anew, which for some time may have to wait for a process. */
static enum outcome retry_step(struct fixture *fixture, const struct step *step)
{
    enum outcome outcome = LOST;

    for (int ms = 0; outcome == LOST && ms < BOUND_MS; ms += 10) {
        outcome = compile(fixture);
        if (outcome == DONE)
            outcome = step->perform(fixture);
        if (outcome == LOST)
            poll(NULL, 0, 10);
    }
    return outcome;
}

/* `*deaths`: steps that were lost to one. */
static bool live(struct fixture *fixture, unsigned *deaths)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        enum outcome outcome = steps[i].perform(fixture);
        if (outcome == LOST && (atomic_load(&trigger->done) == 0 || *deaths > 0))
            return child_fail("%s failed %s", steps[i].name,
                              *deaths > 0 ? "a second time" : "without a death");
        *deaths += outcome == LOST;
        if (outcome == LOST)
            outcome = retry_step(fixture, &steps[i]);
        if (outcome != DONE)
            return child_fail("%s was not right after the death", steps[i].name);
    }
    return true;
}

/* ---- What is left in the folder -------------------------------------------------------------- */

static char *listed; /* what visit() fills, NAMES bytes */
static size_t root_length;

static int visit(const char *path, const struct stat *info, int type, struct FTW *position)
{
    (void)info, (void)type, (void)position;
    const size_t used = strlen(listed);
    snprintf(listed + used, NAMES - used, "%s\n", path + root_length);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of all that is in the folder, in order. */
static void list(const char *dir, char names[NAMES])
{
    static char unsorted[NAMES];
    char *lines[NAMES / 16];
    size_t count = 0;

    unsorted[0] = names[0] = '\0';
    listed = unsorted;
    root_length = strlen(dir);
    (void)nftw(dir, visit, 8, FTW_PHYS);
    for (char *line = strtok(unsorted, "\n"); line && count < NAMES / 16; line = strtok(NULL, "\n"))
        lines[count++] = line;
    qsort(lines, count, sizeof *lines, by_name);
    for (size_t i = 0; i < count; i++) {
        strcat(names, lines[i]);
        strcat(names, "\n");
    }
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *position)
{
    (void)info, (void)type, (void)position;
    return remove(path);
}

/* ---- The cases ------------------------------------------------------------------------------- */

static bool make_dir(char dir[DIR_SIZE])
{
    snprintf(dir, DIR_SIZE, "/tmp/halyard-asked-XXXXXX");
    return mkdtemp(dir) || child_fail("no folder");
}

/* A life in a folder of its own, and what it leaves there. */
static bool live_there(const struct death *death, unsigned *deaths, char names[NAMES])
{
    char dir[DIR_SIZE];
    struct fixture fixture = {.dir = dir, .byte = (float)(death->number % 200 + 2)};

    if (!make_dir(dir))
        return false;
    const bool good = live(&fixture, deaths);
    app_close(&fixture.app);
    list(dir, names);
    (void)nftw(dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return good;
}

static bool die(void *context)
{
    static char usual[NAMES], left[NAMES];
    const struct death *death = context;
    struct held_resources before;
    unsigned deaths = 0;

    death_trigger_arm(trigger, 0, 0, SIGKILL, 0);
    if (!live_there(death, &deaths, usual) || !held_resources_read(&before))
        return child_fail("without a death");
    death_trigger_arm(trigger, death->kind, death->point, SIGKILL, death->nth);
    if (!live_there(death, &deaths, left))
        return false;
    if (atomic_load(&trigger->done) == 1 && deaths == 0 && death->point != DEATH_REPLIED)
        (void)child_fail("nobody was told of the death");
    if (strcmp(usual, left) != 0)
        (void)child_fail("there is\n%swhich was\n%s", left, usual);
    return held_resources_have_not_grown(&before);
}

/* Whether the host has come there. */
static bool expect_survived(const char *name, struct death *death)
{
    static unsigned cases;
    const char *message;

    death->number = ++cases;
    if (!child_does(die, death, &message))
        hy_test_fail(__FILE__, __LINE__, "%s %u, %s: %s", name, death->nth,
                     death_point_name(death->point), message);
    else
        hy_test_pass(__FILE__, __LINE__);
    EXPECT(death_trigger_wait_for_end());
    return atomic_load(&trigger->done) == 1;
}

/* How often each is in a life: the second update is not kept. */
static const struct {
    uint32_t kind;
    const char *name;
    unsigned times;
    bool is_call;
} messages[] = {
    {HY_WIRE_CACHE_BEGIN, "cache begin", 2, true},
    {HY_WIRE_CACHE_COMMIT, "cache commit", 2, true},
    {HY_WIRE_CACHE_KEEP_OPEN, "cache keep open", 1, true},
    {HY_WIRE_CACHE_REOPEN, "cache reopen", 2, true},
    {HY_WIRE_LOG, "log", 1, false},
};

static void die_at(enum death_point point)
{
    trigger = death_trigger_create();
    REQUIRE(trigger != NULL);
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        for (unsigned nth = 1; nth <= messages[i].times; nth++) {
            struct death death = {messages[i].kind, point, nth, 0};
            if (messages[i].is_call || point >= DEATH_UNREPLIED)
                EXPECT(expect_survived(messages[i].name, &death));
        }
    }
    death_trigger_destroy(trigger);
}

TEST(service_cache_messages, host_that_dies_with_a_question_in_its_hand)
{
    die_at(DEATH_UNREPLIED);
}

TEST(service_cache_messages, host_that_dies_when_it_has_asked)
{
    die_at(DEATH_REPLIED);
}

TEST(service_cache_messages, host_that_dies_before_it_reads_the_answer)
{
    die_at(DEATH_UNREAD);
}

TEST(service_cache_messages, host_that_dies_when_it_has_read_the_answer)
{
    die_at(DEATH_READ);
}

/* Before and after all that it asks: digests and blobs, too, which are its process's own. */
static void die_at_every_call(enum death_point point)
{
    enum { MOST = 64 };
    unsigned nth = 0;

    trigger = death_trigger_create();
    REQUIRE(trigger != NULL);
    for (bool has_come = true; has_come && nth < MOST;) {
        struct death death = {HY_WIRE_EXECUTE, point, ++nth, 0};
        has_come = expect_survived("execution", &death);
    }
    EXPECT(nth > ASK_REQUESTS && nth < MOST);
    death_trigger_destroy(trigger);
}

TEST(service_cache_messages, host_that_dies_before_its_driver_asks)
{
    die_at_every_call(DEATH_READ);
}

TEST(service_cache_messages, host_that_dies_when_its_driver_was_answered)
{
    die_at_every_call(DEATH_UNREPLIED);
}
