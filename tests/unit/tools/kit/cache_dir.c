#include "tests/unit/tools/kit/cache_dir.h"

#include <stdlib.h>

#include "tests/kit/test.h"
#include "tests/unit/tools/kit/command_run.h"

void make_cache_dir(char dir[64])
{
    char state[80];
    make_dir(dir);
    snprintf(state, sizeof state, "%s/state", dir);
    setenv("HALYARD_STATE_DIR", state, 1);
}

void remove_cache_dir(const char *dir)
{
    setenv("HALYARD_STATE_DIR", "/dev/null/none", 1);
    remove_dir(dir);
}

json_t *explain_cached(const char *model, const char *dir)
{
    struct command_run run =
        RUN("explain", example_path(model), "--device", "halyard-cpu", "--cache", dir, "--json");
    EXPECT_INT(run.status, 0);
    json_t *report = command_run_json(&run);
    command_run_finish(&run);
    return report;
}

const json_t *step_of(const json_t *report)
{
    return json_array_get(json_object_get(report, "steps"), 0);
}

const char *outcome_of(const json_t *report)
{
    const json_t *cache = json_object_get(step_of(report), "cache");
    return json_string_value(json_object_get(cache, "outcome"));
}

void make_cache(char dir[64])
{
    make_cache_dir(dir);
    json_decref(explain_cached("digits/digits.tflite", dir));
    json_decref(explain_cached("digits/digits_float.tflite", dir));
}
