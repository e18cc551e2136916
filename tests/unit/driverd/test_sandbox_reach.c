/* Other processes of the same user, and what a driver does to them through calls that it needs for
 * itself: with Landlock, which keeps signals in since its version 6, and without. */
#include "confined.h"
#include "tests/kit/test.h"
#include "victim.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* All ways of one deed are refused, loud or quiet, and the victim is none the worse. */
static void expect_harmless(const char *deed, const char *line)
{
    struct victim victim;

    REQUIRE(victim_start(&victim));
    confined_expect_anyway(deed, victim.number, EPERM, line);
    EXPECT(victim_is_unharmed(&victim));
    victim_end(&victim);
}

TEST(sandbox_reach, descriptor_sends_no_signal_to_another_process)
{
    expect_harmless("signal_by_descriptor", "system call fcntl (");
    expect_harmless("signal_by_ioctl", "system call ioctl (");
}

TEST(sandbox_reach, upper_half_of_a_command_hides_nothing)
{
    expect_harmless("signal_by_padded_command", "system call fcntl (");
}

TEST(sandbox_reach, commands_that_are_not_listed_are_refused)
{
    expect_harmless("use_other_commands", "system call fcntl (");
}

TEST(sandbox_reach, affinity_policy_and_priority_of_others_stay)
{
    char parent[16];

    snprintf(parent, sizeof parent, "%d", (int)getpid());
    expect_harmless("slow_down", NULL);
    expect_harmless("slow_down_all", NULL);
    confined_expect_anyway("slow_down", parent, EPERM, NULL);
}

TEST(sandbox_reach, thread_that_is_pinned_by_its_number_is_an_error_and_no_death)
{
    confined_expect_anyway("pin_by_number", NULL, EPERM, NULL);
}

TEST(sandbox_reach, refused_priorities_leave_no_line)
{
    struct confined confined;
    struct victim victim;

    REQUIRE(victim_start(&victim));
    EXPECT(confined_run(confined_own_dirs(), WORKING, LACKS_NOTHING, "slow_down", victim.number,
                        NULL, &confined));
    EXPECT_INT(confined.outcome, EPERM);
    EXPECT_STR(confined.log, "");
    victim_end(&victim);
}

TEST(sandbox_reach, others_are_not_looked_at_or_placed)
{
    expect_harmless("look_at_other", "system call kcmp (");
    expect_harmless("share_core", "system call prctl (");
    expect_harmless("interrupt_processors", NULL);
}

TEST(sandbox_reach, terminal_is_not_commanded)
{
    expect_harmless("command_terminal", "system call ioctl (");
}

TEST(sandbox_reach, own_thread_and_own_descriptors_are_at_its_command)
{
    confined_expect_anyway("use_own_thread", NULL, 0, NULL);
    confined_expect_anyway("use_own_descriptors", NULL, 0, NULL);
}
