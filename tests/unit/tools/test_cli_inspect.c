#include "tests/kit/test.h"

#include <stdlib.h>

#include "tests/unit/tools/kit/command_run.h"
#include "tests/unit/tools/kit/tflite_builder.h"

/* A RELU and two custom operators, written to PATH. */
static void write_foreign(const char *path)
{
    const struct hy_builder_tensor vector = {.name = "v", .rank = 1, .dims = {4}};
    const struct hy_builder_operator operators[] = {
        {.op = HY_TFLITE_OP_RELU},
        {.op = HY_TFLITE_OP_CUSTOM, .custom_name = "Mystery"},
        {.op = HY_TFLITE_OP_CUSTOM, .custom_name = "Riddle"},
    };
    struct hy_builder *b = hy_builder_create();
    int32_t last = hy_builder_tensor(b, &vector);
    size_t length;

    hy_builder_input(b, last);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        struct hy_builder_operator operator_ = operators[i];
        operator_.input_count = operator_.output_count = 1;
        operator_.inputs[0] = last;
        operator_.outputs[0] = last = hy_builder_tensor(b, &vector);
        hy_builder_operator(b, &operator_);
    }
    hy_builder_output(b, last);
    uint8_t *bytes = hy_builder_finish(b, &length);
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
    free(bytes);
}

/* Lines that fit a terminal. */
static void expect_narrow(const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        EXPECT(length <= 80);
        text += length + (text[length] == '\n');
    }
}

TEST(cli_inspect, a_network_that_can_run_is_described_in_80_columns)
{
    struct command_run run = RUN("inspect", example_path("digits/digits.tflite"), "--operators");
    EXPECT_INT(run.status, 0);
    EXPECT_STR(run.err, "");
    EXPECT_CONTAINS(run.out, "\nInputs\n");
    EXPECT_CONTAINS(run.out, "\nOperators");
    EXPECT_CONTAINS(run.out, "\nEach operator\n");
    EXPECT_CONTAINS(run.out, "\nMemory\n");
    EXPECT_CONTAINS(run.out, "The network can run.\n");
    expect_narrow(strchr(run.out, '\n') + 1); /* the first line has the path */
    command_run_finish(&run);
}

TEST(cli_inspect, all_obstacles_are_listed_and_the_status_is_1)
{
    char dir[64], path[128];
    make_dir(dir);
    snprintf(path, sizeof path, "%s/m.tflite", dir);
    write_foreign(path);
    struct command_run run = RUN("inspect", path);
    EXPECT_INT(run.status, 1);
    EXPECT_STR(run.err, "");
    EXPECT_CONTAINS(run.out, "\nObstacles\n     1  CUSTOM Mystery\n");
    EXPECT_CONTAINS(run.out, "     2  CUSTOM Riddle\n");
    EXPECT_CONTAINS(run.out, "of 3 operators, 2 have no NNAPI form");
    command_run_finish(&run);
    remove_dir(dir);
}

/* "name:type name:type ...", by the letters of json_pack's types: every member, and no other. */
static void expect_members(const json_t *object, const char *schema)
{
    static const char letters[] = {
        [JSON_OBJECT] = 'o', [JSON_ARRAY] = 'a', [JSON_STRING] = 's', [JSON_INTEGER] = 'i',
        [JSON_REAL] = 'r',   [JSON_TRUE] = 'b',  [JSON_FALSE] = 'b'};
    char name[32], type;
    size_t count = 0;

    for (int used; sscanf(schema, " %31[^:]:%c%n", name, &type, &used) == 2; schema += used) {
        const json_t *member = json_object_get(object, name);
        count++;
        if (!member || letters[json_typeof(member)] != type)
            hy_test_fail(__FILE__, __LINE__, "%s is missing or of another type", name);
    }
    EXPECT_INT(json_object_size(object), count);
}

static void expect_all_members(const json_t *array, size_t least, const char *schema)
{
    EXPECT(json_array_size(array) >= least);
    for (size_t i = 0; i < json_array_size(array); i++)
        expect_members(json_array_get(array, i), schema);
}

static void expect_schema(const json_t *report, const char *tensor)
{
    expect_members(report, "path:s format:s description:s signatures:a signature:s inputs:a "
                           "outputs:a operators:a parameters:o memory:o can_run:b obstacle:s");
    expect_all_members(json_object_get(report, "inputs"), 1, tensor);
    expect_all_members(json_object_get(report, "outputs"), 1, tensor);
    expect_all_members(json_object_get(report, "operators"), 1,
                       "name:s subgraph:i index:i parameter_count:i parameter_bytes:i types:s "
                       "lowering:s obstacle:s");
    expect_members(json_object_get(report, "parameters"), "count:i bytes:i");
    expect_members(json_object_get(report, "memory"), "mapped:i made:i io:i peak:i");
}

TEST(cli_inspect, json_has_the_members_that_the_manual_lists)
{
    struct command_run run = RUN("inspect", example_path("digits/digits.tflite"), "--json");
    EXPECT_INT(run.status, 0);
    json_t *report = command_run_json(&run);
    expect_schema(report, "name:s type:s shape:a scales:a zero_points:a");
    EXPECT(json_is_true(json_object_get(report, "can_run")));
    EXPECT_STR(json_string_value(json_object_get(report, "obstacle")), "");
    json_decref(report);
    command_run_finish(&run);
}

TEST(cli_inspect, json_of_a_network_that_cannot_run_has_every_obstacle)
{
    char dir[64], path[128];
    make_dir(dir);
    snprintf(path, sizeof path, "%s/m.tflite", dir);
    write_foreign(path);
    struct command_run run = RUN("inspect", path, "--json");
    EXPECT_INT(run.status, 1);
    json_t *report = command_run_json(&run);
    expect_schema(report, "name:s type:s shape:a");
    EXPECT(json_is_false(json_object_get(report, "can_run")));
    EXPECT_CONTAINS(json_string_value(json_object_get(report, "obstacle")), "Mystery");
    const json_t *operators = json_object_get(report, "operators");
    for (size_t i = 1; i < 3; i++)
        EXPECT_CONTAINS(
            json_string_value(json_object_get(json_array_get(operators, i), "obstacle")),
            "a custom operator");
    json_decref(report);
    command_run_finish(&run);
    remove_dir(dir);
}

TEST(cli_inspect, what_is_no_network_is_named)
{
    struct command_run run = RUN("inspect", example_path("digits/seven.png"));
    EXPECT_INT(run.status, 1);
    EXPECT_CONTAINS(run.err, "seven.png: a PNG picture, not a network");
    command_run_finish(&run);
    run = RUN("inspect", example_path("digits/digits.tflite"), "--signature", "absent");
    EXPECT_INT(run.status, 1);
    EXPECT_CONTAINS(run.err, "no signature has the name \"absent\"");
    command_run_finish(&run);
    run = RUN("inspect");
    EXPECT_INT(run.status, 2);
    command_run_finish(&run);
}
