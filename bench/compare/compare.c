/*
 * compare: an inference in Halyard, in TensorFlow Lite and in ONNX Runtime, model by model, and the
 * start-up time. Prints two Markdown tables. docs/performance.md explains the tables.
 */
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare/comparison.h"
#include "bench/compare/rows_json.h"
#include "bench/compare/serve.h"
#include "tools/temporary_dir.h"

struct arguments {
    struct hy_comparison_rules rules;
    const char *json;
};

static const enum hy_engine columns[] = {HY_HALYARD, HY_BURST, HY_ISOLATED, HY_BUILT_IN,
                                         HY_XNNPACK, HY_ONNX,  HY_CLIENT,   HY_REFERENCE};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* Selects the columns of the table. */
static uint32_t choose_columns(const struct hy_comparison_rules *rules, enum hy_engine chosen[])
{
    uint32_t count = 0;

    for (size_t i = 0; i < COLUMNS; i++) {
        chosen[count] = columns[i];
        count += rules->is_included[columns[i]];
    }
    return count;
}

/* Three digits or more, without an exponent. */
static void print_figure(bool is_there, double figure)
{
    if (!is_there)
        printf(" |");
    else
        printf(" %.*f |", figure < 1 ? 3 : figure < 10 ? 2 : figure < 100 ? 1 : 0, figure);
}

static void print_target(double target)
{
    if (target > 0)
        printf(" %.2f |", target);
    else
        printf(" |");
}

/* ---- Times of an inference ------------------------------------------------------------------- */

static void print_head(const struct hy_comparison_rules *rules)
{
    enum hy_engine chosen[COLUMNS];
    const uint32_t count = choose_columns(rules, chosen);

    printf("Times of one inference in microseconds with %d thread%s, medians of %u rounds of at "
           "least %g ms.\n\n| model |",
           rules->threads, rules->threads == 1 ? "" : "s", rules->race.rounds,
           rules->race.round_time * 1e3);
    for (uint32_t i = 0; i < count; i++)
        printf(" %s |", hy_engine_name(chosen[i]));
    printf(" best peer | ratio | target | spread | difference |\n|---|");
    for (uint32_t i = 0; i < count; i++)
        printf("--:|");
    printf("---|--:|--:|--:|--:|\n");
}

static void print_spread(const struct hy_comparison_result *result)
{
    if (result->has_result[HY_HALYARD])
        printf(" %.0f %% |", result->spread[HY_HALYARD] * 100);
    else
        printf(" |");
}

static void print_difference(const struct hy_comparison_result *result)
{
    if (!isnan(result->difference))
        printf(result->is_float ? " %.1e" : " %.0f steps", result->difference);
    if (!isnan(result->onnx_difference))
        printf(result->is_float ? ", %.1e" : ", %.0f", result->onnx_difference);
    printf(" |\n");
}

static void print_row(const struct hy_comparison_rules *rules,
                      const struct hy_comparison_result *result)
{
    enum hy_engine chosen[COLUMNS];
    const uint32_t count = choose_columns(rules, chosen);
    struct hy_row rows[HY_ROWS_MOST];

    printf("| %s |", result->model);
    for (uint32_t i = 0; i < count; i++)
        print_figure(result->has_result[chosen[i]], result->us[chosen[i]]);
    /* The first row is the row of halyard-cpu, if halyard-cpu took part. */
    if (hy_rows_of(result, rows) > 0 && result->has_result[HY_HALYARD] && rows[0].ratio > 0) {
        printf(" %s | %.2f |", hy_engine_name(rows[0].best_peer), rows[0].ratio);
        print_target(rows[0].target);
    } else {
        printf(" | | |");
    }
    print_spread(result);
    print_difference(result);
    fflush(stdout);
}

/* ---- Getting ready --------------------------------------------------------------------------- */

static const enum hy_engine starters[] = {HY_HALYARD, HY_BUILT_IN, HY_XNNPACK, HY_ONNX};
enum { STARTERS = sizeof starters / sizeof *starters };

/* The ratio to XNNPACK, if both support the network. */
static void print_ratio(const struct hy_comparison_result *result,
                        const double figures[HY_ENGINE_COUNT])
{
    if (result->has_result[HY_HALYARD] && result->has_result[HY_XNNPACK])
        printf(" %.2f |", figures[HY_HALYARD] / figures[HY_XNNPACK]);
    else
        printf(" |");
}

static void print_starts(const struct hy_comparison_rules *rules,
                         const struct hy_comparison_result *results, uint32_t count)
{
    printf(
        "\nFrom the file to a model that is ready, in milliseconds, and the most memory that this "
        "and the first run took,\nin MiB: medians of %u processes each.\n\n| model |",
        rules->starts);
    for (int i = 0; i < STARTERS; i++)
        printf(" %s, ms |", hy_engine_name(starters[i]));
    printf(" / XNNPACK |");
    for (int i = 0; i < STARTERS; i++)
        printf(" %s, MiB |", hy_engine_name(starters[i]));
    printf(" / XNNPACK |\n|---|");
    for (int i = 0; i < 2 * STARTERS + 2; i++)
        printf("--:|");
    printf("\n");
    for (uint32_t k = 0; k < count; k++) {
        const struct hy_comparison_result *r = &results[k];
        printf("| %s |", r->model);
        for (int i = 0; i < STARTERS; i++)
            print_figure(r->has_result[starters[i]], r->ready_us[starters[i]] * 1e-3);
        print_ratio(r, r->ready_us);
        for (int i = 0; i < STARTERS; i++)
            print_figure(r->has_result[starters[i]], r->peak_bytes[starters[i]] / 1048576);
        print_ratio(r, r->peak_bytes);
        printf("\n");
    }
}

/* ---------------------------------------------------------------------------------------------- */

static enum hy_code compare_model(const struct arguments *arguments, const char *model,
                                  struct hy_comparison_result *result, struct hy_rows_json *rows,
                                  struct hy_error *err)
{
    enum hy_code code = hy_comparison_run(&arguments->rules, model, result, err);
    if (code != HY_OK)
        return code;
    print_row(&arguments->rules, result);
    return hy_rows_json_add(rows, arguments->rules.threads, result, err);
}

static int compare_models(const struct arguments *arguments, char **models, uint32_t count)
{
    int status = 0;
    uint32_t done = 0;
    struct hy_error err = {0};
    struct hy_rows_json *rows = hy_rows_json_create();
    struct hy_comparison_result *results = calloc(count, sizeof *results);
    if (!rows || !results) {
        fprintf(stderr, "compare: out of memory\n");
        hy_rows_json_destroy(rows);
        free(results);
        return 1;
    }
    print_head(&arguments->rules);
    for (uint32_t i = 0; i < count; i++) {
        if (compare_model(arguments, models[i], &results[done], rows, &err) == HY_OK) {
            status = results[done++].has_result[HY_HALYARD] ? status : 1;
            continue;
        }
        fprintf(stderr, "compare: %s: %s\n", models[i], err.text);
        status = 1;
    }
    print_starts(&arguments->rules, results, done);
    if (arguments->json && hy_rows_json_write(rows, arguments->json, &err) != HY_OK) {
        fprintf(stderr, "compare: %s\n", err.text);
        status = 1;
    }
    hy_rows_json_destroy(rows);
    free(results);
    return status;
}

static void print_usage(FILE *to)
{
    fprintf(to,
            "usage: compare [--threads N] [--rounds N] [--round-ms N] [--pause-ms N] [--starts N]\n"
            "               [--onnx LIBRARY] [--client] [--isolated] [--reference] [--json FILE]\n"
            "               LIBTENSORFLOWLITE_C.SO MODEL...\n");
}

static bool parse(int argc, char **argv, struct arguments *arguments)
{
    static const struct option options[] = {
        {"threads", required_argument, NULL, 'p'},
        {"rounds", required_argument, NULL, 'n'},
        {"round-ms", required_argument, NULL, 't'},
        {"pause-ms", required_argument, NULL, 'z'},
        {"starts", required_argument, NULL, 's'},
        {"onnx", required_argument, NULL, 'o'},
        {"client", no_argument, NULL, 'c'},
        {"isolated", no_argument, NULL, 'i'},
        {"reference", no_argument, NULL, 'r'},
        {"json", required_argument, NULL, 'j'},
        {0},
    };
    struct hy_comparison_rules *rules = &arguments->rules;
    *arguments =
        (struct arguments){.rules = {.program = argv[0],
                                     .race = {.rounds = 21, .round_time = 0.02, .pause = 0.02},
                                     .starts = 5,
                                     .threads = 1,
                                     .is_included = {[HY_HALYARD] = true,
                                                     [HY_BURST] = true,
                                                     [HY_BUILT_IN] = true,
                                                     [HY_XNNPACK] = true}}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'p')
            rules->threads = (int32_t)strtol(optarg, NULL, 10);
        else if (option == 'n')
            rules->race.rounds = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 't')
            rules->race.round_time = strtod(optarg, NULL) * 1e-3;
        else if (option == 'z')
            rules->race.pause = strtod(optarg, NULL) * 1e-3;
        else if (option == 's')
            rules->starts = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'o')
            rules->onnx = optarg;
        else if (option == 'c')
            rules->is_included[HY_CLIENT] = true;
        else if (option == 'i')
            rules->is_included[HY_ISOLATED] = true;
        else if (option == 'r')
            rules->is_included[HY_REFERENCE] = true;
        else if (option == 'j')
            arguments->json = optarg;
        else
            return false;
    }
    if (argc - optind < 2 || rules->threads < 1 || rules->starts < 1)
        return false;
    rules->is_included[HY_ONNX] = rules->onnx != NULL;
    rules->tflite = argv[optind];
    return true;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    struct hy_error err = {0};
    char *dir;
    if (argc == 2 + HY_SERVE_ARGUMENTS && strcmp(argv[1], "--serve") == 0)
        return hy_serve(argv + 2);
    if (!parse(argc, argv, &arguments)) {
        print_usage(stderr);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN); /* a process that is gone is an error, not the end */
    if (hy_temporary_dir_make(NULL, &dir, &err) != HY_OK) {
        fprintf(stderr, "compare: %s\n", err.text);
        return 1;
    }
    arguments.rules.dir = dir;
    const int status = compare_models(&arguments, argv + optind + 1, (uint32_t)(argc - optind - 1));
    hy_temporary_dir_remove(dir);
    return status;
}
