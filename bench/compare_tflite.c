/*
 * compare_tflite: one inference in Halyard and in TensorFlow Lite, model by model, on one thread.
 * Prints a Markdown table. docs/performance.md says how to read it.
 */
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/inference.h"
#include "bench/race.h"
#include "bench/tflite_peer.h"

enum racer { BUILT_IN, XNNPACK, FAST, REFERENCE, RACER_COUNT };

struct arguments {
    const char *library;
    struct hy_race_rules rules;
    bool with_reference;
};

/* All that takes part for one model; what is not used is NULL. */
struct field {
    struct hy_tflite_peer *peers[2]; /* by BUILT_IN, XNNPACK */
    struct hy_inference *fast;
    struct hy_inference *reference;
};

static enum hy_code run_peer(void *self, struct hy_error *err)
{
    return hy_tflite_peer_run(self, err);
}

static enum hy_code run_halyard(void *self, struct hy_error *err)
{
    return hy_inference_run(self, HY_INFERENCE_REUSED, err);
}

static void close_field(struct field *field)
{
    hy_tflite_peer_close(field->peers[BUILT_IN]);
    hy_tflite_peer_close(field->peers[XNNPACK]);
    hy_inference_destroy(field->fast);
    hy_inference_destroy(field->reference);
}

static enum hy_code open_halyard(const char *model, const char *device, struct hy_inference **out,
                                 struct hy_error *err)
{
    const struct hy_inference_options options = {.device = device};
    return hy_inference_open(model, &options, out, err);
}

static enum hy_code open_field(const struct arguments *arguments, const char *model,
                               struct field *field, struct hy_error *err)
{
    enum hy_code code = hy_tflite_peer_open(arguments->library, model, HY_TFLITE_BUILT_IN,
                                            &field->peers[BUILT_IN], err);
    if (code == HY_OK)
        code = hy_tflite_peer_open(arguments->library, model, HY_TFLITE_XNNPACK,
                                   &field->peers[XNNPACK], err);
    if (code == HY_OK)
        code = open_halyard(model, "halyard-cpu", &field->fast, err);
    if (code == HY_OK && arguments->with_reference)
        code = open_halyard(model, "nnapi-reference", &field->reference, err);
    return code;
}

/* ---- The same input for all ------------------------------------------------------------------ */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Uniform noise: floats in [0, 1), any byte for the other types. */
static void fill_random(const struct hy_tflite_tensor *tensor, void *buffer, uint64_t *state)
{
    if (tensor->type == HY_TFLITE_FLOAT32) {
        float *values = buffer;
        for (uint64_t i = 0; i < tensor->bytes / sizeof *values; i++)
            values[i] = (float)(next_random(state) >> 40) * 0x1p-24f;
    } else {
        uint8_t *values = buffer;
        for (uint64_t i = 0; i < tensor->bytes; i++)
            values[i] = (uint8_t)(next_random(state) >> 56);
    }
}

static enum hy_code give_to_peer(struct hy_tflite_peer *peer, uint32_t index, const void *values,
                                 uint64_t length, struct hy_error *err)
{
    size_t bytes = 0;
    void *input = hy_tflite_peer_input(peer, (int)index, &bytes);
    if (bytes != length)
        return hy_fail(err, HY_FAILED, "input %u: %zu bytes there, %llu here", index, bytes,
                       (unsigned long long)length);
    memcpy(input, values, bytes);
    return HY_OK;
}

static enum hy_code fill_inputs(const struct field *field, struct hy_error *err)
{
    uint64_t state = 0x68616c79617264;
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < hy_inference_input_count(field->fast); i++) {
        const struct hy_tflite_tensor *tensor = hy_inference_input_tensor(field->fast, i);
        void *values = hy_inference_input(field->fast, i);
        fill_random(tensor, values, &state);
        if (field->reference)
            memcpy(hy_inference_input(field->reference, i), values, (size_t)tensor->bytes);
        code = give_to_peer(field->peers[BUILT_IN], i, values, tensor->bytes, err);
        if (code == HY_OK)
            code = give_to_peer(field->peers[XNNPACK], i, values, tensor->bytes, err);
    }
    return code;
}

/* ---- Do they agree? -------------------------------------------------------------------------- */

static double element(const struct hy_tflite_tensor *tensor, const void *values, uint64_t index)
{
    switch (tensor->type) {
    case HY_TFLITE_FLOAT32:
        return ((const float *)values)[index];
    case HY_TFLITE_INT8:
        return ((const int8_t *)values)[index];
    default:
        return ((const uint8_t *)values)[index];
    }
}

/*
 * The largest difference to the built-in kernels over all outputs: in steps for quantised models,
 * else as a part of the largest output.
 */
static enum hy_code compare_outputs(const struct field *field, double *difference,
                                    struct hy_error *err)
{
    *difference = 0;
    for (uint32_t k = 0; k < hy_inference_output_count(field->fast); k++) {
        const struct hy_tflite_tensor *tensor = hy_inference_output_tensor(field->fast, k);
        const void *own = hy_inference_output(field->fast, k);
        size_t bytes = 0;
        const void *theirs = hy_tflite_peer_output(field->peers[BUILT_IN], (int)k, &bytes);
        if (bytes != tensor->bytes)
            return hy_fail(err, HY_FAILED, "output %u: %zu bytes there, %llu here", k, bytes,
                           (unsigned long long)tensor->bytes);
        const bool is_float = tensor->type == HY_TFLITE_FLOAT32;
        double largest = 0, apart = 0;
        for (uint64_t i = 0; i < tensor->bytes / (is_float ? sizeof(float) : 1); i++) {
            const double value = element(tensor, theirs, i);
            largest = fmax(largest, fabs(value));
            apart = fmax(apart, fabs(element(tensor, own, i) - value));
        }
        *difference = fmax(*difference, is_float && largest > 0 ? apart / largest : apart);
    }
    return HY_OK;
}

/* ---- The table ------------------------------------------------------------------------------- */

/* A time to three digits or more, without an exponent. */
static void print_time(double us)
{
    printf(" %.*f |", us < 10 ? 2 : us < 100 ? 1 : 0, us);
}

static void print_head(bool with_reference)
{
    printf("| model | TFLite built-in | TFLite XNNPACK | halyard-cpu | / built-in | / XNNPACK "
           "| difference |%s\n",
           with_reference ? " nnapi-reference |" : "");
    printf("|---|--:|--:|--:|--:|--:|--:|%s\n", with_reference ? "--:|" : "");
}

static void print_row(const char *model, const struct hy_racer *racers, const char *difference,
                      bool with_reference)
{
    const char *slash = strrchr(model, '/');
    const double fast = racers[FAST].median_us;
    printf("| %s |", slash ? slash + 1 : model);
    print_time(racers[BUILT_IN].median_us);
    print_time(racers[XNNPACK].median_us);
    print_time(fast);
    printf(" %.2f | %.2f | %s |", fast / racers[BUILT_IN].median_us,
           fast / racers[XNNPACK].median_us, difference);
    if (with_reference)
        print_time(racers[REFERENCE].median_us);
    printf("\n");
    fflush(stdout);
}

static enum hy_code race_and_print(const struct arguments *arguments, const char *model,
                                   const struct field *field, struct hy_error *err)
{
    struct hy_racer racers[RACER_COUNT] = {
        [BUILT_IN] = {.run = run_peer, .self = field->peers[BUILT_IN]},
        [XNNPACK] = {.run = run_peer, .self = field->peers[XNNPACK]},
        [FAST] = {.run = run_halyard, .self = field->fast},
        [REFERENCE] = {.run = run_halyard, .self = field->reference},
    };
    const uint32_t count = arguments->with_reference ? RACER_COUNT : REFERENCE;
    double difference = 0;
    enum hy_code code = fill_inputs(field, err);
    if (code == HY_OK)
        code = hy_race(racers, count, &arguments->rules, err);
    if (code == HY_OK)
        code = compare_outputs(field, &difference, err);
    if (code != HY_OK)
        return code;

    const bool is_float = hy_inference_output_tensor(field->fast, 0)->type == HY_TFLITE_FLOAT32;
    char words[32];
    snprintf(words, sizeof words, is_float ? "%.1e" : "%.0f steps", difference);
    print_row(model, racers, words, arguments->with_reference);
    /* A tenth of the range: more is not another rounding but another answer. */
    if (difference > (is_float ? 0.1 : 25.5))
        return hy_fail(err, HY_FAILED, "the outputs disagree: %s", words);
    return HY_OK;
}

static enum hy_code compare_model(const struct arguments *arguments, const char *model,
                                  struct hy_error *err)
{
    struct field field = {0};
    enum hy_code code = open_field(arguments, model, &field, err);
    if (code == HY_OK)
        code = race_and_print(arguments, model, &field, err);
    close_field(&field);
    return code;
}

static void print_usage(FILE *to)
{
    fprintf(to, "usage: compare_tflite [--rounds N] [--round-ms N] [--reference] "
                "LIBTENSORFLOWLITE_C.SO MODEL...\n");
}

static bool parse(int argc, char **argv, struct arguments *arguments)
{
    static const struct option options[] = {
        {"rounds", required_argument, NULL, 'n'},
        {"round-ms", required_argument, NULL, 't'},
        {"reference", no_argument, NULL, 'r'},
        {0},
    };
    *arguments = (struct arguments){.rules = {.rounds = 21, .round_time = 0.02}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'n')
            arguments->rules.rounds = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 't')
            arguments->rules.round_time = strtod(optarg, NULL) * 1e-3;
        else if (option == 'r')
            arguments->with_reference = true;
        else
            return false;
    }
    if (argc - optind < 2)
        return false;
    arguments->library = argv[optind];
    return true;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    if (!parse(argc, argv, &arguments)) {
        print_usage(stderr);
        return 2;
    }
    setenv("HALYARD_CPU_THREADS", "1", 1); /* as many as the peer has */

    int status = 0;
    printf("Times of one inference in microseconds, medians of %u rounds of at least %g ms.\n\n",
           arguments.rules.rounds, arguments.rules.round_time * 1e3);
    print_head(arguments.with_reference);
    for (int i = optind + 1; i < argc; i++) {
        struct hy_error err = {0};
        if (compare_model(&arguments, argv[i], &err) != HY_OK) {
            fprintf(stderr, "compare_tflite: %s: %s\n", argv[i], err.text);
            status = 1;
        }
    }
    return status;
}
