#include <stdio.h>

#include "tools/check_driver/run_checks.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/options.h"

#define DEFAULT_TIMEOUT_S 10u

struct request {
    const char *path;
    const char *arguments;
    const char *device;
    const char *filter;
    const char *junit_path;
    struct hy_option_list dirs;
    uint32_t hang_timeout;
    bool json;
};

static const char about[] =
    "Checks a driver, each rule in a separate process: the rules enforced by the loader and the\n"
    "runtime, further rules of the driver guide, and the test vectors that the driver supports. "
    "The\n"
    "rules have the numbers of the driver guide. Built-in models are always tried.";

static bool parse(int argc, char **argv, struct request *request, int *status)
{
    const struct hy_option options[] = {
        {"arguments", HY_OPTION_TEXT, "JSON",
         "the arguments for create, a JSON object (default: the manifest's)", &request->arguments},
        {"vectors", HY_OPTION_LIST, "DIR_OR_FILE", "try these vectors too; may be repeated",
         &request->dirs},
        {"device", HY_OPTION_TEXT, "NAME", "only this device of the driver", &request->device},
        {"filter", HY_OPTION_TEXT, "WORDS",
         "only models whose name contains this or matches it as a glob", &request->filter},
        {"timeout", HY_OPTION_COUNT, "S", "time limit of a step in seconds (10)",
         &request->hang_timeout},
        {"junit", HY_OPTION_TEXT, "FILE", "write a JUnit report", &request->junit_path},
        {"json", HY_OPTION_FLAG, NULL, "print JSON", &request->json},
    };
    const struct hy_syntax syntax = {
        .command = "check-driver",
        .operands = "LIBRARY_OR_MANIFEST",
        .about = about,
        .operands_min = 1,
        .operands_max = 1,
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    int first;
    if (!hy_options_parse(&syntax, argc, argv, &first, status))
        return false;
    request->path = argv[first];
    return true;
}

static enum hy_code print_outcome(const struct request *request, const struct hy_outcome *outcome,
                                  struct hy_error *err)
{
    enum hy_code code = HY_OK;
    if (request->junit_path)
        code = hy_outcome_write_junit(outcome, request->junit_path, err);
    if (code == HY_OK && request->json)
        return hy_outcome_print_json(outcome, err);
    if (code == HY_OK)
        hy_outcome_print(outcome);
    return code;
}

static int check(const struct request *request)
{
    struct hy_target target = {0};
    struct hy_model_list models = {0};
    struct hy_outcome outcome = {0};
    struct hy_error err;

    bool is_wrong = false; /* the command line */
    enum hy_code code = hy_target_find(request->path, request->arguments, &target, &err);
    is_wrong = code == HY_BAD_DATA;
    if (code == HY_OK)
        code = hy_model_list_make(request->dirs.items, request->dirs.count, request->filter,
                                  &models, &err);
    const struct hy_check_plan plan = {.target = &target,
                                       .models = &models,
                                       .device = request->device,
                                       .hang_timeout = request->hang_timeout};
    if (code == HY_OK) {
        code = hy_check_run(&plan, &outcome, &err);
        is_wrong = code == HY_BAD_DATA;
    }
    if (code == HY_OK)
        code = print_outcome(request, &outcome, &err);

    int status = code == HY_OK ? hy_exit_written("check-driver")
                 : is_wrong    ? hy_exit_wrong("check-driver", "%s", err.text)
                               : hy_exit_failed("check-driver", &err);
    if (status == HY_EXIT_OK && hy_outcome_count(&outcome, HY_RULE_BROKEN) > 0)
        status = HY_EXIT_FAILED;
    hy_outcome_finish(&outcome);
    hy_model_list_finish(&models);
    hy_target_finish(&target);
    return status;
}

int hy_cmd_check_driver(int argc, char **argv)
{
    struct request request = {.hang_timeout = DEFAULT_TIMEOUT_S};
    int status = HY_EXIT_OK;
    if (!parse(argc, argv, &request, &status))
        return status;
    hy_interrupt_watch();
    return check(&request);
}
