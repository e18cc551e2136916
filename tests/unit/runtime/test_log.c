/* HALYARD_LOG, in processes of their own: the setting is read once in each. */
#include "runtime/log.h"
#include "tests/kit/child_log.h"
#include "tests/kit/test.h"

#include <jansson.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Bit `level` of the result: a line of that level in that area would be written under `setting`. */
static int log_levels_under(const char *setting, const char *area)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (setting)
            setenv("HALYARD_LOG", setting, 1);
        else
            unsetenv("HALYARD_LOG");
        int log_levels = 0;
        for (int32_t level = HY_LOG_ERROR; level <= HY_LOG_DEBUG; level++)
            log_levels |= hy_log_enabled(level, area) << level;
        _exit(log_levels);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

TEST(log, is_quiet_but_for_errors_and_warnings)
{
    EXPECT_INT(log_levels_under(NULL, "plan"), 1 << HY_LOG_ERROR | 1 << HY_LOG_WARNING);
}

TEST(log, has_the_level_that_is_asked_for)
{
    EXPECT_INT(log_levels_under("none", "plan"), 0);
    EXPECT_INT(log_levels_under("error", "plan"), 1);
    EXPECT_INT(log_levels_under("info", "plan"), 7);
    EXPECT_INT(log_levels_under("debug", "plan"), 15);
}

TEST(log, can_be_kept_to_some_areas)
{
    EXPECT_INT(log_levels_under("debug:plan,device", "plan"), 15);
    EXPECT_INT(log_levels_under("debug:plan,device", "device"), 15);
    EXPECT_INT(log_levels_under("debug:plan,device", "plans"), 0);
    EXPECT_INT(log_levels_under("debug:plan,device", "execute"), 0);
}

TEST(log, keeps_its_level_for_an_unknown_word)
{
    EXPECT_INT(log_levels_under("loud", "plan"), 1 << HY_LOG_ERROR | 1 << HY_LOG_WARNING);
}

static void write_two(void)
{
    hy_log(HY_LOG_WARNING, "cache", "%d files in \"a\\b\"", 7);
    hy_log_driver(HY_LOG_INFO, "acme/npu", "up");
}

TEST(log, lines_have_time_process_level_area_and_driver)
{
    char text[1024], level[16], area[16], rest[128];
    int hours, minutes, seconds, millis, pid, end = 0;

    hy_child_log("info", "text", write_two, text, sizeof text);
    EXPECT_INT(sscanf(text, "%2d:%2d:%2d.%3dZ halyard[%d] %15s %15s %127[^\n]%n", &hours, &minutes,
                      &seconds, &millis, &pid, level, area, rest, &end),
               8);
    EXPECT(pid > 0 && pid != getpid());
    EXPECT_STR(level, "warning");
    EXPECT_STR(area, "cache:");
    EXPECT_STR(rest, "7 files in \"a\\b\"");
    EXPECT_CONTAINS(text + end, "] info driver acme/npu: up\n");
}

static void expect_now(const char *stamp)
{
    struct tm utc = {0};
    char *rest = strptime(stamp, "%Y-%m-%dT%H:%M:%S", &utc);
    REQUIRE(rest != NULL);
    EXPECT_INT(strlen(rest), strlen(".000000Z"));
    const time_t passed = time(NULL) - timegm(&utc);
    EXPECT(passed >= 0 && passed < 600);
}

TEST(log, lines_are_json_objects_if_asked_for)
{
    char text[1024];
    json_error_t err;

    hy_child_log("info", "json", write_two, text, sizeof text);
    json_t *first = json_loads(text, JSON_DISABLE_EOF_CHECK, &err);
    json_t *second = json_loads(strchr(text, '\n'), 0, &err);
    REQUIRE(first && second);
    EXPECT_STR(json_string_value(json_object_get(first, "text")), "7 files in \"a\\b\"");
    EXPECT_STR(json_string_value(json_object_get(first, "level")), "warning");
    EXPECT_STR(json_string_value(json_object_get(first, "driver")), "");
    EXPECT(json_integer_value(json_object_get(first, "pid")) > 0);
    expect_now(json_string_value(json_object_get(first, "time")));
    EXPECT_STR(json_string_value(json_object_get(second, "driver")), "acme/npu");
    EXPECT_STR(json_string_value(json_object_get(second, "area")), "driver");
    json_decref(first);
    json_decref(second);
}

TEST(log, lines_for_the_journal_begin_with_its_level)
{
    char text[1024];

    hy_child_log("info", "journal", write_two, text, sizeof text);
    EXPECT_STR(text, "<4>cache: 7 files in \"a\\b\"\n<6>driver acme/npu: up\n");
}

TEST(log, unknown_words_of_the_settings_are_warned_of_with_those_that_there_are)
{
    static const struct {
        const char *setting, *format, *line;
    } cases[] = {
        {"debgu", "journal",
         "<4>device: HALYARD_LOG: \"debgu\" is not a known level; did you mean debug; known: none, "
         "error, warning, info, debug\n"},
        {"info:plan,cahce", "journal",
         "<4>device: HALYARD_LOG: \"cahce\" is not a known area; did you mean cache; known: api, "
         "cache, "
         "device, diagnostics, driver, execute, extension, memory, model, plan, profile, report\n"},
        {"warning:plan", "journal", ""},
        {"error:plane", "journal", ""},
    };
    char text[1024];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hy_child_log(cases[i].setting, cases[i].format, hy_log_check_settings, text, sizeof text);
        EXPECT_STR(text, cases[i].line);
    }
    hy_child_log("warning", "syslog", hy_log_check_settings, text, sizeof text);
    EXPECT_CONTAINS(
        text, "HALYARD_LOG_FORMAT: \"syslog\" is not a known format; known: text, json, journal");
}

static char led[256];

static void receive_line(int32_t level, const char *text)
{
    snprintf(led, sizeof led, "%d %s", (int)level, text);
}

TEST(log, of_a_process_of_ours_may_lead_elsewhere)
{
    hy_log_lead_to(receive_line);
    hy_log(HY_LOG_WARNING, "cache", "%d files", 7);
    EXPECT_STR(led, "1 cache: 7 files");
    hy_log(HY_LOG_DEBUG, "cache", "not asked for");
    EXPECT_STR(led, "1 cache: 7 files");
    hy_log_lead_to(NULL);
}
