#include "tools/cache/cache_dir.h"
#include "tools/command.h"
#include "tools/commands/explanation.h"
#include "tools/commands/model_command.h"

struct request {
    const char *model;
    struct hy_option_list device_names;
    bool json, dot;
    struct hy_session_settings settings;
    struct hy_device_selection devices;
};

static const char about[] =
    "Compiles a .tflite model and shows the device of each operation with the reason, the devices\n"
    "that refused the operation, the boundary tensors between steps, and the times of the steps:\n"
    "predicted, and measured over a few runs on noise.";

static bool parse(int argc, char **argv, struct request *request, int *status)
{
    const struct hy_option options[] = {
        {"device", HY_OPTION_LIST, "NAME", "plan for this device; may be repeated",
         &request->device_names},
        {"cache", HY_OPTION_TEXT, "DIR", "cache directory to read and to store prepared models",
         &request->settings.cache_dir},
        HY_SESSION_OPTIONS(&request->settings),
        {"json", HY_OPTION_FLAG, NULL, "print JSON", &request->json},
        {"dot", HY_OPTION_FLAG, NULL, "print a graph for Graphviz", &request->dot},
    };
    const struct hy_syntax syntax = {
        .command = "explain",
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
    if (request->json && request->dot) {
        *status = hy_exit_wrong("explain", "--json and --dot exclude each other");
        return false;
    }
    request->model = argv[first];
    return true;
}

static enum hy_code explain_to_people(const struct request *request,
                                      const struct hy_session *session, struct hy_error *err)
{
    struct hy_explanation explanation = {0};
    enum hy_code code = hy_explanation_make(session, &request->devices, &explanation, err);
    if (code == HY_OK)
        hy_explanation_print(&explanation);
    hy_explanation_finish(&explanation);
    return code;
}

static enum hy_code explain(const struct request *request, struct hy_session *session,
                            struct hy_error *err)
{
    enum hy_code code = hy_cache_dir_make(request->settings.cache_dir, err);
    if (code == HY_OK)
        code = hy_session_compile(session, err);
    if (code != HY_OK)
        return code;
    hy_explanation_measure(session);
    if (request->json)
        return hy_explanation_print_json(session, err);
    if (request->dot)
        return hy_explanation_print_dot(session, err);
    return explain_to_people(request, session, err);
}

int hy_cmd_explain(int argc, char **argv)
{
    struct request request = {.settings.selection = &request.devices};
    int status = HY_EXIT_OK;
    if (!parse(argc, argv, &request, &status))
        return status;
    status = hy_model_choose_devices("explain", &request.device_names, false, &request.devices);
    if (status != HY_EXIT_OK)
        return status;

    struct hy_session *session = NULL;
    struct hy_error err;
    enum hy_code code = hy_session_open(request.model, &request.settings, &session, &err);
    if (code == HY_OK)
        code = explain(&request, session, &err);
    hy_session_close(session);
    return code == HY_OK ? hy_exit_written("explain") : hy_exit_failed("explain", &err);
}
