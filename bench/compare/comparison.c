#include "bench/compare/comparison.h"

#include "bench/compare/serve.h"
#include "bench/compare/tensor_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STARTS 99u

/* The processes of one model. */
struct field {
    const struct hy_comparison_rules *rules;
    struct hy_engine_model model;
    struct hy_remote_subject *remotes[HY_ENGINE_COUNT]; /* NULL: not taking part */
    bool has_failed[HY_ENGINE_COUNT];                   /* to get ready for the model */
};

static bool is_included(const struct field *field, enum hy_engine who)
{
    char onnx[4096];

    if (!field->rules->is_included[who] || field->has_failed[who])
        return false;
    return who != HY_ONNX ||
           (field->model.onnx && hy_engine_find_onnx(field->model.path, onnx, sizeof onnx));
}

static void stop_all(struct field *field)
{
    for (int i = 0; i < HY_ENGINE_COUNT; i++) {
        hy_remote_subject_stop(field->remotes[i]);
        field->remotes[i] = NULL;
    }
}

/* ---- Getting ready --------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Some models are refused by some contestants; the others are compared without them. */
static void leave_out(struct field *field, enum hy_engine who, const struct hy_error *err)
{
    fprintf(stderr, "compare: %s: without %s: %s\n", field->model.path, hy_engine_name(who),
            err->text);
    field->has_failed[who] = true;
}

/* Starts a process each, as often as the rules require; the processes of the last round stay for
 * the race. */
static enum hy_code start_all(struct field *field, struct hy_comparison_result *result,
                              struct hy_error *err)
{
    static double seconds[HY_ENGINE_COUNT][MOST_STARTS], bytes[HY_ENGINE_COUNT][MOST_STARTS];
    const uint32_t starts = field->rules->starts < MOST_STARTS ? field->rules->starts : MOST_STARTS;
    uint32_t ready = 0;

    for (uint32_t round = 0; round < starts; round++) {
        for (int i = 0; i < HY_ENGINE_COUNT; i++) {
            const enum hy_engine who = (enum hy_engine)i;
            if (!is_included(field, who))
                continue;
            if (hy_serve_start(field->rules->program, who, &field->model, field->rules->dir,
                               &field->remotes[i], err) != HY_OK) {
                leave_out(field, who, err);
                continue;
            }
            const struct hy_remote_info info = hy_remote_subject_info(field->remotes[i]);
            seconds[i][round] = info.seconds;
            bytes[i][round] = info.bytes;
            if (round + 1 < starts) {
                hy_remote_subject_stop(field->remotes[i]);
                field->remotes[i] = NULL;
            }
        }
    }
    for (int i = 0; i < HY_ENGINE_COUNT; i++) {
        result->has_result[i] = field->remotes[i] != NULL;
        result->ready_us[i] = median(seconds[i], starts) * 1e6;
        result->peak_bytes[i] = median(bytes[i], starts);
        ready += result->has_result[i];
    }
    return ready > 0 ? HY_OK : hy_fail(err, HY_FAILED, "nobody gets ready for the model");
}

/* ---- Do they agree? -------------------------------------------------------------------------- */

/* NAN if one of the two did not take part. */
static enum hy_code compare_with(const struct hy_tensor_files *tensor_files, enum hy_engine other,
                                 const struct hy_comparison_result *result, double *difference,
                                 struct hy_error *err)
{
    *difference = NAN;
    if (!result->has_result[HY_HALYARD] || !result->has_result[other])
        return HY_OK;
    return hy_tensor_files_compare(tensor_files, HY_HALYARD, other, difference, err);
}

static enum hy_code compare_outputs(const struct hy_tensor_files *tensor_files,
                                    struct hy_comparison_result *result, struct hy_error *err)
{
    /* A difference of more than a tenth of the range is a wrong result, not a different
     * rounding. */
    const double most = result->is_float ? 0.1 : 25.5;
    const enum hy_engine tflite = result->has_result[HY_BUILT_IN] ? HY_BUILT_IN : HY_XNNPACK;
    enum hy_code code = compare_with(tensor_files, tflite, result, &result->difference, err);

    if (code == HY_OK)
        code = compare_with(tensor_files, HY_ONNX, result, &result->onnx_difference, err);
    if (code != HY_OK || !(result->difference > most))
        return code;
    return hy_fail(err, HY_FAILED, "the outputs disagree: %g, and %g with ONNX Runtime",
                   result->difference, result->onnx_difference);
}

/* ---- The race -------------------------------------------------------------------------------- */

static enum hy_code race(const struct field *field, struct hy_comparison_result *result,
                         struct hy_error *err)
{
    struct hy_bench_subject subjects[HY_ENGINE_COUNT];
    int who[HY_ENGINE_COUNT];
    uint32_t count = 0;

    for (int i = 0; i < HY_ENGINE_COUNT; i++) {
        if (!field->remotes[i])
            continue;
        subjects[count] = (struct hy_bench_subject){.name = hy_engine_name((enum hy_engine)i),
                                                    .time_runs = hy_remote_subject_time_runs,
                                                    .self = field->remotes[i]};
        who[count++] = i;
    }
    enum hy_code code = hy_bench_measure(subjects, count, &field->rules->race, err);
    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        result->us[who[i]] = subjects[i].median_us;
        result->spread[who[i]] = subjects[i].spread;
    }
    return code;
}

static enum hy_code run_comparison(struct field *field, const struct hy_tensor_files *tensor_files,
                                   struct hy_comparison_result *result, struct hy_error *err)
{
    enum hy_code code = hy_tensor_files_make_inputs(tensor_files, err);

    result->is_float = hy_tensor_files_is_float(tensor_files);
    if (code == HY_OK)
        code = start_all(field, result, err);
    if (code == HY_OK)
        code = compare_outputs(tensor_files, result, err);
    return code == HY_OK ? race(field, result, err) : code;
}

enum hy_code hy_comparison_run(const struct hy_comparison_rules *rules, const char *path,
                               struct hy_comparison_result *result, struct hy_error *err)
{
    struct field field = {
        .rules = rules,
        .model = {rules->tflite, rules->onnx, path, rules->threads},
    };
    struct hy_tensor_files tensor_files;
    const char *slash = strrchr(path, '/');

    *result = (struct hy_comparison_result){.model = slash ? slash + 1 : path};
    enum hy_code code = hy_tensor_files_open(rules->dir, path, &tensor_files, err);
    if (code != HY_OK)
        return code;
    code = run_comparison(&field, &tensor_files, result, err);
    stop_all(&field);
    hy_tensor_files_close(&tensor_files);
    return code;
}
