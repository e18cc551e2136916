/* Apps that are killed in the middle of what they do: their hosts end, and leave nothing. */
#include "child.h"
#include "death_trigger.h"
#include "lifecycle.h"
#include "plugins/service/wire/messages.h"
#include "tests/kit/test.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 120 /* s */, BOUND_MS = 60000 };

/* An app that does everything again and again, and tells how far it is. */
static _Noreturn void be_an_app(atomic_uint *steps)
{
    struct lifecycle lifecycle;

    if (!lifecycle_open(&lifecycle, TIMEOUT_S))
        _exit(2);
    for (unsigned i = 0;; i = (i + 1) % lifecycle_step_count) {
        if (lifecycle_steps[i].perform(&lifecycle) != HY_STATUS_OK)
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
    EXPECT(death_trigger_wait_for_end());
}

TEST(service_app_death, host_ends_with_an_app_that_is_killed_at_any_moment)
{
    enum { KILLS = 24 };
    struct death_trigger *trigger = death_trigger_create();
    atomic_uint *steps =
        mmap(NULL, sizeof *steps, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(trigger != NULL && steps != MAP_FAILED);

    for (unsigned i = 0; i < KILLS; i++)
        kill_after(steps, i, i * 7919 % 1000);
    munmap(steps, sizeof *steps);
    death_trigger_destroy(trigger);
}

/* A host that stands still cannot look whether its app is there: it ends when it goes on. */
static void kill_with_a_stopped_host(struct death_trigger *trigger, atomic_uint *steps)
{
    atomic_store(steps, 0);
    death_trigger_arm(trigger, HY_WIRE_EXECUTE, DEATH_READ, SIGSTOP, 3);
    fflush(NULL);
    const pid_t app = fork();
    if (app == 0)
        be_an_app(steps);
    REQUIRE(app > 0);
    for (int ms = 0; ms < BOUND_MS && atomic_load(&trigger->done) == 0; ms++)
        poll(NULL, 0, 1);
    EXPECT_INT(atomic_load(&trigger->done), 1);
    kill(app, SIGKILL);
    waitpid(app, NULL, 0);
    /* It may be on its way to standing still. */
    for (int ms = 0; ms < BOUND_MS && kill(atomic_load(&trigger->pid), SIGCONT) == 0; ms++)
        poll(NULL, 0, 1);
    EXPECT(death_trigger_wait_for_end());
}

TEST(service_app_death, host_that_stood_still_when_its_app_died_ends_when_it_goes_on)
{
    struct death_trigger *trigger = death_trigger_create();
    atomic_uint *steps =
        mmap(NULL, sizeof *steps, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(trigger != NULL && steps != MAP_FAILED);

    kill_with_a_stopped_host(trigger, steps);
    munmap(steps, sizeof *steps);
    death_trigger_destroy(trigger);
}
