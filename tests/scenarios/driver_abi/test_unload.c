/*
 * A driver that is unloaded while tasks of its own wait: create gives one to hy_host.later, which
 * uses the instance and the code of the library.
 */
#include "plugins/plugin.h"
#include "runtime/drivers/host.h"
#include "tests/kit/test.h"

#include <dlfcn.h>
#include <stdlib.h>

/* With one thread there would be no later. */
TEST_SETUP(have_threads)
{
    setenv("HALYARD_CPU_THREADS", "2", 1);
}

static bool is_loaded(void)
{
    void *library = dlopen(FROZEN_DRIVER, RTLD_NOLOAD | RTLD_NOW);
    if (library)
        dlclose(library);
    return library != NULL;
}

static struct hy_plugin *load(void)
{
    const struct hy_manifest manifest = {.kind = HY_MANIFEST_IN_PROCESS, .arguments = "{}"};
    const struct hy_plugin_opener opener = {.driver = "frozen"};
    struct hy_plugin *plugin = NULL;
    struct hy_error err;

    if (hy_plugin_open(FROZEN_DRIVER, &manifest, hy_runtime_hosts(), &opener, &plugin, &err) !=
        HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    return plugin;
}

TEST(driver_abi_unload, no_task_outlives_its_driver)
{
    for (int i = 0; i < 50; i++) {
        struct hy_plugin *plugin = load();
        REQUIRE(plugin);
        hy_plugin_close(plugin);
        EXPECT(!is_loaded());
    }
}

/* What another driver has given stays with it. */
TEST(driver_abi_unload, tasks_of_other_drivers_are_not_waited_for)
{
    struct hy_plugin *stays = load();
    REQUIRE(stays);
    struct hy_plugin *goes = load();
    REQUIRE(goes);
    hy_plugin_close(goes);
    EXPECT(is_loaded());
    hy_plugin_close(stays);
    EXPECT(!is_loaded());
}
