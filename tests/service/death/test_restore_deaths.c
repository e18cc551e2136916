/* A model that came from the cache, and hosts that die one after the other while they restore it
 * again. */
#include "child.h"
#include "life.h"
#include "order.h"
#include "plugins/service/wire/messages.h"
#include "test.h"

#include <poll.h>
#include <signal.h>

enum { PATIENCE = 120 /* s */, BOUND_MS = 60000 };

static struct death_order *order;

/* The next execution finds no host, and the one that takes its place is to restore the model. Until
 * another one may be started, executions get DEVICE_UNAVAILABLE. */
static int32_t execute_in_next(struct life *life)
{
    int32_t status = HY_STATUS_DEVICE_UNAVAILABLE;

    for (int ms = 0; status == HY_STATUS_DEVICE_UNAVAILABLE && ms < BOUND_MS; ms += 5) {
        status = life_execute(life);
        poll(NULL, 0, status == HY_STATUS_DEVICE_UNAVAILABLE ? 5 : 0);
    }
    return status;
}

/* The host dies in an execution, and the next one while it restores. */
static bool die_and_restore(struct life *life)
{
    struct hy_service_facts facts;

    hy_service_get_facts(life->service, &facts);
    if (facts.pid > 0) {
        death_order_give(order, HY_WIRE_EXECUTE, DEATH_READ, SIGKILL, 1);
        if (life_execute(life) != HY_STATUS_DEAD_OBJECT)
            return child_fail("the host did not die: %s", life->words);
    }
    death_order_give(order, HY_WIRE_PREPARE_FROM_CACHE, DEATH_READ, SIGKILL, 1);
    const int32_t status = execute_in_next(life);
    return status == HY_STATUS_DEAD_OBJECT ||
           child_fail("restoring gave %d: %s", (int)status, life->words);
}

static bool open_with_cache(struct life *life)
{
    return (life_open(life, PATIENCE) && life_ask(life) == HY_STATUS_OK &&
            life_prepare(life) == HY_STATUS_OK && life_execute(life) == HY_STATUS_OK) ||
           child_fail("open: %s", life->words);
}

static bool compile_after_two_deaths(void *context)
{
    struct life life;
    (void)context;
    if (!open_with_cache(&life))
        return false;

    const bool has_died = die_and_restore(&life) && die_and_restore(&life);
    death_order_give(order, HY_WIRE_PREPARE_FROM_CACHE, DEATH_READ, SIGKILL, 1);
    const int32_t status = execute_in_next(&life);
    if (has_died && status != HY_STATUS_OK)
        (void)child_fail("after two deaths: %d: %s", (int)status, life.words);
    if (atomic_exchange(&order->left, 0) == 0)
        (void)child_fail("a third host was given the files");
    life_close(&life);
    return death_order_wait_for_end() || child_fail("a host has not ended");
}

TEST(service_restore_deaths, third_host_gets_the_model_and_not_the_files)
{
    const char *words;

    order = death_order_create();
    REQUIRE(order != NULL);
    if (!child_does(compile_after_two_deaths, NULL, &words))
        hy_test_fail(__FILE__, __LINE__, "%s", words);
    else
        hy_test_pass(__FILE__, __LINE__);
    death_order_destroy(order);
}

static bool restore_after_one_death(void *context)
{
    struct life life;
    (void)context;
    if (!open_with_cache(&life))
        return false;

    bool has_died = die_and_restore(&life);
    for (int i = 0; has_died && i < 2; i++) { /* one that restores forgives the one before */
        if (execute_in_next(&life) != HY_STATUS_OK)
            (void)child_fail("after one death: %s", life.words);
        has_died = die_and_restore(&life);
    }
    death_order_give(order, HY_WIRE_PREPARE_FROM_CACHE, DEATH_READ, SIGKILL, 1);
    if (execute_in_next(&life) != HY_STATUS_DEAD_OBJECT)
        (void)child_fail("the files are not tried again: %s", life.words);
    life_close(&life);
    return death_order_wait_for_end() || child_fail("a host has not ended");
}

TEST(service_restore_deaths, deaths_with_a_restore_in_between_do_not_add_up)
{
    const char *words;

    order = death_order_create();
    REQUIRE(order != NULL);
    if (!child_does(restore_after_one_death, NULL, &words))
        hy_test_fail(__FILE__, __LINE__, "%s", words);
    else
        hy_test_pass(__FILE__, __LINE__);
    death_order_destroy(order);
}
