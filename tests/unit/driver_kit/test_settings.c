/* The arguments of a manifest. */
#include "driver_kit/settings.h"
#include "tests/kit/test.h"

struct values {
    char name[8];
    uint32_t colour, flags, count;
    uint64_t size;
    float ratio;
};

static const char *const colours[] = {"red", "green", "blue", NULL};

#define AT(member) offsetof(struct values, member)
static const struct hy_setting settings[] = {
    {"name", HY_SETTING_TEXT, AT(name), sizeof((struct values *)0)->name, NULL},
    {"colour", HY_SETTING_ENUM, AT(colour), 0, colours},
    {"flags", HY_SETTING_SET, AT(flags), 0, colours},
    {"count", HY_SETTING_COUNT, AT(count), 9, NULL},
    {"size", HY_SETTING_SIZE, AT(size), UINT64_C(10000000000), NULL},
    {"ratio", HY_SETTING_RATIO, AT(ratio), 10, NULL},
};

static bool read(const char *text, struct values *values, char reason[128])
{
    const struct hy_message message = {.text = reason, .size = 128};
    reason[0] = '\0';
    return hy_settings_read(text, settings, sizeof settings / sizeof *settings, values, &message);
}

TEST(settings, all_forms_are_read)
{
    struct values values = {.count = 1};
    char reason[128];

    EXPECT(read(" { \"name\" : \"abcdefg\", \"colour\":\"blue\",\"flags\":[ \"red\" , \"blue\"],\n"
                "\"count\":9,\"size\":10000000000,\"ratio\":0.25}",
                &values, reason));
    EXPECT_STR(values.name, "abcdefg");
    EXPECT_INT(values.colour, 2);
    EXPECT_INT(values.flags, 5);
    EXPECT_INT(values.count, 9);
    EXPECT_INT(values.size, 10000000000);
    EXPECT(values.ratio == .25f);
}

TEST(settings, what_is_left_out_keeps_its_default)
{
    struct values values = {.name = "a", .colour = 1, .flags = 3, .count = 4, .ratio = 1};
    char reason[128];

    EXPECT(read("{}", &values, reason) && read(" { \t} ", &values, reason));
    EXPECT(read("{\"flags\":[]}", &values, reason));
    EXPECT_STR(values.name, "a");
    EXPECT_INT(values.colour, 1);
    EXPECT_INT(values.flags, 0);
    EXPECT_INT(values.count, 4);
}

TEST(settings, what_does_not_fit_is_refused_with_a_reason)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"[]", "arguments is not an object"},
        {"{\"count\":1", "arguments is not an object"},
        {"{7:1}", "arguments: a member has an unknown or empty name"},
        {"{\"shape\":1}",
         "arguments.shape is unknown; known are name, colour, flags, count, size, ratio"},
        {"{\"name\":\"abcdefgh\"}", "arguments.name needs a plain string of 1 to 7 bytes"},
        {"{\"name\":\"\"}", "arguments.name needs a plain string of 1 to 7 bytes"},
        {"{\"name\":\"a\\n\"}", "arguments.name needs a plain string of 1 to 7 bytes"},
        {"{\"colour\":\"pink\"}", "arguments.colour: \"pink\" is not known to this driver"},
        {"{\"colour\":1}", "arguments.colour: \"\" is not known to this driver"},
        {"{\"flags\":\"red\"}", "arguments.flags needs an array of names"},
        {"{\"flags\":[\"red\"", "arguments.flags needs an array of names"},
        {"{\"flags\":[\"red\",\"pink\"]}", "arguments.flags: \"pink\" is not known to this driver"},
        {"{\"count\":10}", "arguments.count needs a number from 0 to 9, without exponent"},
        {"{\"count\":-1}", "arguments.count needs a number from 0 to 9, without exponent"},
        {"{\"count\":1e0}", "arguments.count needs a number from 0 to 9, without exponent"},
        {"{\"ratio\":0}", "arguments.ratio needs a number above 0, up to 10, without exponent"},
        {"{\"ratio\":10.5}", "arguments.ratio needs a number above 0, up to 10, without exponent"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct values values = {.count = 1};
        char reason[128];
        EXPECT(!read(cases[i].text, &values, reason));
        EXPECT_STR(reason, cases[i].reason);
    }
}

TEST(settings, driver_without_any_takes_an_empty_object_alone)
{
    char reason[128] = "";
    const struct hy_message message = {.text = reason, .size = sizeof reason};

    EXPECT(hy_settings_read("{ }", NULL, 0, NULL, &message));
    EXPECT(!hy_settings_read("{\"name\":1}", NULL, 0, NULL, &message));
    EXPECT_STR(reason, "arguments.name is unknown; this driver has no arguments");
}
