/* Apps of a shared service that are killed while they use it. This process uses nothing of the API
 * itself: its children do, and each of them starts anew. */
#include "common/random.h"
#include "shared_service.h"
#include "tests/kit/small_model.h"
#include "tests/kit/test.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    KILLS = 200,
    WARM_UP = 20, /* after so many, nothing is there for the first time */
    LONGEST_LIFE_US = 20000,
};

/* Runs in all ways until it is killed, and says when it has begun. */
static _Noreturn void live(int begun)
{
    for (unsigned seed = 0;; seed++) {
        if (!small_life(seed))
            _exit(1);
        if (seed == 0)
            (void)!write(begun, "", 1);
    }
}

/* One app, killed at some moment: every second one while it is only beginning. */
static bool kill_one(struct hy_random *chance, unsigned number)
{
    int ends[2], status = 0;
    char byte;

    if (pipe(ends) != 0)
        return false;
    fflush(stdout);
    const pid_t app = fork();
    if (app == 0) {
        close(ends[0]);
        live(ends[1]);
    }
    close(ends[1]);
    if (number % 2 == 0)
        (void)!read(ends[0], &byte, 1);
    usleep((useconds_t)(hy_random_below(chance, LONGEST_LIFE_US)));
    kill(app, SIGKILL);
    waitpid(app, &status, 0);
    close(ends[0]);
    return WIFSIGNALED(status);
}

/* Everybody has left. */
static bool is_quiet(const struct shared_service *service)
{
    for (int waited = 0; waited < TIMEOUT_MS; waited += 5) {
        if (shared_service_count(service, "has come") == shared_service_count(service, "has left"))
            return true;
        poll(NULL, 0, 5);
    }
    return false;
}

static bool are_equal(const struct holdings *a, const struct holdings *b)
{
    return a->fds == b->fds && a->threads == b->threads && a->shared_maps == b->shared_maps;
}

static bool are_no_more(const struct holdings *now, const struct holdings *most)
{
    return now->fds <= most->fds && now->threads <= most->threads &&
           now->shared_maps <= most->shared_maps;
}

/* A thread that has said so may still be on its way out, also of those that were counted first. */
static void expect_to_hold_no_more(pid_t host, const struct holdings *most)
{
    struct holdings now = {0};

    for (int waited = 0; waited < TIMEOUT_MS; waited += 5) {
        if (holdings_of(host, &now) && are_no_more(&now, most))
            return;
        poll(NULL, 0, 5);
    }
    hy_test_fail(__FILE__, __LINE__, "%u descriptors, %u threads, %u shared maps; were %u, %u, %u",
                 now.fds, now.threads, now.shared_maps, most->fds, most->threads,
                 most->shared_maps);
}

/* What there is when nobody uses it: the same twice in a row. */
static struct holdings at_rest(pid_t host)
{
    struct holdings before = {0}, now = {0};

    (void)holdings_of(host, &now);
    do {
        before = now;
        poll(NULL, 0, 200);
        (void)holdings_of(host, &now);
    } while (!are_equal(&before, &now));
    return now;
}

TEST(shared_kills, service_frees_all_that_killed_apps_held)
{
    static const char *const cpu[] = {"--cpu", NULL};
    struct shared_service service;
    struct holdings baseline = {0};
    struct hy_random chance = {4711};
    char sockets[128];
    int status;

    REQUIRE(shared_service_init(&service));
    REQUIRE(shared_service_start(&service, cpu, &status));
    snprintf(sockets, sizeof sockets, "halyard-cpu=%s", service.socket);
    setenv("HALYARD_SERVICE_SOCKETS", sockets, 1);
    setenv("HALYARD_PLAN_DEVICES", "halyard-cpu", 1);
    const pid_t host = shared_service_host(&service);
    for (unsigned i = 0; i < KILLS; i++) {
        EXPECT(kill_one(&chance, i));
        if (i + 1 < WARM_UP)
            continue;
        if (i + 1 == WARM_UP) {
            EXPECT(is_quiet(&service));
            baseline = at_rest(host);
        }
    }
    EXPECT(is_quiet(&service));
    expect_to_hold_no_more(host, &baseline);
    EXPECT_INT(shared_service_host(&service), host);
    EXPECT(shared_service_count(&service, "has come") >= KILLS / 2);
    EXPECT_INT(shared_service_end(&service, SIGTERM), 0);
    shared_service_finish(&service);
}
