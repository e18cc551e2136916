#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/plugin_fixture.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMED(name) "{\"name\":\"" name "\"}"

/* A fixture that searches its folder "d". */
static bool init(struct plugin_fixture *fixture, const char **dirs)
{
    if (!plugin_fixture_init(fixture))
        return false;
    dirs[0] = plugin_fixture_path(fixture, "d");
    dirs[1] = NULL;
    fixture->discovery.dirs = dirs;
    return true;
}

static void copy_library(const struct plugin_fixture *fixture, const char *name)
{
    char command[1024];
    snprintf(command, sizeof command, "cp '%s' '%s'", FAULTY_DRIVER_PATH,
             plugin_fixture_path(fixture, name));
    EXPECT_INT(system(command), 0);
}

TEST(library_path, with_a_slash_is_relative_to_the_manifest)
{
    struct plugin_fixture fixture;
    const char *dirs[2];
    REQUIRE(init(&fixture, dirs));
    plugin_fixture_manifest(&fixture, "d/a.json", "./lib/libx.so", NAMED("a"), 0);
    plugin_fixture_manifest(&fixture, "d/b.json", "../liby.so", NAMED("b"), 0);
    plugin_fixture_write(&fixture, "d/lib/keep", "");
    copy_library(&fixture, "d/lib/libx.so");
    copy_library(&fixture, "liby.so");
    if (plugin_fixture_open(&fixture)) {
        EXPECT_STR(plugin_fixture_names(&fixture), "a b ");
        EXPECT_CONTAINS(hy_plugins_device(fixture.plugins, 0)->library, "/d/./lib/libx.so");
        EXPECT_CONTAINS(hy_plugins_device(fixture.plugins, 0)->manifest, "/d/a.json");
        EXPECT_INT(hy_plugins_device(fixture.plugins, 0)->abi, HY_DRIVER_ABI);
    }
    plugin_fixture_finish(&fixture);
}

TEST(library_path, bare_names_are_found_in_the_plugin_folder_only)
{
    struct plugin_fixture fixture;
    const char *dirs[2];
    char cwd[512];
    REQUIRE(init(&fixture, dirs));
    REQUIRE(getcwd(cwd, sizeof cwd));
    plugin_fixture_manifest(&fixture, "d/a.json", "libx.so", NAMED("a"), 0);
    copy_library(&fixture, "d/libx.so"); /* beside the manifest, and in the working directory */
    EXPECT_INT(chdir(dirs[0]), 0);

    if (plugin_fixture_open(&fixture))
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), "no plugin directory is set");
    fixture.discovery.plugin_dir = ".";
    if (plugin_fixture_open(&fixture))
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), "no plugin directory is set");
    fixture.discovery.plugin_dir = plugin_fixture_path(&fixture, "plugins");
    if (plugin_fixture_open(&fixture))
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), "library_path \"libx.so\": /tmp/");

    plugin_fixture_write(&fixture, "plugins/keep", "");
    copy_library(&fixture, "plugins/libx.so");
    if (plugin_fixture_open(&fixture))
        EXPECT_STR(plugin_fixture_names(&fixture), "a ");
    EXPECT_INT(chdir(cwd), 0);
    plugin_fixture_finish(&fixture);
}

TEST(library_path, a_manifest_named_relatively_still_has_an_absolute_library)
{
    struct plugin_fixture fixture;
    char cwd[512];
    REQUIRE(plugin_fixture_init(&fixture));
    REQUIRE(getcwd(cwd, sizeof cwd));
    plugin_fixture_manifest(&fixture, "a.json", "./libx.so", NAMED("a"), 0);
    copy_library(&fixture, "libx.so");
    EXPECT_INT(chdir(fixture.root), 0);
    fixture.discovery.driver_files = "a.json";
    if (plugin_fixture_open(&fixture)) {
        EXPECT_STR(plugin_fixture_names(&fixture), "a ");
        EXPECT_INT(hy_plugins_device(fixture.plugins, 0)->library[0], '/');
    }
    EXPECT_INT(chdir(cwd), 0);
    plugin_fixture_finish(&fixture);
}

TEST(library_path, what_cannot_be_loaded_is_refused_with_the_loaders_words)
{
    static const struct {
        const char *library, *reason;
    } cases[] = {
        {"./missing.so", "missing.so: cannot open shared object file"},
        {"./text.so", "invalid ELF header"},
        {"./empty.so", "file too short"},
        {"./folder.so", "is not a regular file"},
        {"./fifo.so", "is not a regular file"},
        {NO_SYMBOL_PATH, "undefined symbol: hy_driver_query"},
        {NO_TABLE_PATH, "hy_driver_query returned NULL"},
        {SMALL_TABLE_PATH, "hy_driver.struct_size is 8, needs at least 48"},
        {OTHER_ABI_PATH, "hy_driver.abi is 2.0, Halyard has 1.1"},
        {NO_NAME_PATH, "hy_driver.name is empty"},
        {NO_DESTROY_PATH, "hy_driver.destroy is NULL"},
    };
    struct plugin_fixture fixture;
    const char *dirs[2];
    REQUIRE(init(&fixture, dirs));
    plugin_fixture_write(&fixture, "d/text.so",
                         "this is no library, whatever its name may say; "
                         "it is long enough for an ELF header, though");
    plugin_fixture_write(&fixture, "d/empty.so", "");
    plugin_fixture_write(&fixture, "d/folder.so/inside", "");
    EXPECT_INT(mkfifo(plugin_fixture_path(&fixture, "d/fifo.so"), 0600), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plugin_fixture_manifest(&fixture, "d/a.json", cases[i].library, "{}", 0);
        if (!plugin_fixture_open(&fixture))
            continue;
        EXPECT_INT(hy_plugins_device_count(fixture.plugins), 0);
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), "library_path \"");
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), cases[i].reason);
        EXPECT_CONTAINS(fixture.log, "d/a.json: library_path \"");
    }
    plugin_fixture_finish(&fixture);
}

/* ---- Duplicates ------------------------------------------------------------------------------ */

TEST(library_path, the_same_file_by_another_name_is_a_duplicate)
{
    struct plugin_fixture fixture;
    const char *dirs[2];
    REQUIRE(init(&fixture, dirs));
    plugin_fixture_manifest(&fixture, "d/a.json", "./liba.so", "{\"name\":\"x\",\"devices\":1}", 0);
    plugin_fixture_manifest(&fixture, "d/b.json", "./hard.so", "{\"devices\":1, \"name\":\"x\"}",
                            0);
    plugin_fixture_manifest(&fixture, "d/c.json", "./soft.so", "{ \"name\": \"x\",\"devices\":1}",
                            0);
    copy_library(&fixture, "d/liba.so");
    EXPECT_INT(link(plugin_fixture_path(&fixture, "d/liba.so"),
                    plugin_fixture_path(&fixture, "d/hard.so")),
               0);
    EXPECT_INT(symlink("liba.so", plugin_fixture_path(&fixture, "d/soft.so")), 0);
    if (plugin_fixture_open(&fixture)) {
        EXPECT_STR(plugin_fixture_names(&fixture), "x ");
        REQUIRE(hy_plugins_refusal_count(fixture.plugins) == 2);
        for (uint32_t i = 0; i < 2; i++) {
            const char *reason = hy_plugins_refusal(fixture.plugins, i)->reason;
            EXPECT_CONTAINS(reason, "same library and arguments as ");
            EXPECT_CONTAINS(reason, "/d/a.json");
        }
    }
    plugin_fixture_finish(&fixture);
}

TEST(library_path, one_library_with_other_arguments_is_another_driver)
{
    struct plugin_fixture fixture;
    const char *dirs[2];
    REQUIRE(init(&fixture, dirs));
    plugin_fixture_manifest(&fixture, "d/a.json", FAULTY_DRIVER_PATH, NAMED("x"), 0);
    plugin_fixture_manifest(&fixture, "d/b.json", FAULTY_DRIVER_PATH, NAMED("y"), 0);
    if (plugin_fixture_open(&fixture)) {
        EXPECT_STR(plugin_fixture_names(&fixture), "x y ");
        EXPECT(hy_plugins_device(fixture.plugins, 0)->device !=
               hy_plugins_device(fixture.plugins, 1)->device);
    }
    plugin_fixture_finish(&fixture);
}

TEST(library_path, a_device_name_belongs_to_the_first_who_has_it)
{
    struct plugin_fixture fixture;
    const char *dirs[2];
    REQUIRE(init(&fixture, dirs));
    plugin_fixture_manifest(&fixture, "d/a.json", FAULTY_DRIVER_PATH, NAMED("x"), 0);
    plugin_fixture_manifest(&fixture, "d/b.json", FAULTY_DRIVER_PATH,
                            "{\"name\":\"x\",\"other\":1}", 0);
    if (plugin_fixture_open(&fixture)) {
        EXPECT_STR(plugin_fixture_names(&fixture), "x ");
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), "device name x of ");
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), "/d/b.json is already used by ");
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), "/d/a.json");
    }
    plugin_fixture_finish(&fixture);
}
