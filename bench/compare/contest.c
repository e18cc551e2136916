#include "bench/compare/contest.h"

#include "bench/compare/exchange.h"
#include "bench/compare/serve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STARTS 99u

/* The processes of one model. */
struct field {
    const struct hy_contest_rules *rules;
    struct hy_contest_model model;
    struct hy_remote_racer *remotes[HY_CONTESTANT_COUNT]; /* NULL: not taking part */
    bool has_failed[HY_CONTESTANT_COUNT];                 /* to get ready for the model */
};

static bool takes_part(const struct field *field, enum hy_contestant who)
{
    char onnx[4096];

    if (!field->rules->takes_part[who] || field->has_failed[who])
        return false;
    return who != HY_ONNX ||
           (field->model.onnx && hy_contestant_find_onnx(field->model.path, onnx, sizeof onnx));
}

static void stop_all(struct field *field)
{
    for (int i = 0; i < HY_CONTESTANT_COUNT; i++) {
        hy_remote_racer_stop(field->remotes[i]);
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
static void leave_out(struct field *field, enum hy_contestant who, const struct hy_error *err)
{
    fprintf(stderr, "compare: %s: without %s: %s\n", field->model.path, hy_contestant_name(who),
            err->text);
    field->has_failed[who] = true;
}

/* Starts a process each, as often as the rules require; the processes of the last round stay for
 * the race. */
static enum hy_code start_all(struct field *field, struct hy_contest_result *result,
                              struct hy_error *err)
{
    static double seconds[HY_CONTESTANT_COUNT][MOST_STARTS],
        bytes[HY_CONTESTANT_COUNT][MOST_STARTS];
    const uint32_t starts = field->rules->starts < MOST_STARTS ? field->rules->starts : MOST_STARTS;
    uint32_t ready = 0;

    for (uint32_t round = 0; round < starts; round++) {
        for (int i = 0; i < HY_CONTESTANT_COUNT; i++) {
            const enum hy_contestant who = (enum hy_contestant)i;
            if (!takes_part(field, who))
                continue;
            if (hy_serve_start(field->rules->program, who, &field->model, field->rules->folder,
                               &field->remotes[i], err) != HY_OK) {
                leave_out(field, who, err);
                continue;
            }
            const struct hy_remote_facts facts = hy_remote_racer_facts(field->remotes[i]);
            seconds[i][round] = facts.seconds;
            bytes[i][round] = facts.bytes;
            if (round + 1 < starts) {
                hy_remote_racer_stop(field->remotes[i]);
                field->remotes[i] = NULL;
            }
        }
    }
    for (int i = 0; i < HY_CONTESTANT_COUNT; i++) {
        result->took_part[i] = field->remotes[i] != NULL;
        result->ready_us[i] = median(seconds[i], starts) * 1e6;
        result->peak_bytes[i] = median(bytes[i], starts);
        ready += result->took_part[i];
    }
    return ready > 0 ? HY_OK : hy_fail(err, HY_FAILED, "nobody gets ready for the model");
}

/* ---- Do they agree? -------------------------------------------------------------------------- */

/* NAN if one of the two did not take part. */
static enum hy_code compare_with(const struct hy_exchange *exchange, enum hy_contestant other,
                                 const struct hy_contest_result *result, double *difference,
                                 struct hy_error *err)
{
    *difference = NAN;
    if (!result->took_part[HY_HALYARD] || !result->took_part[other])
        return HY_OK;
    return hy_exchange_compare(exchange, HY_HALYARD, other, difference, err);
}

static enum hy_code compare_outputs(const struct hy_exchange *exchange,
                                    struct hy_contest_result *result, struct hy_error *err)
{
    /* A difference of more than a tenth of the range is a wrong result, not a different
     * rounding. */
    const double most = result->is_float ? 0.1 : 25.5;
    const enum hy_contestant tflite = result->took_part[HY_BUILT_IN] ? HY_BUILT_IN : HY_XNNPACK;
    enum hy_code code = compare_with(exchange, tflite, result, &result->difference, err);

    if (code == HY_OK)
        code = compare_with(exchange, HY_ONNX, result, &result->onnx_difference, err);
    if (code != HY_OK || !(result->difference > most))
        return code;
    return hy_fail(err, HY_FAILED, "the outputs disagree: %g, and %g with ONNX Runtime",
                   result->difference, result->onnx_difference);
}

/* ---- The race -------------------------------------------------------------------------------- */

static enum hy_code race(const struct field *field, struct hy_contest_result *result,
                         struct hy_error *err)
{
    struct hy_racer racers[HY_CONTESTANT_COUNT];
    int who[HY_CONTESTANT_COUNT];
    uint32_t count = 0;

    for (int i = 0; i < HY_CONTESTANT_COUNT; i++) {
        if (!field->remotes[i])
            continue;
        racers[count] = (struct hy_racer){.name = hy_contestant_name((enum hy_contestant)i),
                                          .time_runs = hy_remote_racer_time_runs,
                                          .self = field->remotes[i]};
        who[count++] = i;
    }
    enum hy_code code = hy_race(racers, count, &field->rules->race, err);
    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        result->us[who[i]] = racers[i].median_us;
        result->spread[who[i]] = racers[i].spread;
    }
    return code;
}

static enum hy_code contest(struct field *field, const struct hy_exchange *exchange,
                            struct hy_contest_result *result, struct hy_error *err)
{
    enum hy_code code = hy_exchange_make_inputs(exchange, err);

    result->is_float = hy_exchange_is_float(exchange);
    if (code == HY_OK)
        code = start_all(field, result, err);
    if (code == HY_OK)
        code = compare_outputs(exchange, result, err);
    return code == HY_OK ? race(field, result, err) : code;
}

enum hy_code hy_contest(const struct hy_contest_rules *rules, const char *path,
                        struct hy_contest_result *result, struct hy_error *err)
{
    struct field field = {
        .rules = rules,
        .model = {rules->tflite, rules->onnx, path, rules->threads},
    };
    struct hy_exchange exchange;
    const char *slash = strrchr(path, '/');

    *result = (struct hy_contest_result){.model = slash ? slash + 1 : path};
    enum hy_code code = hy_exchange_open(rules->folder, path, &exchange, err);
    if (code != HY_OK)
        return code;
    code = contest(&field, &exchange, result, err);
    stop_all(&field);
    hy_exchange_close(&exchange);
    return code;
}
