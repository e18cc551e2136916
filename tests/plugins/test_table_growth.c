/*
 * Tables grow at their ends: a driver that was built with an older header, whose tables are
 * shorter, and one that was built with a later one, whose tables are longer, are opened alike.
 */
#include "plugin_fixture.h"
#include "plugins/plugin.h"
#include "test.h"

static const char old_driver[] = OLD_SAMPLE_PATH;
static const char new_driver[] = NEW_SAMPLE_PATH;

static bool open_driver(struct plugin_fixture *fixture, const char *library)
{
    plugin_fixture_manifest(fixture, "a.json", library, "{}", 0);
    fixture->discovery.driver_files = plugin_fixture_path(fixture, "a.json");
    return plugin_fixture_open(fixture);
}

/* The table that the loader made of the driver's own; NULL when it was refused. */
static const struct hy_device *table_of(struct plugin_fixture *fixture, const char *library)
{
    if (!open_driver(fixture, library) || hy_plugins_device_count(fixture->plugins) != 1) {
        hy_test_fail(__FILE__, __LINE__, "%s: %s", library, plugin_fixture_reason(fixture));
        return NULL;
    }
    return hy_plugins_device(fixture->plugins, 0)->table;
}

/* What the driver itself says of the size of its table; 0 where it cannot be opened. */
static uint32_t own_size(const char *library)
{
    const struct hy_manifest manifest = {.kind = HY_MANIFEST_IN_PROCESS, .arguments = "{}"};
    static const struct hy_plugin_hosts hosts = {.common = &plugin_quiet_host};
    struct hy_plugin *plugin = NULL;
    const struct hy_device *table = NULL;
    void *device;
    uint32_t size = 0;
    if (hy_plugin_open(library, &manifest, &hosts, &plugin, NULL) == HY_OK &&
        hy_plugin_device(plugin, 0, &table, &device, NULL) == HY_OK)
        size = table->struct_size;
    hy_plugin_close(plugin);
    return size;
}

TEST(table_growth, the_drivers_have_tables_of_other_sizes)
{
    EXPECT_INT(own_size(old_driver), offsetof(struct hy_device, prepare_from_cache));
    EXPECT_INT(own_size(new_driver), sizeof(struct hy_device) + sizeof(void (*)(void)));
}

TEST(table_growth, an_older_table_is_taken_and_what_it_lacks_is_absent)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    const struct hy_device *table = table_of(&fixture, old_driver);
    if (table) {
        EXPECT_INT(table->struct_size, sizeof *table);
        EXPECT(table->describe && table->execute);
        EXPECT(!table->prepare_from_cache && !table->wait && !table->execute_fenced);
        EXPECT(!table->burst_open && !table->reusable_create && !table->buffer_create);
        EXPECT(!HY_HAS(table, buffer_destroy));
    }
    plugin_fixture_finish(&fixture);
}

TEST(table_growth, a_later_table_is_taken_and_cut_to_what_is_known)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    const struct hy_device *table = table_of(&fixture, new_driver);
    if (table) {
        EXPECT_INT(table->struct_size, sizeof *table);
        EXPECT(table->describe && table->execute);
        EXPECT(!table->buffer_destroy);
    }
    plugin_fixture_finish(&fixture);
}
