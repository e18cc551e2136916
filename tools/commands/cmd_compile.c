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
    "Compiles a .tflite model ahead of time and stores the prepared models of the devices in a "
    "cache directory, for system images and for machines where the directory is read-only. A "
    "missing directory is created. A device that compiles just in time runs once, on zeros. Exit "
    "status 1: a step that can be cached was not stored.\n\n"
    "With --cache, the entries are for programs that name the directory (halyard run --cache, "
    "cache_dir of a session); without --cache, for programs that leave the choice to "
    "HALYARD_CACHE_DIR. 'halyard cache check' tells whether a directory serves a model.";

static bool parse(int argc, char **argv, struct request *request, int *status)
{
    const struct hy_option options[] = {
        {"cache", HY_OPTION_TEXT, "DIR", "the directory (else $HALYARD_CACHE_DIR)",
         &request->settings.cache_dir},
        {"device", HY_OPTION_LIST, "NAME", "compile for this device; may be repeated",
         &request->device_names},
        HY_COMPILATION_OPTIONS(&request->settings),
        {"json", HY_OPTION_FLAG, NULL, "print JSON", &request->json},
    };
    const struct hy_syntax syntax = {
        .command = "compile",
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

static int fill(const struct request *request, struct hy_session *session)
{
    struct hy_cached_steps steps = {.as_json = request->json};
    const char *dir = request->settings.cache_dir;
    struct hy_error why, err;

    const enum hy_code filled = hy_api_result(
        halyard_session_fill_cache(hy_session_handle(session), hy_cached_steps_add, &steps),
        "session_fill_cache", &why);
    enum hy_code code = HY_OK;
    if (request->json)
        code = hy_cached_steps_print_json(&steps, request->model, dir, "complete",
                                          filled == HY_OK ? NULL : &why, &err);
    else if (filled == HY_OK)
        hy_cached_steps_print_sum(&steps, dir);
    hy_cached_steps_finish(&steps);
    if (code != HY_OK)
        return hy_exit_failed("compile", &err);
    return filled == HY_OK ? hy_exit_written("compile") : hy_exit_failed("compile", &why);
}

int hy_cmd_compile(int argc, char **argv)
{
    struct request request = {.settings.selection = &request.devices};
    int status = HY_EXIT_OK;
    if (!parse(argc, argv, &request, &status))
        return status;
    status = hy_model_choose_cache("compile", request.settings.cache_dir);
    if (status == HY_EXIT_OK)
        status = hy_model_choose_devices("compile", &request.device_names, false, &request.devices);
    if (status != HY_EXIT_OK)
        return status;

    struct hy_session *session = NULL;
    struct hy_error err;
    if (hy_session_open(request.model, &request.settings, &session, &err) != HY_OK)
        return hy_exit_failed("compile", &err);
    status = fill(&request, session);
    hy_session_close(session);
    return status;
}
