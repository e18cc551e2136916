#include <stdio.h>

#include "tools/cache/cache_dir.h"
#include "tools/command.h"
#include "tools/commands/model_command.h"
#include "tools/commands/run_report.h"
#include "tools/image_option.h"
#include "tools/output_files.h"
#include "tools/shape_option.h"

struct request {
    const char *model;
    struct hy_option_list inputs;
    struct hy_option_list device_names;
    const char *output_dir;
    const char *labels_path;
    const char *mode_name;
    uint32_t seed; /* of noise; 0: every input is given */
    bool isolate;
    bool json;

    struct hy_session_settings settings;
    struct hy_device_selection devices;
    struct hy_image_option_texts image_texts;
    struct halyard_image_options image;
};

static const char about[] =
    "Runs a .tflite model once and shows the outputs.\n\n"
    "An input is a raw file of little-endian elements, a .npy file, or, for an image input, a PNG\n"
    "or JPEG. Give --input once for each input, in the model's order. Labels, mean and std come\n"
    "from the model's metadata unless options override them.\n\n"
    "A picture is turned upright by its EXIF orientation and scaled to the size of the input. The\n"
    "values from 0 to 255 become (value - mean) / std and are quantised like the input. Without\n"
    "mean and std, the values become 0 to 1 in floats and span the type in 8 bits: 0 to 255, or\n"
    "-128 to 127.";

static bool parse(int argc, char **argv, struct request *request, int *status)
{
    const struct hy_option options[] = {
        {"input", HY_OPTION_LIST, "FILE", "contents of the next input", &request->inputs},
        {"random", HY_OPTION_COUNT, "SEED", "fill inputs without --input with noise from this seed",
         &request->seed},
        {"output-dir", HY_OPTION_TEXT, "DIR", "store raw outputs as DIR/out0.bin, out1.bin, ...",
         &request->output_dir},
        {"labels", HY_OPTION_TEXT, "FILE", "names of a classifier's outputs, one per line",
         &request->labels_path},
        HY_IMAGE_OPTIONS(&request->image_texts),
        {"device", HY_OPTION_LIST, "NAME", "use this device; may be repeated",
         &request->device_names},
        {"mode", HY_OPTION_TEXT, "MODE", "sync (default), async, burst or fenced",
         &request->mode_name},
        {"cache", HY_OPTION_TEXT, "DIR", "cache directory to read and to store prepared models",
         &request->settings.cache_dir},
        HY_SESSION_OPTIONS(&request->settings),
        {"isolate", HY_OPTION_FLAG, NULL,
         "run drivers and halyard-cpu isolated, in separate processes", &request->isolate},
        {"json", HY_OPTION_FLAG, NULL, "print JSON", &request->json},
    };
    const struct hy_syntax syntax = {
        .command = "run",
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

static int check_inputs_given(const struct request *request, const struct hy_session *session)
{
    const uint32_t count = hy_session_input_count(session);
    if (request->inputs.count >= count || request->seed)
        return HY_EXIT_OK;

    const uint32_t missing = request->inputs.count;
    const struct hy_session_tensor input = hy_session_input(session, missing);
    char text[96];
    hy_shape_text(&input.info, text, sizeof text);
    return hy_exit_wrong("run",
                         "--input is missing for input %u of %u: %s, %s (--random 1 is noise)",
                         missing, count, input.info.name, text);
}

static enum hy_code compute(const struct request *request, struct hy_session *session,
                            struct hy_error *err)
{
    enum hy_code code = hy_cache_dir_make(request->settings.cache_dir, err);
    if (code == HY_OK)
        code = hy_session_compile(session, err);
    if (code == HY_OK && request->labels_path)
        code = hy_ranking_read_labels(session, request->labels_path, err);
    return code == HY_OK ? hy_session_run(session, err) : code;
}

static enum hy_code print_outputs(const struct request *request, struct hy_session *session,
                                  struct hy_error *err)
{
    struct hy_run_report report = {.session = session};
    enum hy_code code = hy_ranking_make(session, &report.has_ranking, &report.ranking, err);
    if (code == HY_OK && request->output_dir)
        code = hy_output_files_write(session, request->output_dir, err);
    if (code != HY_OK)
        return code;
    return request->json ? hy_run_report_print_json(&report, err)
                         : hy_run_report_print(&report, err);
}

static int run_session(const struct request *request, struct hy_session *session)
{
    int status = check_inputs_given(request, session);
    if (status == HY_EXIT_OK)
        status = hy_model_load_inputs("run", session, &request->inputs, &request->image);
    if (status != HY_EXIT_OK)
        return status;
    if (request->seed)
        hy_session_fill_inputs(session, request->inputs.count, request->seed);

    struct hy_error err;
    enum hy_code code = compute(request, session, &err);
    if (code == HY_OK)
        code = print_outputs(request, session, &err);
    return code == HY_OK ? hy_exit_written("run") : hy_exit_failed("run", &err);
}

static int open_and_run(struct request *request)
{
    struct hy_error err;
    struct hy_session *session = NULL;
    if (hy_session_open(request->model, &request->settings, &session, &err) != HY_OK)
        return hy_exit_failed("run", &err);
    const int status = run_session(request, session);
    hy_session_close(session);
    return status;
}

int hy_cmd_run(int argc, char **argv)
{
    struct request request = {.settings.selection = &request.devices};
    int status = HY_EXIT_OK;
    if (!parse(argc, argv, &request, &status))
        return status;

    status = hy_model_choose_mode("run", request.mode_name, &request.settings.mode);
    if (status == HY_EXIT_OK)
        status = hy_model_choose_devices("run", &request.device_names, request.isolate,
                                         &request.devices);
    if (status == HY_EXIT_OK)
        status = hy_image_option_parse("run", &request.image_texts, &request.image);
    return status == HY_EXIT_OK ? open_and_run(&request) : status;
}
