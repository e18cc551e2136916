/* Hosts that end at every message of the protocol, before it is read and up to after its answer. */
#include "child.h"
#include "death_trigger.h"
#include "held_resources.h"
#include "lifecycle.h"
#include "plugins/service/wire/messages.h"
#include "tests/kit/test.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { TIMEOUT_S = 120 /* s */ };

static struct death_trigger *trigger;

/* One case: the host dies at this point of the first message of the kind. */
struct death {
    uint32_t kind;
    enum death_point point;
    bool is_call; /* else it is told */
};

/* ---- One life -------------------------------------------------------------------------------- */

/* What a life has seen of the death: it costs one call, of all that there are. */
struct sight {
    bool is_reported; /* a call gave DEAD_OBJECT */
};

static bool run_step(struct lifecycle *lifecycle, const struct lifecycle_step *step,
                     struct sight *sight)
{
    int32_t status = step->perform(lifecycle);
    const bool is_done = atomic_load(&trigger->done) > 0;

    if (status == HY_STATUS_OK)
        return true;
    if (status != HY_STATUS_DEAD_OBJECT || !is_done || sight->is_reported)
        return child_fail("%s gave %d%s: %s", step->name, (int)status,
                          is_done ? " after the death" : "", lifecycle->error_text);
    sight->is_reported = true;
    status = lifecycle_prepare(lifecycle);
    if (status == HY_STATUS_OK)
        status = step->perform(lifecycle);
    return status == HY_STATUS_OK || child_fail("%s, next after the death, gave %d: %s", step->name,
                                                (int)status, lifecycle->error_text);
}

static bool open_and_live(struct sight *sight)
{
    struct lifecycle lifecycle;
    bool good = true;

    if (!lifecycle_open(&lifecycle, TIMEOUT_S))
        return child_fail("open: %s", lifecycle.error_text);
    for (unsigned i = 0; i < lifecycle_step_count && good; i++)
        good = run_step(&lifecycle, &lifecycle_steps[i], sight);
    lifecycle_close(&lifecycle);
    return good;
}

/* ---- What is left ---------------------------------------------------------------------------- */

static bool nothing_is_left(const struct held_resources *before)
{
    if (!death_trigger_wait_for_end())
        return child_fail("a host has not ended");
    if (waitpid(-1, NULL, WNOHANG | __WALL) != -1 || errno != ECHILD)
        return child_fail("there is a child");
    return held_resources_have_not_grown(before);
}

/* ---- The cases ------------------------------------------------------------------------------- */

static bool die_while_opening(const struct death *death)
{
    struct lifecycle lifecycle;

    death_trigger_arm(trigger, death->kind, death->point, SIGKILL, 1);
    const bool is_open = lifecycle_open(&lifecycle, TIMEOUT_S);
    if (is_open && death->point != DEATH_REPLIED)
        (void)child_fail("it opened all the same");
    if (!is_open && !strstr(lifecycle.error_text, " during "))
        (void)child_fail("open: %s", lifecycle.error_text);
    lifecycle_close(&lifecycle);
    return open_and_live(&(struct sight){0});
}

/* Destructors have no status, and what was answered is no loss. A question is asked again, and a
 * burst is opened by its first execution. */
static bool has_to_be_reported(const struct death *death)
{
    return death->is_call && death->point != DEATH_REPLIED &&
           death->kind != HY_WIRE_PREPARED_DESTROY && death->kind != HY_WIRE_REUSABLE_DESTROY &&
           death->kind != HY_WIRE_FENCED_DESTROY && death->kind != HY_WIRE_BUFFER_DESTROY &&
           death->kind != HY_WIRE_BURST_CLOSE && death->kind != HY_WIRE_SUPPORTED &&
           death->kind != HY_WIRE_BURST_OPEN;
}

static bool die_while_living(const struct death *death)
{
    struct sight sight = {0};

    death_trigger_arm(trigger, death->kind, death->point, SIGKILL, 1);
    if (!open_and_live(&sight))
        return false;
    return sight.is_reported || !has_to_be_reported(death) ||
           child_fail("nothing gave DEAD_OBJECT");
}

static bool die(void *context)
{
    const struct death *death = context;
    struct held_resources before;

    /* What is made once, like the thread that watches, is there before it counts. */
    if (!open_and_live(&(struct sight){0}) || !death_trigger_wait_for_end() ||
        !held_resources_read(&before))
        return child_fail("without a death");
    const bool good =
        death->kind < HY_WIRE_CHANNEL ? die_while_opening(death) : die_while_living(death);
    /* The app may be gone before a host that has answered comes to its death. */
    const bool is_left = good && !nothing_is_left(&before);
    if (good && atomic_load(&trigger->done) != 1)
        return child_fail("the host has never come there");
    return good && !is_left;
}

static void expect_survived(uint32_t kind, const char *name, enum death_point point, bool is_call)
{
    struct death death = {kind, point, is_call};
    const char *message;

    if (!child_does(die, &death, &message))
        hy_test_fail(__FILE__, __LINE__, "%s, %s: %s", name, death_point_name(point), message);
    else
        hy_test_pass(__FILE__, __LINE__);
}

enum way { CALL, NOTIFY };
enum sender { CLIENT, HOST };

static const struct {
    uint32_t kind;
    const char *name;
    enum sender sender;
    enum way way;
} messages[] = {
#define MESSAGE(number, NAME, label, sender, position, way, ...) {number, label, sender, way},
#include "plugins/service/wire/messages.def"
#undef MESSAGE
    {DEATH_PACKET, "packet of a burst", CLIENT, CALL},
};

static void die_at(enum death_point point)
{
    trigger = death_trigger_create();
    REQUIRE(trigger != NULL);
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        if (messages[i].sender == CLIENT && (messages[i].way == CALL || point <= DEATH_READ))
            expect_survived(messages[i].kind, messages[i].name, point, messages[i].way == CALL);
    }
    death_trigger_destroy(trigger);
}

TEST(service_each_message, host_that_dies_before_it_reads_one)
{
    die_at(DEATH_UNREAD);
}

TEST(service_each_message, host_that_dies_when_it_has_read_one)
{
    die_at(DEATH_READ);
}

TEST(service_each_message, host_that_dies_with_an_answer_in_its_hand)
{
    die_at(DEATH_UNREPLIED);
}

TEST(service_each_message, host_that_dies_when_it_has_answered)
{
    die_at(DEATH_REPLIED);
}
