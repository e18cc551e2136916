#include "tests/kit/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/tools/kit/command_run.h"

#define MODEL example_path("digits/digits.tflite")

/* `halyard bench --profile`, and what other commands make of its file. */
TEST(cli, bench_profile_stores_times_that_explain_goes_by)
{
    char dir[64], state[80];
    make_dir(dir);
    snprintf(state, sizeof state, "%s/state", dir);
    setenv("HALYARD_STATE_DIR", state, 1);

    struct command_run run = RUN("bench", "--profile", "--device", "halyard-cpu", "--json", MODEL);
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    EXPECT_CONTAINS(json_string_value(json_object_get(json, "path")), state);
    const json_t *device = json_array_get(json_object_get(json, "devices"), 0);
    EXPECT_STR(json_string_value(json_object_get(device, "name")), "halyard-cpu");
    EXPECT_INT(json_integer_value(json_object_get(device, "operations")), 12);
    const json_int_t launch_ns = json_integer_value(json_object_get(device, "launch_ns"));
    EXPECT(launch_ns > 0);
    json_decref(json);
    command_run_finish(&run);

    run = RUN("explain", "--json", MODEL);
    EXPECT_INT(run.status, 0);
    json = command_run_json(&run);
    const json_t *operations = json_object_get(json, "operations");
    double sum = (double)launch_ns;
    for (size_t i = 0; i < json_array_size(operations); i++)
        sum += json_number_value(json_object_get(json_array_get(operations, i), "cost"));
    const json_t *step = json_array_get(json_object_get(json, "steps"), 0);
    const json_int_t predicted = json_integer_value(json_object_get(step, "predicted_ns"));
    EXPECT(predicted <= sum && sum < (double)predicted + 1);
    EXPECT_INT(json_integer_value(json_object_get(json, "predicted_ns")), predicted);
    EXPECT(json_integer_value(json_object_get(step, "measured_ns")) > 0);
    json_decref(json);
    command_run_finish(&run);

    setenv("HALYARD_STATE_DIR", "/dev/null/none", 1);
    remove_dir(dir);
}

TEST(cli, a_profile_that_cannot_be_read_is_ignored_with_a_line)
{
    char dir[64], file[80];
    make_dir(dir);
    snprintf(file, sizeof file, "%s/profiles.json", dir);
    write_whole_file(file, "[]");
    setenv("HALYARD_STATE_DIR", dir, 1);

    struct command_run run = RUN("bench", "--runs", "3", "--warmup", "0", MODEL);
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.err, "measured times are ignored");
    EXPECT_CONTAINS(run.err, file);
    command_run_finish(&run);

    setenv("HALYARD_STATE_DIR", "/dev/null/none", 1);
    remove_dir(dir);
}
