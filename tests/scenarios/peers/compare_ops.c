/*
 * Random models of one operator, run by TensorFlow Lite's built-in kernels and by Halyard's two CPU
 * devices on the same bytes; the table of docs/numerics.md.
 *
 *     compare_ops [--reference libtensorflowlite_c.so] [--cases N] [--seed N] [--only OPERATOR]
 *
 * Without --reference the library is the one that HALYARD_TFLITE names; without either there is
 * nothing to do (status 77: the test is skipped). Status 1: some operator differs by more than
 * allowance.h allows, or fails.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allowance.h"
#include "device_comparison.h"

enum { EXIT_SKIP = 77 };

struct arguments {
    const char *library;
    const char *only; /* NULL: every operator */
    uint64_t seed;
    uint32_t cases; /* of each operator and type */
};

/* What was seen of one operator with one type. */
struct tally {
    struct hy_comparison_result total;
    uint64_t worst_seed; /* of the case whose outputs were furthest apart */
    double worst;        /* their distance */
    uint32_t failed;
};

static void merge(struct hy_difference *into, const struct hy_difference *from)
{
    into->worst = fmax(into->worst, from->worst);
    into->count += from->count;
    into->beyond += from->beyond;
    into->apart += from->apart;
}

static void tally_result(uint64_t seed, const struct hy_comparison_result *result,
                         struct tally *tally)
{
    tally->total.is_real |= result->is_real;
    for (int i = 0; i < HY_COMPARED_DEVICES; i++) {
        merge(&tally->total.difference[i], &result->difference[i]);
        if (result->difference[i].worst > tally->worst) {
            tally->worst = result->difference[i].worst;
            tally->worst_seed = seed;
        }
    }
}

static void run_case(const struct arguments *arguments, const struct hy_op_row *row,
                     enum hy_tflite_type type, uint64_t seed, struct tally *tally)
{
    struct hy_op_case model;
    struct hy_comparison_result result = {0};
    struct hy_error error = {0};

    hy_op_case_make(row, type, seed, &model);
    if (hy_comparison_run(arguments->library, &model, &result, &error) == HY_OK)
        tally_result(seed, &result, tally);
    else if (tally->failed++ == 0)
        fprintf(stderr, "%s %s, seed %llu: %s\n", hy_tflite_op_name(row->op),
                hy_tflite_type_name(type), (unsigned long long)seed, error.text);
    hy_op_case_finish(&model);
}

static bool is_good(const struct tally *tally, const struct hy_allowance *allowed)
{
    bool good = tally->failed == 0;

    for (int i = 0; i < HY_COMPARED_DEVICES; i++) {
        const struct hy_difference *difference = &tally->total.difference[i];
        const double few = (double)allowed->few + allowed->share * (double)difference->count;
        good &= difference->count > 0 && difference->worst <= allowed->worst &&
                (double)difference->beyond <= few;
    }
    return good;
}

/* "equal"; the worst distance and how many elements differ; how many are beyond the tolerance. */
static void print_difference(bool is_real, const struct hy_difference *difference)
{
    const double percent = difference->count ? 100.0 / (double)difference->count : 0.0;

    if (difference->apart == 0)
        printf(" equal |");
    else if (is_real)
        printf(" %.1e |", difference->worst);
    else
        printf(" %g in %.2g %% |", difference->worst, percent * (double)difference->apart);
    if (difference->beyond)
        printf(" %.2g %% |", percent * (double)difference->beyond);
    else
        printf(" |");
}

static bool print_tally(const struct hy_op_row *row, enum hy_tflite_type type,
                        const struct tally *tally)
{
    const struct hy_difference *first = &tally->total.difference[0];
    const struct hy_allowance allowed = hy_allowance(row->op, type);
    const bool good = is_good(tally, &allowed);

    printf("| %s | %s | %zu |", hy_tflite_op_name(row->op), hy_tflite_type_name(type),
           first->count);
    for (int i = 0; i < HY_COMPARED_DEVICES; i++)
        print_difference(tally->total.is_real, &tally->total.difference[i]);
    if (!good)
        printf(" TOO FAR: seed %llu, %u failed", (unsigned long long)tally->worst_seed,
               tally->failed);
    printf("\n");
    return good;
}

static bool run_row(const struct arguments *arguments, const struct hy_op_row *row)
{
    bool good = true;

    for (int type = 0; type < HY_TFLITE_TYPE_COUNT; type++) {
        struct tally tally = {0};
        if (!(row->types & ~hy_op_newer_types(row->op) & 1u << type))
            continue;
        for (uint32_t i = 0; i < arguments->cases; i++)
            run_case(arguments, row, (enum hy_tflite_type)type, arguments->seed + i, &tally);
        good &= print_tally(row, (enum hy_tflite_type)type, &tally);
    }
    return good;
}

static bool run(const struct arguments *arguments)
{
    bool good = true;

    printf("| operator | data | elements | %s | beyond | %s | beyond |\n"
           "|---|---|--:|--:|--:|--:|--:|\n",
           hy_compared_names[HY_COMPARED_CPU], hy_compared_names[HY_COMPARED_REFERENCE]);
    for (size_t i = 0; i < hy_op_row_count; i++) {
        const char *name = hy_tflite_op_name(hy_op_rows[i].op);
        if (!arguments->only || strcmp(arguments->only, name) == 0)
            good &= run_row(arguments, &hy_op_rows[i]);
    }
    return good;
}

static bool read_arguments(int argc, char **argv, struct arguments *out)
{
    *out = (struct arguments){.library = getenv("HALYARD_TFLITE"), .cases = 50, .seed = 1};
    if (argc % 2 == 0)
        return false;
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--reference") == 0)
            out->library = argv[i + 1];
        else if (strcmp(argv[i], "--cases") == 0)
            out->cases = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0)
            out->seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0)
            out->only = argv[i + 1];
        else
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct arguments arguments;

    if (!read_arguments(argc, argv, &arguments)) {
        fprintf(stderr, "compare_ops [--reference libtensorflowlite_c.so] [--cases N] [--seed N] "
                        "[--only OPERATOR]\n");
        return 2;
    }
    if (!arguments.library) {
        fprintf(stderr, "compare_ops: skipped, HALYARD_TFLITE names no library\n");
        return EXIT_SKIP;
    }
    return run(&arguments) ? EXIT_SUCCESS : EXIT_FAILURE;
}
