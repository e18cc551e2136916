/*
 * Several manifests of one library with the same arguments, of which some are refused: the device
 * is that of the first good manifest, in whatever order the manifests are met.
 */
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/plugin_fixture.h"

#include "plugins/service/client/service.h"

#define MANIFESTS 5u
#define ORDERS    120u /* 5! */

/* What a manifest has beside the library and the arguments, and why it is refused. */
static const struct variant {
    const char *name; /* of the file, without ".json" */
    const char *abi;
    const char *members;
    const char *reason; /* NULL: it is good, but for a twin */
} variants[MANIFESTS] = {
    {"good", "1.0", "", NULL},
    {"newer", "2.0", "", "2.0"},
    {"isolated", "1.0", "\"isolate\":true,", "library_path \""},
    {"behind-a-socket", "1.0", "\"socket\":\"/proc/nonexistent/halyard.sock\",", "library_path \""},
    {"left-out", "1.0", "", "not selected by HALYARD_DRIVERS_SELECT"},
};

/* A host program that is not there: nothing gets a process of its own. */
static const struct hy_service_settings no_program = {
    .program = "/proc/nonexistent/halyard-driverd",
    .hang_timeout_seconds = 5,
};

static void write_manifest(const struct plugin_fixture *fixture, const struct variant *variant,
                           unsigned priority)
{
    char text[1024], name[64];

    snprintf(name, sizeof name, "d/%s.json", variant->name);
    snprintf(text, sizeof text,
             "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\","
             "\"abi\":\"%s\",%s\"priority\":%u,\"arguments\":{\"name\":\"x\"}}}",
             FAULTY_DRIVER_PATH, variant->abi, variant->members, priority);
    plugin_fixture_write(fixture, name, text);
}

/* The order of this number: place[i] is that of variant i. */
static void number_to_order(unsigned number, unsigned position[MANIFESTS])
{
    unsigned left[MANIFESTS];

    for (unsigned i = 0; i < MANIFESTS; i++)
        left[i] = i;
    for (unsigned i = 0; i < MANIFESTS; i++) {
        const unsigned count = MANIFESTS - i, chosen = number % count;
        position[i] = left[chosen];
        left[chosen] = left[count - 1];
        number /= count;
    }
}

static const char *reason_of(const struct plugin_fixture *fixture, const char *name)
{
    char file[64];

    snprintf(file, sizeof file, "/d/%s.json", name);
    for (uint32_t i = 0; i < hy_plugins_refusal_count(fixture->plugins); i++) {
        const struct hy_plugin_refusal *refusal = hy_plugins_refusal(fixture->plugins, i);
        if (strstr(refusal->manifest, file))
            return refusal->reason;
    }
    return "";
}

static void expect_the_good_one(const struct plugin_fixture *fixture, unsigned number)
{
    if (hy_plugins_device_count(fixture->plugins) != 1) {
        hy_test_fail(__FILE__, __LINE__, "order %u: devices \"%s\", expected \"x \"", number,
                     plugin_fixture_names(fixture));
        return;
    }
    EXPECT_CONTAINS(hy_plugins_device(fixture->plugins, 0)->manifest, "/d/good.json");
    EXPECT_INT(hy_plugins_refusal_count(fixture->plugins), MANIFESTS - 1);
}

static bool init(struct plugin_fixture *fixture)
{
    static char dir[128];
    static const char *const dirs[] = {dir, NULL};

    if (!plugin_fixture_init(fixture))
        return false;
    snprintf(dir, sizeof dir, "%s/d", fixture->root);
    fixture->discovery.dirs = dirs;
    fixture->discovery.select = "good*,newer,isolated,behind-a-socket";
    fixture->discovery.services = &no_program;
    return true;
}

TEST(refused_manifests, a_good_one_gives_its_device_in_every_order)
{
    struct plugin_fixture fixture;
    unsigned position[MANIFESTS];
    REQUIRE(init(&fixture));
    for (unsigned number = 0; number < ORDERS; number++) {
        number_to_order(number, position);
        for (unsigned i = 0; i < MANIFESTS; i++)
            write_manifest(&fixture, &variants[i], position[i]);
        if (plugin_fixture_open(&fixture))
            expect_the_good_one(&fixture, number);
    }
    plugin_fixture_finish(&fixture);
}

TEST(refused_manifests, each_tells_its_own_reason_before_a_good_one)
{
    struct plugin_fixture fixture;
    REQUIRE(init(&fixture));
    for (unsigned i = 0; i < MANIFESTS; i++)
        write_manifest(&fixture, &variants[i], MANIFESTS - i);
    if (plugin_fixture_open(&fixture)) {
        for (unsigned i = 1; i < MANIFESTS; i++)
            EXPECT_CONTAINS(reason_of(&fixture, variants[i].name), variants[i].reason);
    }
    plugin_fixture_finish(&fixture);
}

TEST(refused_manifests, behind_a_good_one_they_are_duplicates)
{
    static const struct variant another = {.name = "good-too", .abi = "1.0", .members = ""};
    struct plugin_fixture fixture;
    REQUIRE(init(&fixture));
    for (unsigned i = 0; i < MANIFESTS; i++)
        write_manifest(&fixture, &variants[i], i);
    write_manifest(&fixture, &another, MANIFESTS);
    if (plugin_fixture_open(&fixture)) {
        EXPECT_STR(plugin_fixture_names(&fixture), "x ");
        EXPECT_INT(hy_plugins_refusal_count(fixture.plugins), MANIFESTS);
        for (unsigned i = 1; i < MANIFESTS; i++)
            EXPECT_CONTAINS(reason_of(&fixture, variants[i].name), "same library and arguments");
        EXPECT_CONTAINS(reason_of(&fixture, another.name), "/d/good.json");
    }
    plugin_fixture_finish(&fixture);
}
