/* A shared driver is upgraded under apps that run. All NNAPI is in children: the environment, and
 * with it where drivers are, is read once in a process. */
#include "app.h"
#include "halyard/halyard.h"
#include "tests/kit/test.h"
#include "upgraded.h"

#include <signal.h>
#include <stdlib.h>

enum { SOME = 30 };

static bool upgrade(struct upgraded *upgraded, const char *build)
{
    return upgraded_install(upgraded, build) && upgraded_stop(upgraded) == 0 &&
           upgraded_start(upgraded);
}

/* The socket stays open meanwhile, so that no call finds nobody. */
TEST(upgrade, no_call_of_two_apps_fails_where_the_socket_is_handed_over)
{
    struct upgraded upgraded;

    REQUIRE(upgraded_init(&upgraded, BUILD_ONE, true));
    struct app *apps[] = {app_start(APP_ORDINARY, false, NULL), app_start(APP_BURST, false, NULL)};
    for (int i = 0; i < 2; i++)
        EXPECT(app_goes_on(apps[i], SOME));
    EXPECT(upgrade(&upgraded, BUILD_TWO));
    for (int i = 0; i < 2; i++) {
        EXPECT(app_goes_on(apps[i], SOME));
        EXPECT_INT(atomic_load(&apps[i]->wrong), 0);
        EXPECT_INT(atomic_load(&apps[i]->failed), 0);
        EXPECT_STR(apps[i]->error_text, "");
        EXPECT(app_end(apps[i]));
    }
    EXPECT(shared_service_logs(&upgraded.service, "version 1.0, build one", 1));
    EXPECT(shared_service_logs(&upgraded.service, "version 1.1, build two", 1));
    upgraded_finish(&upgraded);
}

/* Between the two services there is no socket: calls look for the next one for a while. */
TEST(upgrade, apps_go_on_where_the_service_makes_its_socket)
{
    struct upgraded upgraded;

    REQUIRE(upgraded_init(&upgraded, BUILD_ONE, false));
    struct app *apps[] = {app_start(APP_ORDINARY, false, NULL), app_start(APP_BURST, false, NULL)};
    for (int i = 0; i < 2; i++)
        EXPECT(app_goes_on(apps[i], SOME));
    EXPECT(upgrade(&upgraded, BUILD_TWO));
    for (int i = 0; i < 2; i++) {
        EXPECT(app_goes_on(apps[i], SOME));
        EXPECT_INT(atomic_load(&apps[i]->wrong), 0);
        EXPECT(atomic_load(&apps[i]->failed) == 0 ||
               apps[i]->first_failure == ANEURALNETWORKS_UNAVAILABLE_DEVICE);
        EXPECT(app_end(apps[i]));
    }
    upgraded_finish(&upgraded);
}

/* Nobody takes the service's place, so that what fails is the call after it. */
TEST(upgrade, call_that_is_under_way_when_the_service_ends_is_answered)
{
    struct upgraded upgraded;

    REQUIRE(upgraded_init(&upgraded, BUILD_SLOW, false));
    struct app *app = app_start(APP_ORDINARY, true, NULL);
    EXPECT(app_goes_on(app, 1));
    EXPECT(upgraded_is_executing(&upgraded));
    const unsigned before = atomic_load(&app->good);
    EXPECT_INT(upgraded_stop(&upgraded), 0);
    EXPECT(app_fails(app));
    EXPECT_INT(app->first_failure, ANEURALNETWORKS_UNAVAILABLE_DEVICE);
    EXPECT_CONTAINS(app->error_text, upgraded.service.socket);
    EXPECT(atomic_load(&app->good) > before);
    EXPECT_INT(atomic_load(&app->wrong), 0);
    EXPECT(app_end(app));
    upgraded_finish(&upgraded);
}

TEST(upgrade, entries_of_the_old_build_are_not_used)
{
    struct upgraded upgraded;

    REQUIRE(upgraded_init(&upgraded, BUILD_ONE, true));
    struct app *first = app_start(APP_ORDINARY, false, upgraded.cache);
    EXPECT(app_goes_on(first, 1));
    EXPECT_INT(atomic_load(&first->cached), HALYARD_CACHE_STORED);
    struct app *app = app_start(APP_ORDINARY, false, upgraded.cache); /* all it has is the entry */
    EXPECT(app_goes_on(app, 1));
    EXPECT_INT(atomic_load(&app->cached), HALYARD_CACHE_HIT);

    EXPECT(upgrade(&upgraded, BUILD_TWO));
    EXPECT(app_goes_on(app, SOME));
    EXPECT_INT(atomic_load(&app->failed), 0);
    EXPECT_INT(atomic_load(&app->wrong), 0);
    EXPECT_INT(app_compile(app), HALYARD_CACHE_NOT_STORED);
    EXPECT_STR(app->reason, "the driver was upgraded since the app was started (version 1.1, build "
                            "two; was version 1.0, build one)");
    struct app *next = app_start(APP_ORDINARY, false, upgraded.cache);
    EXPECT(app_goes_on(next, 1));
    EXPECT_INT(atomic_load(&next->cached), HALYARD_CACHE_STORED); /* an entry of its own */

    EXPECT(upgrade(&upgraded, BUILD_ONE));
    EXPECT(app_goes_on(app, SOME));
    EXPECT_INT(app_compile(app), HALYARD_CACHE_HIT);
    EXPECT(app_end(first));
    EXPECT(app_end(app));
    EXPECT(app_end(next));
    upgraded_finish(&upgraded);
}

TEST(upgrade, build_that_has_less_is_refused_with_what_is_to_be_done_and_its_repair_is_used)
{
    static const char expected[] =
        "halyard-sample is now an incompatible build, restart the app: the feature level is 7, was "
        "8 (version 1.1, build less; was version 1.0, build one)";
    struct upgraded upgraded;

    REQUIRE(upgraded_init(&upgraded, BUILD_ONE, true));
    struct app *app = app_start(APP_ORDINARY, false, NULL);
    EXPECT(app_goes_on(app, SOME));
    EXPECT(upgrade(&upgraded, BUILD_LESS));
    EXPECT(app_fails(app));
    EXPECT_INT(app->first_failure, ANEURALNETWORKS_UNAVAILABLE_DEVICE);
    EXPECT_CONTAINS(app->error_text, expected);
    EXPECT(upgrade(&upgraded, BUILD_TWO));
    EXPECT(app_goes_on(app, SOME));
    EXPECT_INT(atomic_load(&app->wrong), 0);
    EXPECT(app_end(app));
    upgraded_finish(&upgraded);
}
