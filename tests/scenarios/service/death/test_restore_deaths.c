/* A model that came from the cache, and hosts that die one after the other while they restore it
 * again. */
#include "child.h"
#include "death_trigger.h"
#include "lifecycle.h"
#include "plugins/service/wire/messages.h"
#include "tests/kit/test.h"

#include <poll.h>
#include <signal.h>

enum { TIMEOUT_S = 120 /* s */, BOUND_MS = 60000 };

static struct death_trigger *trigger;

/* The next execution finds no host, and the one that takes its place is to restore the model. Until
 * another one may be started, executions get DEVICE_UNAVAILABLE. */
static int32_t execute_in_next(struct lifecycle *lifecycle)
{
    int32_t status = HY_STATUS_DEVICE_UNAVAILABLE;

    for (int ms = 0; status == HY_STATUS_DEVICE_UNAVAILABLE && ms < BOUND_MS; ms += 5) {
        status = lifecycle_execute(lifecycle);
        poll(NULL, 0, status == HY_STATUS_DEVICE_UNAVAILABLE ? 5 : 0);
    }
    return status;
}

/* The host dies in an execution, and the next one while it restores. */
static bool die_and_restore(struct lifecycle *lifecycle)
{
    struct hy_service_info info;

    hy_service_get_info(lifecycle->service, &info);
    if (info.pid > 0) {
        death_trigger_arm(trigger, HY_WIRE_EXECUTE, DEATH_READ, SIGKILL, 1);
        if (lifecycle_execute(lifecycle) != HY_STATUS_DEAD_OBJECT)
            return child_fail("the host did not die: %s", lifecycle->error_text);
    }
    death_trigger_arm(trigger, HY_WIRE_PREPARE_FROM_CACHE, DEATH_READ, SIGKILL, 1);
    const int32_t status = execute_in_next(lifecycle);
    return status == HY_STATUS_DEAD_OBJECT ||
           child_fail("restoring gave %d: %s", (int)status, lifecycle->error_text);
}

static bool open_with_cache(struct lifecycle *lifecycle)
{
    return (lifecycle_open(lifecycle, TIMEOUT_S) && lifecycle_ask(lifecycle) == HY_STATUS_OK &&
            lifecycle_prepare(lifecycle) == HY_STATUS_OK &&
            lifecycle_execute(lifecycle) == HY_STATUS_OK) ||
           child_fail("open: %s", lifecycle->error_text);
}

static bool compile_after_two_deaths(void *context)
{
    struct lifecycle lifecycle;
    (void)context;
    if (!open_with_cache(&lifecycle))
        return false;

    const bool has_died = die_and_restore(&lifecycle) && die_and_restore(&lifecycle);
    death_trigger_arm(trigger, HY_WIRE_PREPARE_FROM_CACHE, DEATH_READ, SIGKILL, 1);
    const int32_t status = execute_in_next(&lifecycle);
    if (has_died && status != HY_STATUS_OK)
        (void)child_fail("after two deaths: %d: %s", (int)status, lifecycle.error_text);
    if (atomic_exchange(&trigger->left, 0) == 0)
        (void)child_fail("a third host was given the files");
    lifecycle_close(&lifecycle);
    return death_trigger_wait_for_end() || child_fail("a host has not ended");
}

TEST(service_restore_deaths, third_host_gets_the_model_and_not_the_files)
{
    const char *message;

    trigger = death_trigger_create();
    REQUIRE(trigger != NULL);
    if (!child_does(compile_after_two_deaths, NULL, &message))
        hy_test_fail(__FILE__, __LINE__, "%s", message);
    else
        hy_test_pass(__FILE__, __LINE__);
    death_trigger_destroy(trigger);
}

static bool restore_after_one_death(void *context)
{
    struct lifecycle lifecycle;
    (void)context;
    if (!open_with_cache(&lifecycle))
        return false;

    bool has_died = die_and_restore(&lifecycle);
    for (int i = 0; has_died && i < 2; i++) { /* one that restores forgives the one before */
        if (execute_in_next(&lifecycle) != HY_STATUS_OK)
            (void)child_fail("after one death: %s", lifecycle.error_text);
        has_died = die_and_restore(&lifecycle);
    }
    death_trigger_arm(trigger, HY_WIRE_PREPARE_FROM_CACHE, DEATH_READ, SIGKILL, 1);
    if (execute_in_next(&lifecycle) != HY_STATUS_DEAD_OBJECT)
        (void)child_fail("the files are not tried again: %s", lifecycle.error_text);
    lifecycle_close(&lifecycle);
    return death_trigger_wait_for_end() || child_fail("a host has not ended");
}

TEST(service_restore_deaths, deaths_with_a_restore_in_between_do_not_add_up)
{
    const char *message;

    trigger = death_trigger_create();
    REQUIRE(trigger != NULL);
    if (!child_does(restore_after_one_death, NULL, &message))
        hy_test_fail(__FILE__, __LINE__, "%s", message);
    else
        hy_test_pass(__FILE__, __LINE__);
    death_trigger_destroy(trigger);
}
