/*
 * level_differences: the differences between the outputs of networks for the instruction sets of
 * halyard-cpu.
 *
 *     level_differences MODEL.tflite...
 *
 * Each set is the value of HALYARD_CPU_FEATURES of a separate process. A column names two sets, and
 * has the largest difference of their outputs: relative to the largest magnitude of the output for
 * floats, in steps for other types; "equal" if all bytes are the same.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/child_run.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Sets, from the scalar kernels up. */
#ifdef __aarch64__
static const char *const isa_levels[] = {"none", "neon", "dotprod", "i8mm"};
#else
static const char *const isa_levels[] = {"none", "avx2", "avxvnni", "avx512"};
#endif

struct pair {
    unsigned a, b; /* indices of `isa_levels` */
};

static const struct pair pairs[] = {{0, 1}, {1, 2}, {2, 3}};

static double float_difference(const float *a, const float *b, size_t count)
{
    double most = 0, largest = 0;

    for (size_t i = 0; i < count; i++) {
        const double difference = fabs((double)a[i] - (double)b[i]);
        /* Some NaN are equal. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
        if (isnan(difference) && memcmp(&a[i], &b[i], sizeof *a) != 0)
            return INFINITY;
        most = fmax(most, difference); /* fmax ignores NaN */
        largest = fmax(largest, fabs((double)a[i]));
    }
    return largest > 0 ? most / largest : most;
}

static double element(enum hy_tflite_type type, const unsigned char *bytes, size_t index)
{
    int32_t number;

    switch (type) {
    case HY_TFLITE_INT8:
        return (int8_t)bytes[index];
    case HY_TFLITE_INT32:
        memcpy(&number, bytes + index * sizeof number, sizeof number);
        return number;
    default:
        return bytes[index];
    }
}

static double step_difference(const struct hy_child_output *output, const unsigned char *a,
                              const unsigned char *b)
{
    const size_t size = output->type == HY_TFLITE_INT32 ? sizeof(int32_t) : 1;
    double most = 0;

    for (size_t i = 0; i < output->length / size; i++)
        most = fmax(most, fabs(element(output->type, a, i) - element(output->type, b, i)));
    return most;
}

static void print_difference(const struct hy_child_run *a, const struct hy_child_run *b)
{
    double of_floats = 0, steps = 0;

    if (a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0) {
        printf(" equal |");
        return;
    }
    if (a->length != b->length) {
        printf(" other shapes |");
        return;
    }
    for (uint32_t i = 0; i < a->output_count; i++) {
        const struct hy_child_output *output = &a->outputs[i];
        const unsigned char *left = a->bytes + output->offset, *right = b->bytes + output->offset;
        if (output->type == HY_TFLITE_FLOAT32)
            of_floats = fmax(of_floats, float_difference((const void *)left, (const void *)right,
                                                         output->length / sizeof(float)));
        else
            steps = fmax(steps, step_difference(output, left, right));
    }
    if (steps > 0)
        printf(" %g steps |", steps);
    else
        printf(" %.1e |", of_floats);
}

static enum hy_code measure(const char *path, struct hy_child_run *const *runs,
                            struct hy_error *err)
{
    static const char *const name = "HALYARD_CPU_FEATURES";
    enum hy_code code = HY_OK;

    for (size_t i = 0; code == HY_OK && i < COUNT_OF(isa_levels); i++) {
        const struct hy_child_course course = {.device = "halyard-cpu",
                                               .runs = 1,
                                               .names = &name,
                                               .values = &isa_levels[i],
                                               .variable_count = 1};
        code = hy_child_run_network(runs[i], path, &course, err);
    }
    if (code != HY_OK)
        return code;
    const char *slash = strrchr(path, '/');
    printf("| %s |", slash ? slash + 1 : path);
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        print_difference(runs[pairs[i].a], runs[pairs[i].b]);
    printf("\n");
    return HY_OK;
}

static void print_heads(void)
{
    printf("| network |");
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        printf(" %s, %s |", isa_levels[pairs[i].a], isa_levels[pairs[i].b]);
    printf("\n|---|");
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        printf("--:|");
    printf("\n");
}

int main(int argc, char **argv)
{
    struct hy_child_run *runs[COUNT_OF(isa_levels)] = {NULL};
    struct hy_error err;
    int status = EXIT_SUCCESS;

    if (argc < 2) {
        fprintf(stderr, "Usage: level_differences MODEL.tflite...\n");
        return 2;
    }
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        runs[i] = hy_child_run_create();
        if (!runs[i]) {
            fprintf(stderr, "level_differences: no memory\n");
            return EXIT_FAILURE;
        }
    }
    print_heads();
    for (int i = 1; i < argc; i++) {
        if (measure(argv[i], runs, &err) == HY_OK)
            continue;
        fprintf(stderr, "level_differences: %s\n", err.text);
        status = EXIT_FAILURE;
    }
    for (size_t i = 0; i < COUNT_OF(runs); i++)
        hy_child_run_destroy(runs[i]);
    return status;
}
