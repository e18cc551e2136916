#include "tools/command.h"
#include "tools/explanation.h"
#include "tools/model_command.h"

struct request {
    const char *model;
    struct hy_option_list device_names;
    bool json;
    struct hy_device_choice devices;
};

static const char about[] =
    "Compiles a .tflite model and says where each of its operations runs and why, which devices\n"
    "refused it, and what crosses from step to step. Costs are relative to halyard-cpu = 1.";

static bool parse(int argc, char **argv, struct request *request, int *status)
{
    const struct hy_option options[] = {
        {"device", HY_OPTION_LIST, "NAME", "plan for this device; may be repeated",
         &request->device_names},
        {"json", HY_OPTION_FLAG, NULL, "print JSON", &request->json},
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
    request->model = argv[first];
    return true;
}

static enum hy_code explain(const struct request *request, struct hy_session *session,
                            struct hy_error *err)
{
    struct hy_explanation explanation = {0};
    enum hy_code code = hy_session_compile(session, err);
    if (code == HY_OK)
        code = hy_explanation_make(session, &request->devices, &explanation, err);
    if (code == HY_OK && request->json)
        code = hy_explanation_print_json(&explanation, err);
    else if (code == HY_OK)
        hy_explanation_print(&explanation);
    hy_explanation_finish(&explanation);
    return code;
}

int hy_cmd_explain(int argc, char **argv)
{
    struct request request = {0};
    int status = HY_EXIT_OK;
    if (!parse(argc, argv, &request, &status))
        return status;
    status = hy_model_choose_devices("explain", &request.device_names, &request.devices);
    if (status != HY_EXIT_OK)
        return status;

    struct hy_session *session = NULL;
    struct hy_error err;
    enum hy_code code = hy_session_open(request.model, &request.devices, &session, &err);
    if (code == HY_OK)
        code = explain(&request, session, &err);
    hy_session_close(session);
    return code == HY_OK ? hy_exit_written("explain") : hy_exit_failed("explain", &err);
}
