/* HALYARD_LOG, in processes of their own: the setting is read once in each. */
#include "runtime/log.h"
#include "test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bit `level` of the result: a line of that level in that area would be written under `setting`. */
static int levels_under(const char *setting, const char *area)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (setting)
            setenv("HALYARD_LOG", setting, 1);
        else
            unsetenv("HALYARD_LOG");
        int levels = 0;
        for (int32_t level = HY_LOG_ERROR; level <= HY_LOG_DEBUG; level++)
            levels |= hy_log_enabled(level, area) << level;
        _exit(levels);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

TEST(log, is_quiet_but_for_errors_and_warnings)
{
    EXPECT_INT(levels_under(NULL, "plan"), 1 << HY_LOG_ERROR | 1 << HY_LOG_WARNING);
}

TEST(log, has_the_level_that_is_asked_for)
{
    EXPECT_INT(levels_under("none", "plan"), 0);
    EXPECT_INT(levels_under("error", "plan"), 1);
    EXPECT_INT(levels_under("info", "plan"), 7);
    EXPECT_INT(levels_under("debug", "plan"), 15);
}

TEST(log, can_be_kept_to_some_areas)
{
    EXPECT_INT(levels_under("debug:plan,device", "plan"), 15);
    EXPECT_INT(levels_under("debug:plan,device", "device"), 15);
    EXPECT_INT(levels_under("debug:plan,device", "plans"), 0);
    EXPECT_INT(levels_under("debug:plan,device", "execute"), 0);
}

TEST(log, keeps_its_level_for_an_unknown_word)
{
    EXPECT_INT(levels_under("loud", "plan"), 1 << HY_LOG_ERROR | 1 << HY_LOG_WARNING);
}

static char led[256];

static void take_line(int32_t level, const char *text)
{
    snprintf(led, sizeof led, "%d %s", (int)level, text);
}

TEST(log, of_a_process_of_ours_may_lead_elsewhere)
{
    hy_log_lead_to(take_line);
    hy_log(HY_LOG_WARNING, "cache", "%d files", 7);
    EXPECT_STR(led, "1 cache: 7 files");
    hy_log(HY_LOG_DEBUG, "cache", "not asked for");
    EXPECT_STR(led, "1 cache: 7 files");
    hy_log_lead_to(NULL);
}
