#include "plugins/discovery/filter.h"
#include "plugins/discovery/search.h"
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/plugin_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#define NAMED(name) "{\"name\":\"" name "\"}"

/* ---- The folder list ------------------------------------------------------------------------- */

static void expect_dirs(const struct hy_discovery_environment *environment,
                        const char *const *expected)
{
    char **dirs = NULL;
    REQUIRE(hy_discovery_dirs_create(environment, &dirs, NULL) == HY_OK);
    size_t i = 0;
    for (; dirs[i] && expected[i]; i++)
        EXPECT_STR(dirs[i], expected[i]);
    EXPECT(!dirs[i] && !expected[i]);
    hy_discovery_dirs_destroy(dirs);
}

TEST(discovery, folders_follow_the_xdg_variables)
{
    const struct hy_discovery_environment environment = {
        .xdg_config_home = "/c", .xdg_data_home = "/d", .home = "/users/me"};
    const char *const expected[] = {"/c/halyard/drivers.d",
                                    "/etc/xdg/halyard/drivers.d",
                                    "/etc/halyard/drivers.d",
                                    "/d/halyard/drivers.d",
                                    "/usr/local/share/halyard/drivers.d",
                                    "/usr/share/halyard/drivers.d",
                                    NULL};
    expect_dirs(&environment, expected);
}

TEST(discovery, lists_of_xdg_folders_replace_those_of_the_system_in_their_order)
{
    const struct hy_discovery_environment environment = {
        .xdg_config_dirs = "/x:relative::/y", .xdg_data_dirs = "/z", .home = "/users/me"};
    const char *const expected[] = {"/users/me/.config/halyard/drivers.d",
                                    "/x/halyard/drivers.d",
                                    "/y/halyard/drivers.d",
                                    "/etc/halyard/drivers.d",
                                    "/users/me/.local/share/halyard/drivers.d",
                                    "/z/halyard/drivers.d",
                                    NULL};
    expect_dirs(&environment, expected);
}

TEST(discovery, the_folders_of_the_installation_come_before_those_of_the_system)
{
    const struct hy_discovery_environment environment = {.sysconf_dir = "/opt/h/etc",
                                                         .data_dir = "/opt/h/share"};
    const char *const expected[] = {"/etc/xdg/halyard/drivers.d",
                                    "/opt/h/etc/halyard/drivers.d",
                                    "/etc/halyard/drivers.d",
                                    "/opt/h/share/halyard/drivers.d",
                                    "/usr/local/share/halyard/drivers.d",
                                    "/usr/share/halyard/drivers.d",
                                    NULL};
    expect_dirs(&environment, expected);
}

TEST(discovery, a_folder_is_searched_once_however_often_it_is_named)
{
    const struct hy_discovery_environment environment = {.xdg_config_dirs = "/etc",
                                                         .sysconf_dir = "/etc",
                                                         .data_dir = "/usr/share",
                                                         .xdg_data_dirs = "/a:/usr/share:/a"};
    const char *const expected[] = {"/etc/halyard/drivers.d", "/usr/share/halyard/drivers.d",
                                    "/a/halyard/drivers.d", NULL};
    expect_dirs(&environment, expected);
}

TEST(discovery, home_stands_in_for_xdg_variables_that_are_not_set_or_relative)
{
    const struct hy_discovery_environment environment = {.xdg_config_home = "relative",
                                                         .home = "/users/me"};
    const char *const expected[] = {"/users/me/.config/halyard/drivers.d",
                                    "/etc/xdg/halyard/drivers.d",
                                    "/etc/halyard/drivers.d",
                                    "/users/me/.local/share/halyard/drivers.d",
                                    "/usr/local/share/halyard/drivers.d",
                                    "/usr/share/halyard/drivers.d",
                                    NULL};
    expect_dirs(&environment, expected);
}

TEST(discovery, an_empty_environment_leaves_the_system_folders)
{
    const struct hy_discovery_environment environment = {0};
    const char *const expected[] = {"/etc/xdg/halyard/drivers.d", "/etc/halyard/drivers.d",
                                    "/usr/local/share/halyard/drivers.d",
                                    "/usr/share/halyard/drivers.d", NULL};
    expect_dirs(&environment, expected);
}

/* ---- Order and masks ------------------------------------------------------------------------- */

/* A searched folder that is there: which of its manifests count, and which are masked. */
static void expect_search_dir(const struct plugin_fixture *fixture, uint32_t index,
                              const char *path, const char *manifests, const char *masked)
{
    char text[256];
    REQUIRE(index < hy_plugins_location_count(fixture->plugins));
    const struct hy_searched_location *position = hy_plugins_location(fixture->plugins, index);
    EXPECT_STR(position->path, path);
    EXPECT_STR(position->setting, "");
    EXPECT(position->is_there);
    hy_name_list_text(&position->manifests, text, sizeof text);
    EXPECT_STR(text, manifests);
    hy_name_list_text(&position->masked, text, sizeof text);
    EXPECT_STR(text, masked);
}

TEST(discovery, nothing_to_find_is_no_error)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    const char *dirs[] = {plugin_fixture_path(&fixture, "not-there"), NULL};
    fixture.discovery.dirs = dirs;
    if (plugin_fixture_open(&fixture)) {
        EXPECT_INT(hy_plugins_device_count(fixture.plugins), 0);
        EXPECT_INT(hy_plugins_refusal_count(fixture.plugins), 0);
        REQUIRE(hy_plugins_location_count(fixture.plugins) == 1);
        EXPECT_STR(hy_plugins_location(fixture.plugins, 0)->path, dirs[0]);
        EXPECT(!hy_plugins_location(fixture.plugins, 0)->is_there);
    }
    plugin_fixture_finish(&fixture);
}

TEST(discovery, devices_are_sorted_by_priority_then_file_name)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    plugin_fixture_manifest(&fixture, "one/b.json", FAULTY_DRIVER_PATH, NAMED("b"), 0);
    plugin_fixture_manifest(&fixture, "one/z.json", FAULTY_DRIVER_PATH, NAMED("first"), -5);
    plugin_fixture_manifest(&fixture, "two/a.json", FAULTY_DRIVER_PATH, NAMED("a"), 0);
    plugin_fixture_manifest(&fixture, "two/c.json", FAULTY_DRIVER_PATH, NAMED("c"), 0);
    plugin_fixture_manifest(&fixture, "one/a2.json", FAULTY_DRIVER_PATH, NAMED("last"), 7);
    plugin_fixture_write(&fixture, "two/readme.txt", "no manifest");
    plugin_fixture_write(&fixture, "two/.hidden.json", "no manifest either");
    const char *dirs[] = {plugin_fixture_path(&fixture, "one"),
                          plugin_fixture_path(&fixture, "two"), NULL};
    fixture.discovery.dirs = dirs;
    if (plugin_fixture_open(&fixture)) {
        EXPECT_STR(plugin_fixture_names(&fixture), "first a b c last ");
        EXPECT_INT(hy_plugins_refusal_count(fixture.plugins), 0);
    }
    plugin_fixture_finish(&fixture);
}

TEST(discovery, a_file_of_the_same_name_masks_those_in_later_folders)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    plugin_fixture_manifest(&fixture, "user/x.json", FAULTY_DRIVER_PATH, NAMED("user"), 0);
    plugin_fixture_manifest(&fixture, "system/x.json", FAULTY_DRIVER_PATH, NAMED("system"), 0);
    plugin_fixture_manifest(&fixture, "system/y.json", FAULTY_DRIVER_PATH, NAMED("other"), 0);
    const char *dirs[] = {plugin_fixture_path(&fixture, "user"),
                          plugin_fixture_path(&fixture, "system"), NULL};
    fixture.discovery.dirs = dirs;
    if (plugin_fixture_open(&fixture)) {
        EXPECT_STR(plugin_fixture_names(&fixture), "user other ");
        expect_search_dir(&fixture, 0, dirs[0], "x.json", "none");
        expect_search_dir(&fixture, 1, dirs[1], "y.json", "x.json");
        EXPECT_CONTAINS(fixture.log, "system/x.json: masked by ");
        EXPECT_INT(hy_plugins_refusal_count(fixture.plugins), 0);
    }
    plugin_fixture_finish(&fixture);
}

TEST(discovery, a_bad_manifest_masks_too_so_that_a_user_can_take_a_driver_away)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    plugin_fixture_write(&fixture, "user/x.json", "");
    plugin_fixture_manifest(&fixture, "system/x.json", FAULTY_DRIVER_PATH, NAMED("system"), 0);
    const char *dirs[] = {plugin_fixture_path(&fixture, "user"),
                          plugin_fixture_path(&fixture, "system"), NULL};
    fixture.discovery.dirs = dirs;
    if (plugin_fixture_open(&fixture)) {
        EXPECT_STR(plugin_fixture_names(&fixture), "");
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), "not JSON");
    }
    plugin_fixture_finish(&fixture);
}

/* ---- Named files ----------------------------------------------------------------------------- */

/* Three manifests in "searched", and three elsewhere; the discovery searches the first. */
static bool init_named(struct plugin_fixture *fixture, const char **dirs)
{
    if (!plugin_fixture_init(fixture))
        return false;
    plugin_fixture_manifest(fixture, "searched/s.json", FAULTY_DRIVER_PATH, NAMED("s"), -100);
    plugin_fixture_manifest(fixture, "more/b.json", FAULTY_DRIVER_PATH, NAMED("b"), 1);
    plugin_fixture_manifest(fixture, "more/c.json", FAULTY_DRIVER_PATH, NAMED("c"), 0);
    plugin_fixture_manifest(fixture, "single", FAULTY_DRIVER_PATH, NAMED("single"), 900);
    dirs[0] = plugin_fixture_path(fixture, "searched");
    dirs[1] = NULL;
    fixture->discovery.dirs = dirs;
    return true;
}

TEST(discovery, driver_files_replace_the_search_and_keep_their_order)
{
    struct plugin_fixture fixture;
    const char *dirs[2];
    char list[256];
    REQUIRE(init_named(&fixture, dirs));
    snprintf(list, sizeof list, "%s::%s:", plugin_fixture_path(&fixture, "single"),
             plugin_fixture_path(&fixture, "more"));
    fixture.discovery.driver_files = list;
    if (plugin_fixture_open(&fixture))
        EXPECT_STR(plugin_fixture_names(&fixture), "single c b ");
    fixture.discovery.driver_files = "";
    if (plugin_fixture_open(&fixture))
        EXPECT_STR(plugin_fixture_names(&fixture), "s ");
    plugin_fixture_finish(&fixture);
}

TEST(discovery, added_driver_files_come_before_the_search)
{
    struct plugin_fixture fixture;
    const char *dirs[2];
    REQUIRE(init_named(&fixture, dirs));
    fixture.discovery.add_driver_files = plugin_fixture_path(&fixture, "single");
    if (plugin_fixture_open(&fixture))
        EXPECT_STR(plugin_fixture_names(&fixture), "single s ");
    fixture.discovery.driver_files = plugin_fixture_path(&fixture, "more/b.json");
    if (plugin_fixture_open(&fixture))
        EXPECT_STR(plugin_fixture_names(&fixture), "single b ");
    plugin_fixture_finish(&fixture);
}

TEST(discovery, a_named_file_that_is_not_there_is_a_refusal)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    fixture.discovery.driver_files = plugin_fixture_path(&fixture, "absent.json");
    if (plugin_fixture_open(&fixture)) {
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), "No such file");
        EXPECT_STR(hy_plugins_refusal(fixture.plugins, 0)->manifest,
                   fixture.discovery.driver_files);
    }
    plugin_fixture_finish(&fixture);
}

TEST(discovery, what_is_no_regular_file_is_refused_without_waiting)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    plugin_fixture_write(&fixture, "d/folder.json/inside", "");
    EXPECT_INT(mkfifo(plugin_fixture_path(&fixture, "d/fifo.json"), 0600), 0);
    EXPECT_INT(symlink("/dev/zero", plugin_fixture_path(&fixture, "d/zero.json")), 0);
    EXPECT_INT(symlink("loop.json", plugin_fixture_path(&fixture, "d/loop.json")), 0);
    const char *dirs[] = {plugin_fixture_path(&fixture, "d"), NULL};
    fixture.discovery.dirs = dirs;
    if (plugin_fixture_open(&fixture)) {
        EXPECT_INT(hy_plugins_refusal_count(fixture.plugins), 4);
        for (uint32_t i = 0; i < hy_plugins_refusal_count(fixture.plugins); i++) {
            const struct hy_plugin_refusal *refusal = hy_plugins_refusal(fixture.plugins, i);
            bool is_loop = strstr(refusal->manifest, "loop") != NULL;
            EXPECT_CONTAINS(refusal->reason, is_loop ? "symbolic link" : "not a regular file");
        }
    }
    plugin_fixture_finish(&fixture);
}

TEST(discovery, manifests_beyond_the_limit_are_refused)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    for (int i = 0; i < 260; i++) {
        char name[32];
        snprintf(name, sizeof name, "d/%03d.json", i);
        plugin_fixture_write(&fixture, name, "[]");
    }
    const char *dirs[] = {plugin_fixture_path(&fixture, "d"), NULL};
    fixture.discovery.dirs = dirs;
    if (plugin_fixture_open(&fixture)) {
        EXPECT_INT(hy_plugins_refusal_count(fixture.plugins), 260);
        EXPECT_CONTAINS(hy_plugins_refusal(fixture.plugins, 0)->reason, "more than 256");
    }
    plugin_fixture_finish(&fixture);
}

/* ---- Filters --------------------------------------------------------------------------------- */

TEST(discovery, globs_match_whole_names)
{
    EXPECT(hy_filter_matches("a,b*", "a"));
    EXPECT(hy_filter_matches("a, b* ", "bcd"));
    EXPECT(hy_filter_matches("[a-c]?", "bx"));
    EXPECT(!hy_filter_matches("a,b*", "ab"));
    EXPECT(!hy_filter_matches("", "a"));
    EXPECT(!hy_filter_matches(NULL, "a"));
    EXPECT(!hy_filter_matches(",,", ""));
    EXPECT(!hy_filter_matches("[", "b"));
    EXPECT(hy_filter_matches_or_all("x, all", "a"));
    EXPECT(hy_filter_matches_or_all("a*", "ab"));
    EXPECT(!hy_filter_matches_or_all("al*", "b"));
    EXPECT(!hy_filter_matches_or_all(NULL, "b"));
    EXPECT(hy_filter_is_empty(" , "));
    EXPECT(!hy_filter_is_empty(" a"));
}

/* Manifests one.json (device alpha) and two.json (devices beta-0, beta-1). */
static bool init_filtered(struct plugin_fixture *fixture, const char **dirs)
{
    if (!plugin_fixture_init(fixture))
        return false;
    plugin_fixture_manifest(fixture, "d/one.json", FAULTY_DRIVER_PATH, NAMED("alpha"), 0);
    plugin_fixture_manifest(fixture, "d/two.json", FAULTY_DRIVER_PATH,
                            "{\"name\":\"beta\",\"devices\":2}", 0);
    dirs[0] = plugin_fixture_path(fixture, "d");
    dirs[1] = NULL;
    fixture->discovery.dirs = dirs;
    return true;
}

TEST(discovery, select_and_disable_match_manifest_and_device_names)
{
    static const struct {
        const char *select, *disable, *names;
    } cases[] = {
        {NULL, NULL, "alpha beta-0 beta-1 "},
        {" ,", NULL, "alpha beta-0 beta-1 "},
        {"two", NULL, "beta-0 beta-1 "},
        {"beta-1,one", NULL, "alpha beta-1 "},
        {"*-0", NULL, "beta-0 "},
        {NULL, "two", "alpha "},
        {NULL, "beta-0", "alpha beta-1 "},
        {"two", "*1", "beta-0 "},
        {"*", "*", ""},
    };
    struct plugin_fixture fixture;
    const char *dirs[2];
    REQUIRE(init_filtered(&fixture, dirs));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture.discovery.select = cases[i].select;
        fixture.discovery.disable = cases[i].disable;
        if (plugin_fixture_open(&fixture))
            EXPECT_STR(plugin_fixture_names(&fixture), cases[i].names);
    }
    plugin_fixture_finish(&fixture);
}

TEST(discovery, what_was_filtered_out_is_told)
{
    struct plugin_fixture fixture;
    const char *dirs[2];
    REQUIRE(init_filtered(&fixture, dirs));
    fixture.discovery.disable = "two";
    if (plugin_fixture_open(&fixture))
        EXPECT_STR(plugin_fixture_reason(&fixture), "disabled by HALYARD_DRIVERS_DISABLE");
    fixture.discovery.disable = NULL;
    fixture.discovery.select = "two";
    if (plugin_fixture_open(&fixture))
        EXPECT_STR(plugin_fixture_reason(&fixture),
                   "device alpha: not selected by HALYARD_DRIVERS_SELECT");
    plugin_fixture_finish(&fixture);
}

static const char *last_reason(const struct plugin_fixture *fixture)
{
    const uint32_t count = hy_plugins_refusal_count(fixture->plugins);
    return count ? hy_plugins_refusal(fixture->plugins, count - 1)->reason : "";
}

TEST(discovery, settings_that_name_no_driver_are_told)
{
    static const char *const built_in[] = {"halyard-cpu", NULL};
    struct plugin_fixture fixture;
    const char *dirs[2];
    REQUIRE(init_filtered(&fixture, dirs));
    fixture.discovery.service_names = built_in;

    fixture.discovery.isolate = "none, alpha,halyard-cpu";
    REQUIRE(plugin_fixture_open(&fixture));
    EXPECT_INT(hy_plugins_refusal_count(fixture.plugins), 2);
    EXPECT_STR(hy_plugins_refusal(fixture.plugins, 0)->manifest, "HALYARD_ISOLATE");
    EXPECT_STR(hy_plugins_refusal(fixture.plugins, 0)->reason,
               "\"none\" matches no manifest and isolates nothing; known: one, two, halyard-cpu");
    /* a device's name is not that of its manifest */
    EXPECT_CONTAINS(last_reason(&fixture), "\"alpha\" matches no manifest");
    EXPECT_CONTAINS(fixture.log, "HALYARD_ISOLATE: \"none\" matches no manifest");

    fixture.discovery.isolate = NULL;
    fixture.discovery.sockets = "tow=/run/two:halyard-cpu=/run/cpu";
    REQUIRE(plugin_fixture_open(&fixture));
    EXPECT_INT(hy_plugins_refusal_count(fixture.plugins), 1);
    EXPECT_CONTAINS(last_reason(&fixture), "\"tow\" matches no manifest");

    fixture.discovery.sockets = NULL;
    fixture.discovery.disable = "beta-0,gamma";
    REQUIRE(plugin_fixture_open(&fixture));
    EXPECT_INT(hy_plugins_refusal_count(fixture.plugins), 2);
    EXPECT_STR(last_reason(&fixture), "\"gamma\" matches no manifest and no device, and disables "
                                      "nothing; known: one, two, alpha, beta-0, beta-1");

    fixture.discovery.disable = NULL;
    fixture.discovery.select = "*,gam?a";
    REQUIRE(plugin_fixture_open(&fixture));
    EXPECT_STR(last_reason(&fixture), "\"gam?a\" matches no manifest and no device, and selects "
                                      "nothing; known: one, two, alpha, beta-0, beta-1");
    plugin_fixture_finish(&fixture);
}

TEST(discovery, settings_that_match_are_not_told)
{
    struct plugin_fixture fixture;
    const char *dirs[2];
    REQUIRE(init_filtered(&fixture, dirs));
    fixture.discovery.disable = " two ,,";
    REQUIRE(plugin_fixture_open(&fixture));
    EXPECT_STR(plugin_fixture_reason(&fixture), "disabled by HALYARD_DRIVERS_DISABLE");

    /* a driver that has to have a process and gets none is refused, not loaded */
    fixture.discovery.disable = NULL;
    fixture.discovery.isolate = "all";
    fixture.discovery.services = NULL;
    REQUIRE(plugin_fixture_open(&fixture));
    EXPECT_STR(plugin_fixture_names(&fixture), "");
    EXPECT_INT(hy_plugins_refusal_count(fixture.plugins), 2);
    EXPECT_CONTAINS(last_reason(&fixture),
                    "the driver needs isolation, which this process does not offer");
    plugin_fixture_finish(&fixture);
}
