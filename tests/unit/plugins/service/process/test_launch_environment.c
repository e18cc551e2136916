/* What of the app's environment a host gets to see. */
#include "plugins/service/process/launch_environment.h"
#include "tests/kit/test.h"

#include <stdlib.h>

/* The names and values that are passed on, one behind the other. */
static void expect_passed(char *const *all, bool is_secure, const char *expected)
{
    char text[1024] = "";
    char **passed = hy_launch_environment(all, is_secure);

    REQUIRE(passed != NULL);
    for (size_t i = 0; passed[i]; i++) {
        strcat(text, passed[i]);
        strcat(text, ";");
    }
    EXPECT_STR(text, expected);
    free(passed);
}

TEST(launch_environment, secrets_of_the_app_stay_with_it)
{
    char *const all[] = {"API_KEY=secret",       "PATH=/bin",   "LD_PRELOAD=/lib/x.so",
                         "HALYARDX=1",           "HOMES=/x",    "LD_LIBRARY_PATH_2=/x",
                         "AWS_SESSION_TOKEN=ab", "no variable", NULL};
    expect_passed(all, false, "");
}

TEST(launch_environment, what_a_driver_needs_is_passed_on)
{
    char *const all[] = {
        "HALYARD_LOG=info", "SECRET=1", "HOME=/home/user",      "LD_LIBRARY_PATH=/opt",
        "LC_NUMERIC=de",    "LANG=",    "UBSAN_OPTIONS=halt=1", NULL};
    expect_passed(all, false,
                  "HALYARD_LOG=info;HOME=/home/user;LD_LIBRARY_PATH=/opt;LC_NUMERIC=de;LANG=;"
                  "UBSAN_OPTIONS=halt=1;");
}

TEST(launch_environment, more_is_passed_on_by_name)
{
    char *const all[] = {"ACME_CARD=2", "ACME=1",
                         "OTHER_A=3",   "OTHER_B=4",
                         "SECRET=5",    "HALYARD_SERVICE_ENVIRONMENT=::ACME_CARD:OTHER_*:",
                         NULL};
    expect_passed(all, false,
                  "ACME_CARD=2;OTHER_A=3;OTHER_B=4;"
                  "HALYARD_SERVICE_ENVIRONMENT=::ACME_CARD:OTHER_*:;");
}

TEST(launch_environment, nothing_is_passed_on_by_an_app_with_more_rights_than_its_caller)
{
    char *const all[] = {"HALYARD_STATE_DIR=/etc", "HOME=/x", "HALYARD_SERVICE_ENVIRONMENT=*",
                         NULL};
    expect_passed(all, true, "");
}

TEST(launch_environment, an_app_without_one_has_none_to_pass_on)
{
    char *const none[] = {NULL};
    expect_passed(none, false, "");
    expect_passed(NULL, false, "");
}
