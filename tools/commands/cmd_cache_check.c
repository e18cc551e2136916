#include <stdio.h>

#include "common/printable.h"
#include "tools/api_result.h"
#include "tools/command.h"
#include "tools/commands/cached_steps.h"
#include "tools/commands/model_command.h"

struct request {
    const char *model;
    struct hy_option_list device_names;
    bool json;
    struct hy_session_settings settings;
    struct hy_device_selection devices;
};

static const char about[] =
    "Tells whether a cache directory serves a .tflite model completely, without compiling the "
    "model. Exit status 0: all steps come from the cache; 1: a step does not, with the reason. A "
    "damaged entry is removed if possible.\n\n"
    "With --cache, the check is for programs that name the directory; without --cache, for "
    "programs that leave the choice to HALYARD_CACHE_DIR. Use the devices, the options and the "
    "user of the program.";

static bool parse(int argc, char **argv, struct request *request, int *status)
{
    const struct hy_option options[] = {
        {"cache", HY_OPTION_TEXT, "DIR", "the directory (else $HALYARD_CACHE_DIR)",
         &request->settings.cache_dir},
        {"device", HY_OPTION_LIST, "NAME", "of the program; may be repeated",
         &request->device_names},
        HY_COMPILATION_OPTIONS(&request->settings),
        {"json", HY_OPTION_FLAG, NULL, "print JSON", &request->json},
    };
    const struct hy_syntax syntax = {
        .command = "cache check",
        .operands = "MODEL",
        .about = about,
        .operands_min = 1,
        .operands_max = 1,
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    int first;
    if (!hy_options_parse(&syntax, argc, argv, &first, status))
        return false;
    request->model = argv[first];
    return true;
}

static void print_steps(const struct request *request, const struct hy_cached_steps *steps,
                        const struct hy_error *why)
{
    if (why) {
        printf("%s: not valid: %s\n", hy_text_line(request->model).text, why->text);
        return;
    }
    printf("%s: valid\n", hy_text_line(request->model).text);
    hy_cached_steps_print_sum(steps, request->settings.cache_dir);
}

/* OP_FAILED means an incomplete cache; other errors are failures of the check. */
static int check(const struct request *request, struct hy_session *session)
{
    struct hy_cached_steps steps = {.as_json = request->json};
    struct hy_error why, err;

    const enum hy_code found = hy_api_result(
        halyard_session_check_cache(hy_session_handle(session), hy_cached_steps_add, &steps),
        "session_check_cache", &why);
    if (found != HY_OK && found != HY_FAILED) {
        hy_cached_steps_finish(&steps);
        return hy_exit_failed("cache check", &why);
    }
    const struct hy_error *reason = found == HY_OK ? NULL : &why;
    enum hy_code code = HY_OK;
    if (request->json)
        code = hy_cached_steps_print_json(&steps, request->model, request->settings.cache_dir,
                                          "valid", reason, &err);
    else
        print_steps(request, &steps, reason);
    hy_cached_steps_finish(&steps);
    if (code != HY_OK)
        return hy_exit_failed("cache check", &err);
    const int status = hy_exit_written("cache check");
    return found == HY_OK ? status : HY_EXIT_FAILED;
}

int hy_cmd_cache_check(int argc, char **argv)
{
    struct request request = {.settings.selection = &request.devices};
    int status = HY_EXIT_OK;
    if (!parse(argc, argv, &request, &status))
        return status;
    status = hy_model_choose_cache("cache check", request.settings.cache_dir);
    if (status == HY_EXIT_OK)
        status =
            hy_model_choose_devices("cache check", &request.device_names, false, &request.devices);
    if (status != HY_EXIT_OK)
        return status;

    struct hy_session *session = NULL;
    struct hy_error err;
    if (hy_session_open(request.model, &request.settings, &session, &err) != HY_OK)
        return hy_exit_failed("cache check", &err);
    status = check(&request, session);
    hy_session_close(session);
    return status;
}
