/*
 * Hosts that end at everything that a driver asks its host for: at each message with which it asks
 * the app's process, and before and after each call in which it asks its own.
 */
#include "child.h"
#include "halyard/driver.h"
#include "holding.h"
#include "order.h"
#include "plugins/service/wire/messages.h"
#include "service/cache/app.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { BOUND_MS = 60000, FOLDER = 64, NAMES = 4096 };

static struct death_order *order;

/* One case: the host dies at this point of the nth message of the kind. */
struct death {
    uint32_t kind;
    enum death_point point;
    unsigned nth;
    unsigned number; /* of the case; what it stores is found by nobody else's */
};

/* ---- What a driver asks for ------------------------------------------------------------------ */

/* An app whose cache is in a folder. */
struct scene {
    struct app app;
    const char *folder;
    float byte; /* to store, which nobody before has stored */
};

enum outcome {
    DONE,
    LOST, /* its process has died, or is not there again yet */
    WRONG /* with words */
};

/* Gives away one of the driver's wishes, which it has to be granted. */
static enum outcome wish(struct scene *scene, enum asking_wish wish, float first, float second,
                         struct answer *ret)
{
    *ret = app_ask(&scene->app, wish, first, second);
    if (ret->status == -1)
        return LOST;
    if (ret->status == HY_STATUS_OK)
        return DONE;
    (void)child_fail("wish %d gave %d", (int)wish, ret->status);
    return WRONG;
}

static enum outcome compare(const struct answer *answer, float expected, const char *what)
{
    if (answer->numbers[0] == expected)
        return DONE;
    (void)child_fail("%s is %g, expected %g", what, (double)answer->numbers[0], (double)expected);
    return WRONG;
}

/* What the next one to compile finds in the cache. */
static enum outcome find_content(struct scene *scene, float expected)
{
    struct scene other = *scene;
    struct answer answer;

    if (!app_open(&other.app, scene->folder))
        return LOST;
    enum outcome outcome = wish(&other, ASK_CONTENT, 0, 0, &answer);
    app_close(&other.app);
    return outcome == DONE ? compare(&answer, expected, "what the cache has") : outcome;
}

static enum outcome compile(struct scene *scene)
{
    app_close(&scene->app);
    return app_open(&scene->app, scene->folder) ? DONE : LOST;
}

static enum outcome lock(struct scene *scene)
{
    struct answer answer;
    const enum outcome outcome = wish(scene, ASK_LOCK, 1, BOUND_MS, &answer);

    return outcome == DONE ? wish(scene, ASK_UNLOCK, 0, 0, &answer) : outcome;
}

static enum outcome write_later(struct scene *scene)
{
    struct answer answer;
    const enum outcome outcome = wish(scene, ASK_WRITE, scene->byte, 0, &answer);

    return outcome == DONE ? find_content(scene, scene->byte) : outcome;
}

static enum outcome update(struct scene *scene, bool keep, float byte)
{
    struct answer answer;
    enum outcome outcome = wish(scene, ASK_BEGIN, 0, 0, &answer);

    if (outcome == DONE)
        outcome = wish(scene, ASK_COMMIT, keep, byte, &answer);
    return outcome == DONE ? find_content(scene, scene->byte + 1) : outcome;
}

static enum outcome keep_update(struct scene *scene)
{
    return update(scene, true, scene->byte + 1);
}

static enum outcome drop_update(struct scene *scene)
{
    return update(scene, false, scene->byte + 2);
}

static enum outcome remember_digest(struct scene *scene)
{
    struct answer answer;
    enum outcome outcome = wish(scene, ASK_STORE_DIGEST, scene->byte, 0, &answer);

    if (outcome == DONE)
        outcome = wish(scene, ASK_FIND_DIGEST, 0, 0, &answer);
    return outcome == DONE ? compare(&answer, scene->byte, "the digest") : outcome;
}

static enum outcome remember_blob(struct scene *scene)
{
    struct answer answer;
    enum outcome outcome = wish(scene, ASK_STORE_BLOB, scene->byte, 0, &answer);

    if (outcome == DONE)
        outcome = wish(scene, ASK_LOAD_BLOB, 0, 0, &answer);
    if (outcome == DONE)
        outcome = compare(&answer, 3, "the length of the blob");
    if (outcome == DONE && answer.numbers[1] != scene->byte) {
        (void)child_fail("the blob starts with %g", (double)answer.numbers[1]);
        outcome = WRONG;
    }
    return outcome;
}

/* It may have been removed by the process that died. */
static enum outcome forget_blob(struct scene *scene)
{
    struct answer answer = app_ask(&scene->app, ASK_REMOVE_BLOB, 0, 0);

    if (answer.status == -1)
        return LOST;
    answer = app_ask(&scene->app, ASK_LOAD_BLOB, 0, 0);
    return answer.status == -1 ? LOST : compare(&answer, 0, "the length of the removed blob");
}

static enum outcome later(struct scene *scene)
{
    struct answer answer;
    return wish(scene, ASK_LATER, 0, 0, &answer);
}

static enum outcome log_line(struct scene *scene)
{
    struct answer answer;
    return wish(scene, ASK_LOG, 0, 0, &answer);
}

/* Nobody has kept the lock of the entry; and what was stored last is there. */
static enum outcome look_back(struct scene *scene)
{
    enum outcome outcome = compile(scene);

    if (outcome == DONE)
        outcome = lock(scene);
    return outcome == DONE ? find_content(scene, scene->byte + 1) : outcome;
}

static const struct step {
    const char *name;
    enum outcome (*take)(struct scene *scene);
} steps[] = {
    {"compile", compile},
    {"lock", lock},
    {"write into the entry", write_later},
    {"update that is kept", keep_update},
    {"update that is dropped", drop_update},
    {"digest", remember_digest},
    {"blob", remember_blob},
    {"removed blob", forget_blob},
    {"later", later},
    {"log", log_line},
    {"look back", look_back},
};

/* ---- One life -------------------------------------------------------------------------------- */

/* After a death the app compiles anew, which for some time may have to wait for a process. */
static enum outcome take_again(struct scene *scene, const struct step *step)
{
    enum outcome outcome = LOST;

    for (int ms = 0; outcome == LOST && ms < BOUND_MS; ms += 10) {
        outcome = compile(scene);
        if (outcome == DONE)
            outcome = step->take(scene);
        if (outcome == LOST)
            poll(NULL, 0, 10);
    }
    return outcome;
}

/* `*deaths`: steps that were lost to one. */
static bool live(struct scene *scene, unsigned *deaths)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        enum outcome outcome = steps[i].take(scene);
        if (outcome == LOST && (atomic_load(&order->done) == 0 || *deaths > 0))
            return child_fail("%s failed %s", steps[i].name,
                              *deaths > 0 ? "a second time" : "without a death");
        *deaths += outcome == LOST;
        if (outcome == LOST)
            outcome = take_again(scene, &steps[i]);
        if (outcome != DONE)
            return child_fail("%s was not right after the death", steps[i].name);
    }
    return true;
}

/* ---- What is left in the folder -------------------------------------------------------------- */

static char *listed; /* what visit() fills, NAMES bytes */
static size_t root_length;

static int visit(const char *path, const struct stat *facts, int type, struct FTW *place)
{
    (void)facts, (void)type, (void)place;
    const size_t used = strlen(listed);
    snprintf(listed + used, NAMES - used, "%s\n", path + root_length);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of all that is in the folder, in order. */
static void list(const char *folder, char names[NAMES])
{
    static char unsorted[NAMES];
    char *lines[NAMES / 16];
    size_t count = 0;

    unsorted[0] = names[0] = '\0';
    listed = unsorted;
    root_length = strlen(folder);
    (void)nftw(folder, visit, 8, FTW_PHYS);
    for (char *line = strtok(unsorted, "\n"); line && count < NAMES / 16; line = strtok(NULL, "\n"))
        lines[count++] = line;
    qsort(lines, count, sizeof *lines, by_name);
    for (size_t i = 0; i < count; i++) {
        strcat(names, lines[i]);
        strcat(names, "\n");
    }
}

static int remove_entry(const char *path, const struct stat *facts, int type, struct FTW *place)
{
    (void)facts, (void)type, (void)place;
    return remove(path);
}

/* ---- The cases ------------------------------------------------------------------------------- */

static bool make_folder(char folder[FOLDER])
{
    snprintf(folder, FOLDER, "/tmp/halyard-asked-XXXXXX");
    return mkdtemp(folder) || child_fail("no folder");
}

/* A life in a folder of its own, and what it leaves there. */
static bool live_there(const struct death *death, unsigned *deaths, char names[NAMES])
{
    char folder[FOLDER];
    struct scene scene = {.folder = folder, .byte = (float)(death->number % 200 + 2)};

    if (!make_folder(folder))
        return false;
    const bool good = live(&scene, deaths);
    app_close(&scene.app);
    list(folder, names);
    (void)nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return good;
}

static bool die(void *context)
{
    static char usual[NAMES], left[NAMES];
    const struct death *death = context;
    struct holding before;
    unsigned deaths = 0;

    death_order_give(order, 0, 0, SIGKILL, 0);
    if (!live_there(death, &deaths, usual) || !holding_look(&before))
        return child_fail("without a death");
    death_order_give(order, death->kind, death->point, SIGKILL, death->nth);
    if (!live_there(death, &deaths, left))
        return false;
    if (atomic_load(&order->done) == 1 && deaths == 0 && death->point != DEATH_ANSWERED)
        (void)child_fail("nobody was told of the death");
    if (strcmp(usual, left) != 0)
        (void)child_fail("there is\n%swhich was\n%s", left, usual);
    return holding_is_no_more_than(&before);
}

/* Whether the host has come there. */
static bool expect_survived(const char *name, struct death *death)
{
    static unsigned cases;
    const char *words;

    death->number = ++cases;
    if (!child_does(die, death, &words))
        hy_test_fail(__FILE__, __LINE__, "%s %u, %s: %s", name, death->nth,
                     death_point_name(death->point), words);
    else
        hy_test_pass(__FILE__, __LINE__);
    EXPECT(death_order_wait_for_end());
    return atomic_load(&order->done) == 1;
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
    order = death_order_create();
    REQUIRE(order != NULL);
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        for (unsigned nth = 1; nth <= messages[i].times; nth++) {
            struct death death = {messages[i].kind, point, nth, 0};
            if (messages[i].is_call || point >= DEATH_UNANSWERED)
                EXPECT(expect_survived(messages[i].name, &death));
        }
    }
    death_order_destroy(order);
}

TEST(service_cache_messages, host_that_dies_with_a_question_in_its_hand)
{
    die_at(DEATH_UNANSWERED);
}

TEST(service_cache_messages, host_that_dies_when_it_has_asked)
{
    die_at(DEATH_ANSWERED);
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

    order = death_order_create();
    REQUIRE(order != NULL);
    for (bool has_come = true; has_come && nth < MOST;) {
        struct death death = {HY_WIRE_EXECUTE, point, ++nth, 0};
        has_come = expect_survived("execution", &death);
    }
    EXPECT(nth > ASK_WISHES && nth < MOST);
    death_order_destroy(order);
}

TEST(service_cache_messages, host_that_dies_before_its_driver_asks)
{
    die_at_every_call(DEATH_READ);
}

TEST(service_cache_messages, host_that_dies_when_its_driver_was_answered)
{
    die_at_every_call(DEATH_UNANSWERED);
}
