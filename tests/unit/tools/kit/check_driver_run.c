#include "tests/unit/tools/kit/check_driver_run.h"

#include <string.h>

#include "tests/kit/test.h"

struct check_run check_run_library(const char *library, const char *arguments)
{
    return check_run_patiently(library, arguments, "30");
}

struct check_run check_run_patiently(const char *library, const char *arguments,
                                     const char *seconds)
{
    struct command_run run = RUN("check-driver", library, "--json", "--timeout", seconds,
                                 "--arguments", arguments ? arguments : "{}");
    struct check_run check = {.status = run.status, .json = command_run_json(&run)};
    command_run_finish(&run);
    return check;
}

void check_run_finish(struct check_run *run)
{
    json_decref(run->json);
}

static const char *member(const json_t *rule, const char *name)
{
    const char *text = json_string_value(json_object_get(rule, name));
    return text ? text : "";
}

/* The rule where it failed, else where it is first. */
static const json_t *find(const struct check_run *run, const char *name)
{
    const json_t *found = NULL, *groups = json_object_get(run->json, "groups");
    for (size_t g = 0; g < json_array_size(groups); g++) {
        const json_t *rules = json_object_get(json_array_get(groups, g), "rules");
        for (size_t i = 0; i < json_array_size(rules); i++) {
            const json_t *rule = json_array_get(rules, i);
            if (strcmp(member(rule, "rule"), name) == 0 &&
                (!found || strcmp(member(rule, "result"), "failed") == 0))
                found = rule;
        }
    }
    return found;
}

const char *check_run_result(const struct check_run *run, const char *rule)
{
    return member(find(run, rule), "result");
}

const char *check_run_detail(const struct check_run *run, const char *rule)
{
    return member(find(run, rule), "detail");
}

const char *check_run_broken(const struct check_run *run)
{
    static char broken[256];
    const json_t *groups = json_object_get(run->json, "groups");
    broken[0] = '\0';
    for (size_t g = 0; g < json_array_size(groups); g++) {
        const json_t *rules = json_object_get(json_array_get(groups, g), "rules");
        for (size_t i = 0; i < json_array_size(rules); i++) {
            char name[8];
            snprintf(name, sizeof name, "%s ", member(json_array_get(rules, i), "rule"));
            if (strcmp(member(json_array_get(rules, i), "result"), "failed") == 0 &&
                !strstr(broken, name) && strlen(broken) + strlen(name) < sizeof broken)
                strcat(broken, name);
        }
    }
    return broken;
}
