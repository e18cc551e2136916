#include <stdlib.h>

#include "tools/api_result.h"
#include "tools/command.h"
#include "tools/commands/inspection.h"
#include "tools/options.h"

struct request {
    const char *model;
    const char *signature; /* NULL: the first */
    bool operators, json;
};

static const char about[] =
    "Shows the contents of a .tflite model: inputs, outputs, operators with the operations of the\n"
    "Neural Networks API for each, parameters, memory, and the obstacles that stop the model from\n"
    "running. Nothing is compiled. Exit status 0: the model can run, 1: the model cannot run.";

static bool parse(int argc, char **argv, struct request *request, int *status)
{
    const struct hy_option options[] = {
        {"signature", HY_OPTION_TEXT, "NAME", "the signature of the model to show",
         &request->signature},
        {"operators", HY_OPTION_FLAG, NULL, "list each operator, with its types",
         &request->operators},
        {"json", HY_OPTION_FLAG, NULL, "print JSON", &request->json},
    };
    const struct hy_syntax syntax = {
        .command = "inspect",
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

static enum hy_code inspect(const struct request *request, struct halyard_network *network,
                            struct hy_inspection *inspection, struct hy_error *err)
{
    uint32_t signature = 0;
    enum hy_code code = HY_OK;

    if (request->signature)
        code =
            hy_api_result(halyard_network_find_signature(network, request->signature, &signature),
                          "network_find_signature", err);
    if (code == HY_OK)
        code = hy_inspection_make(network, signature, request->model, inspection, err);
    if (code == HY_OK && request->json)
        return hy_inspection_print_json(inspection, err);
    if (code == HY_OK)
        hy_inspection_print(inspection, request->operators);
    return code;
}

int hy_cmd_inspect(int argc, char **argv)
{
    struct hy_inspection inspection = {0};
    struct halyard_network *network = NULL;
    struct request request = {0};
    struct hy_error err;
    int status = HY_EXIT_OK;

    if (!parse(argc, argv, &request, &status))
        return status;
    enum hy_code code =
        hy_api_result(halyard_network_open(request.model, NULL, &network), "network_open", &err);
    if (code == HY_OK)
        code = inspect(&request, network, &inspection, &err);
    if (code != HY_OK)
        status = hy_exit_failed("inspect", &err);
    else
        status = hy_exit_written("inspect");
    if (status == HY_EXIT_OK && !inspection.can_run)
        status = HY_EXIT_FAILED;
    hy_inspection_finish(&inspection);
    halyard_network_close(network);
    return status;
}
