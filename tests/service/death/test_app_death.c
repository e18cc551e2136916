/* Apps that are killed in the middle of what they do: their hosts end, and leave nothing. */
#include "child.h"
#include "life.h"
#include "order.h"
#include "plugins/service/wire/messages.h"
#include "test.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 120 /* s */, BOUND_MS = 60000 };

/* An app that does everything again and again, and tells how far it is. */
static _Noreturn void be_an_app(atomic_uint *steps)
{
    struct life life;

    if (!life_open(&life, PATIENCE))
        _exit(2);
    for (unsigned i = 0;; i = (i + 1) % life_step_count) {
        if (life_steps[i].take(&life) != HY_STATUS_OK)
            _exit(3);
        atomic_fetch_add(steps, 1);
    }
}

/* Kills an app that has done so many steps, and some time later. */
static void kill_after(atomic_uint *steps, unsigned count, unsigned us)
{
    int status = -1;

    atomic_store(steps, 0);
    fflush(NULL);
    const pid_t app = fork();
    if (app == 0)
        be_an_app(steps);
    REQUIRE(app > 0);
    for (int ms = 0; ms < BOUND_MS && atomic_load(steps) < count; ms++) {
        poll(NULL, 0, 1);
        if (waitpid(app, &status, WNOHANG) == app) {
            hy_test_fail(__FILE__, __LINE__, "the app ended by itself: %#x", (unsigned)status);
            return;
        }
    }
    usleep(us);
    kill(app, SIGKILL);
    EXPECT_INT(waitpid(app, &status, 0), app);
    EXPECT(death_order_wait_for_end());
}

TEST(service_app_death, host_ends_with_an_app_that_is_killed_at_any_moment)
{
    enum { KILLS = 24 };
    struct death_order *order = death_order_create();
    atomic_uint *steps =
        mmap(NULL, sizeof *steps, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(order != NULL && steps != MAP_FAILED);

    for (unsigned i = 0; i < KILLS; i++)
        kill_after(steps, i, i * 7919 % 1000);
    munmap(steps, sizeof *steps);
    death_order_destroy(order);
}

/* A host that stands still cannot look whether its app is there: it ends when it goes on. */
static void kill_with_a_stopped_host(struct death_order *order, atomic_uint *steps)
{
    atomic_store(steps, 0);
    death_order_give(order, HY_WIRE_EXECUTE, DEATH_READ, SIGSTOP, 3);
    fflush(NULL);
    const pid_t app = fork();
    if (app == 0)
        be_an_app(steps);
    REQUIRE(app > 0);
    for (int ms = 0; ms < BOUND_MS && atomic_load(&order->done) == 0; ms++)
        poll(NULL, 0, 1);
    EXPECT_INT(atomic_load(&order->done), 1);
    kill(app, SIGKILL);
    waitpid(app, NULL, 0);
    /* It may be on its way to standing still. */
    for (int ms = 0; ms < BOUND_MS && kill(atomic_load(&order->pid), SIGCONT) == 0; ms++)
        poll(NULL, 0, 1);
    EXPECT(death_order_wait_for_end());
}

TEST(service_app_death, host_that_stood_still_when_its_app_died_ends_when_it_goes_on)
{
    struct death_order *order = death_order_create();
    atomic_uint *steps =
        mmap(NULL, sizeof *steps, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(order != NULL && steps != MAP_FAILED);

    kill_with_a_stopped_host(order, steps);
    munmap(steps, sizeof *steps);
    death_order_destroy(order);
}
