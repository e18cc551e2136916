#include "bench/compare/serve.h"

#include "bench/compare/tensor_files.h"
#include "common/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHO, THREADS, TFLITE, ONNX, TENSOR_DIR, MODEL };

/* ---- Memory ---------------------------------------------------------------------------------- */

/* A line of the process's status in kilobytes, converted to bytes; 0: missing. */
static double read_status(const char *name)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    double bytes = 0;

    while (status && fgets(line, sizeof line, status)) {
        if (strncmp(line, name, strlen(name)) == 0)
            bytes = 1024.0 * strtod(line + strlen(name), NULL);
    }
    if (status)
        fclose(status);
    return bytes;
}

/* From here on the highest mark is what the process has now. */
static void reset_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");

    if (!file)
        return;
    fputs("5", file);
    fclose(file);
}

/* ---- The other end --------------------------------------------------------------------------- */

/* From the file to the end of the first run, with its cost. */
static enum hy_code get_ready(enum hy_engine who, const struct hy_engine_model *model,
                              const struct hy_tensor_files *tensor_files,
                              struct hy_engine_instance **instance, struct hy_remote_info *info,
                              struct hy_error *err)
{
    enum hy_code code = hy_engine_prepare(who, model, err);

    reset_peak();
    const double before = read_status("VmRSS:"), start = hy_clock_seconds();
    if (code == HY_OK)
        code = hy_engine_instance_open(who, model, instance, err);
    info->seconds = hy_clock_seconds() - start;
    if (code == HY_OK)
        code = hy_tensor_files_set_inputs(tensor_files, *instance, err);
    if (code == HY_OK)
        code = hy_engine_instance_run(*instance, err);
    info->bytes = read_status("VmHWM:") - before;
    /* Some models have a state between runs: outputs of the first run are compared. */
    return code == HY_OK ? hy_tensor_files_save_outputs(tensor_files, *instance, who, err) : code;
}

int hy_serve(char **arguments)
{
    const struct hy_engine_model model = {.tflite = arguments[TFLITE],
                                          .onnx = *arguments[ONNX] ? arguments[ONNX] : NULL,
                                          .path = arguments[MODEL],
                                          .threads = (int32_t)strtol(arguments[THREADS], NULL, 10)};
    struct hy_engine_instance *instance = NULL;
    struct hy_tensor_files tensor_files = {0};
    struct hy_remote_info info = {0};
    struct hy_error err = {0};
    enum hy_engine who;

    enum hy_code code =
        hy_engine_find(arguments[WHO], &who)
            ? hy_tensor_files_open(arguments[TENSOR_DIR], model.path, &tensor_files, &err)
            : hy_fail(&err, HY_BAD_DATA, "not a contestant");
    if (code == HY_OK)
        code = get_ready(who, &model, &tensor_files, &instance, &info, &err);
    const struct hy_bench_subject subject = {.run = hy_engine_instance_run, .self = instance};
    if (code == HY_OK)
        code = hy_remote_subject_serve(&subject, &info, &err);
    if (code != HY_OK)
        fprintf(stderr, "compare: %s: %s\n", arguments[WHO], err.text);
    hy_engine_instance_close(instance);
    hy_tensor_files_close(&tensor_files);
    return code == HY_OK ? 0 : 1;
}

/* ---- This end -------------------------------------------------------------------------------- */

enum hy_code hy_serve_start(const char *program, enum hy_engine who,
                            const struct hy_engine_model *model, const char *dir,
                            struct hy_remote_subject **out, struct hy_error *err)
{
    char threads[16];
    const char *const command[] = {program, "--serve",     hy_engine_option(who),
                                   threads, model->tflite, model->onnx ? model->onnx : "",
                                   dir,     model->path,   NULL};
    const struct hy_remote_variable variables[] = {
        {"HALYARD_CPU_THREADS", threads}, /* as many as the peers have */
        {"HALYARD_ISOLATE", who == HY_ISOLATED ? "halyard-cpu" : ""},
    };

    snprintf(threads, sizeof threads, "%d", model->threads);
    enum hy_code code = hy_remote_subject_start(command, variables, 2, out, err);
    return code == HY_OK ? code : hy_error_prefix(err, code, "%s", hy_engine_name(who));
}
