#include <android/NeuralNetworks.h>
#include <halyard/halyard.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "common/operations/shape.h"
#include "tests/fuzz/corrupted_vector.h"
#include "tools/api_result.h"
#include "tools/vectors/build.h"
#include "tools/vectors/files.h"

/*
 * Tests of all operations with a few wrong numbers in them, on both CPU devices. Whatever happens
 * is a result, never a crash, and the same one on both: what the reference refuses, fast kernels
 * refuse; what it takes, they take, to the same shapes, in integers to the same bits, and nearly
 * to the same floats.
 *
 *     fuzz_operations FOLDER [ROUNDS]        vectors of the folder, the same in every run
 *     fuzz_operations FOLDER --seconds N     others, for so long
 *     fuzz_operations FOLDER --seed N        that round alone, with words
 */
enum {
    DEFAULT_ROUNDS = 20000,
    OUTPUT_BYTES = 16384,
    MOST_OUTPUTS = 8,
    MOST_SECONDS = 60,
    UNTOUCHED = 0x5a
};

/* Nobody waits for loops that never end, nor for the 4 GiB that extents may ask for between two
 * operations. */
#define LOOP_TIMEOUT_NS 1000000u
#define TIMEOUT_NS      UINT64_C(2000000000)

/* What a device makes of a spoiled test. */
struct outcome {
    enum hy_code code;
    struct hy_error reason;
    struct hy_shape shapes[MOST_OUTPUTS];
    uint8_t *outputs[MOST_OUTPUTS];
};

/* Memory of just its size: a sanitizer sees a read behind the end. NULL: of nothing. */
static void *own_copy(const struct hy_vector_value *value)
{
    void *copy = value->length ? malloc(value->length) : NULL;

    if (value->length > 0 && !copy)
        abort();
    return copy ? memcpy(copy, value->bytes, value->length) : NULL;
}

static enum hy_code set_arguments(ANeuralNetworksExecution *execution,
                                  const struct hy_vector *vector, void *const *inputs,
                                  struct outcome *outcome)
{
    const struct hy_vector_model *model = &vector->models[0];
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < model->inputs.count; i++)
        code =
            hy_api_result(ANeuralNetworksExecution_setInput(execution, (int32_t)i, NULL, inputs[i],
                                                            vector->examples[0].inputs[i].length),
                          "Execution_setInput", &outcome->reason);
    for (uint32_t i = 0; code == HY_OK && i < model->outputs.count; i++)
        code = hy_api_result(ANeuralNetworksExecution_setOutput(execution, (int32_t)i, NULL,
                                                                outcome->outputs[i], OUTPUT_BYTES),
                             "Execution_setOutput", &outcome->reason);
    return code;
}

static void read_shapes(ANeuralNetworksExecution *execution, uint32_t count,
                        struct outcome *outcome)
{
    for (uint32_t i = 0; i < count; i++) {
        struct hy_shape *shape = &outcome->shapes[i];
        if (ANeuralNetworksExecution_getOutputOperandRank(execution, (int32_t)i, &shape->rank) !=
                ANEURALNETWORKS_NO_ERROR ||
            shape->rank > HY_MAX_RANK)
            shape->rank = 0;
        if (shape->rank > 0)
            (void)ANeuralNetworksExecution_getOutputOperandDimensions(execution, (int32_t)i,
                                                                      shape->dims);
    }
}

static enum hy_code execute(ANeuralNetworksCompilation *compilation, const struct hy_vector *vector,
                            struct outcome *outcome)
{
    const uint32_t input_count = vector->models[0].inputs.count;
    ANeuralNetworksExecution *execution = NULL;
    void **inputs = calloc(input_count + 1, sizeof *inputs);

    if (!inputs)
        abort();
    enum hy_code code = hy_api_result(ANeuralNetworksExecution_create(compilation, &execution),
                                      "Execution_create", &outcome->reason);

    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksExecution_setLoopTimeout(execution, LOOP_TIMEOUT_NS),
                             "Execution_setLoopTimeout", &outcome->reason);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksExecution_setTimeout(execution, TIMEOUT_NS),
                             "Execution_setTimeout", &outcome->reason);
    for (uint32_t i = 0; i < input_count; i++)
        inputs[i] = own_copy(&vector->examples[0].inputs[i]);
    if (code == HY_OK)
        code = set_arguments(execution, vector, inputs, outcome);
    if (code == HY_OK) {
        code = hy_api_result(ANeuralNetworksExecution_compute(execution), "Execution_compute",
                             &outcome->reason);
        if (code == HY_OK || code == HY_INSUFFICIENT_SIZE)
            read_shapes(execution, vector->models[0].outputs.count, outcome);
    }
    ANeuralNetworksExecution_free(execution);
    for (uint32_t i = 0; i < input_count; i++)
        free(inputs[i]);
    free(inputs);
    return code;
}

static void run_on(const ANeuralNetworksDevice *device, const struct hy_vector_build *build,
                   const struct hy_vector *vector, struct outcome *outcome)
{
    const struct hy_device_selection selection = {.by_name = true, .count = 1, .devices = {device}};
    ANeuralNetworksCompilation *compilation = NULL;

    for (uint32_t i = 0; i < MOST_OUTPUTS; i++)
        memset(outcome->outputs[i], UNTOUCHED, OUTPUT_BYTES);
    outcome->code =
        hy_vector_build_compile(build, &selection, NULL, &compilation, &outcome->reason);
    if (outcome->code == HY_OK)
        outcome->code = execute(compilation, vector, outcome);
    ANeuralNetworksCompilation_free(compilation);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

#define MOST_SMALL 16.0

/* The reals that outputs are compared as within a tolerance; those of 16 bits are not compared. */
static bool is_wide_real(int32_t type)
{
    return type == ANEURALNETWORKS_TENSOR_FLOAT32 || type == HY_TENSOR_FLOAT64;
}

static bool is_narrow_real(int32_t type)
{
    return type == ANEURALNETWORKS_TENSOR_FLOAT16 || type == HY_TENSOR_BFLOAT16;
}

/* Of float32 or float64. */
static double real_at(int32_t type, const void *bytes, uint64_t index)
{
    const uint8_t *all = bytes;
    double wide;
    float real;

    if (type == HY_TENSOR_FLOAT64) {
        memcpy(&wide, all + index * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&real, all + index * sizeof real, sizeof real);
    return (double)real;
}

static bool are_small(int32_t type, const struct hy_vector_value *value)
{
    if (!is_wide_real(type) && type != ANEURALNETWORKS_FLOAT32)
        return true;
    for (uint32_t i = 0; i < value->count; i++) {
        if (!(fabs(real_at(type, value->bytes, i)) <= MOST_SMALL))
            return false;
    }
    return true;
}

/* Else floats may differ: zeros of a padding are multiplied by infinity or not, and sums of huge
 * numbers that cancel each other out depend on their order. */
static bool has_small_numbers(const struct hy_vector *vector)
{
    const struct hy_vector_model *model = &vector->models[0];
    bool has = true;

    for (uint32_t m = 0; m < vector->model_count; m++) {
        const struct hy_vector_model *any = &vector->models[m];
        for (uint32_t i = 0; i < any->operand_count; i++)
            has = has && are_small(any->operands[i].type, &any->operands[i].value);
    }
    for (uint32_t i = 0; i < model->inputs.count; i++)
        has = has && are_small(model->operands[model->inputs.items[i]].type,
                               &vector->examples[0].inputs[i]);
    return has;
}

static bool is_recurrent(const struct hy_vector_model *model)
{
    for (uint32_t i = 0; i < model->operation_count; i++) {
        switch (model->operations[i].type) {
        case HY_OP_RNN:
        case HY_OP_UNIDIRECTIONAL_SEQUENCE_RNN:
        case HY_OP_BIDIRECTIONAL_SEQUENCE_RNN:
        case HY_OP_LSTM:
        case HY_OP_UNIDIRECTIONAL_SEQUENCE_LSTM:
        case HY_OP_BIDIRECTIONAL_SEQUENCE_LSTM:
            return true;
        default:
            break;
        }
    }
    return false;
}

/* Parts of the largest output by which others may be off. Large recurrent weights enlarge what
 * rounding leaves with each step. */
static double tolerance_of(const struct hy_vector_model *model)
{
    return is_recurrent(model) ? 1e-2 : 1e-4;
}

/* Unless the reference overflows. */
static bool are_close(int32_t type, const void *got, const void *reference, uint64_t count,
                      double tolerance)
{
    double largest = 1;

    for (uint64_t i = 0; i < count; i++) {
        const double should = real_at(type, reference, i);
        if (!isfinite(should))
            return true;
        if (fabs(should) > largest)
            largest = fabs(should);
    }
    for (uint64_t i = 0; i < count; i++) {
        const double off = real_at(type, got, i) - real_at(type, reference, i);
        if (!(fabs(off) <= tolerance * largest))
            return false;
    }
    return true;
}

/* Functions of the extension whose int16 results are within one step: vectors of float32 differ in
 * the last bits from what one number gives. */
static bool is_function(const struct hy_vector_model *model)
{
    for (uint32_t i = 0; i < model->operation_count; i++) {
        switch (model->operations[i].type) {
        case HY_EXT_EXP:
        case HY_EXT_LOG:
        case HY_EXT_RSQRT:
        case HY_EXT_SIN:
        case HY_EXT_COS:
        case HY_EXT_ERF:
        case HY_EXT_LOGISTIC:
        case HY_EXT_TANH:
        case HY_EXT_ELU:
        case HY_EXT_GELU:
        case HY_EXT_SOFTMAX:
        case HY_EXT_LOG_SOFTMAX:
        case HY_EXT_L2_NORMALIZATION:
            return true;
        default:
            break;
        }
    }
    return false;
}

static bool are_within_a_step(const void *got, const void *reference, uint64_t count)
{
    const int16_t *is = got, *should = reference;

    for (uint64_t i = 0; i < count; i++) {
        if (abs(is[i] - should[i]) > 1)
            return false;
    }
    return true;
}

/* Which input has the seeds of an operation that draws random numbers; UINT32_MAX: it draws none.
 */
static uint32_t seeds_input(int32_t operation)
{
    switch (operation) {
    case HY_OP_RANDOM_MULTINOMIAL:
    case HY_EXT_MULTINOMIAL:
        return 2;
    case HY_EXT_RANDOM_UNIFORM:
    case HY_EXT_RANDOM_NORMAL:
        return 1;
    default:
        return UINT32_MAX;
    }
}

/* The value of an operand of the main model; NULL: an operation computes it. */
static const struct hy_vector_value *value_of(const struct hy_vector *vector, uint32_t operand)
{
    const struct hy_vector_model *model = &vector->models[0];

    for (uint32_t i = 0; i < model->inputs.count; i++) {
        if (model->inputs.items[i] == operand)
            return &vector->examples[0].inputs[i];
    }
    return model->operands[operand].value.length > 0 ? &model->operands[operand].value : NULL;
}

static bool are_zeros(const struct hy_vector_value *seeds)
{
    const uint8_t *bytes = seeds->bytes;
    bool all = true;

    for (size_t i = 0; i < seeds->length; i++)
        all = all && bytes[i] == 0;
    return all;
}

/* Two seeds of 0 ask for other numbers in every run. */
static bool draws_anew(const struct hy_vector *vector)
{
    const struct hy_vector_model *model = &vector->models[0];

    for (uint32_t i = 0; i < model->operation_count; i++) {
        const struct hy_vector_operation *operation = &model->operations[i];
        const uint32_t input = seeds_input(operation->type);
        if (input >= operation->inputs.count)
            continue;
        const struct hy_vector_value *seeds = value_of(vector, operation->inputs.items[input]);
        if (!seeds || are_zeros(seeds))
            return true;
    }
    return false;
}

/* Whether an output of numbers that are no reals is what the reference gives. */
static bool are_equal(const struct hy_vector_model *model, int32_t type, const void *got,
                      const void *reference, uint64_t bytes)
{
    if (type == ANEURALNETWORKS_TENSOR_QUANT16_SYMM && is_function(model))
        return are_within_a_step(got, reference, bytes / sizeof(int16_t));
    return memcmp(got, reference, bytes) == 0;
}

/* Whether nothing stands behind the first `length` bytes of an output. */
static bool is_untouched(const uint8_t *output, uint64_t length)
{
    for (uint64_t i = length; i < OUTPUT_BYTES; i++) {
        if (output[i] != UNTOUCHED)
            return false;
    }
    return true;
}

/* What is wrong, or NULL. */
static const char *compare(const struct hy_vector *vector, const struct outcome *fast,
                           const struct outcome *reference)
{
    const struct hy_vector_model *model = &vector->models[0];
    const bool has_floats = has_small_numbers(vector), is_random = draws_anew(vector);

    if (fast->code == HY_MISSED_DEADLINE || reference->code == HY_MISSED_DEADLINE)
        return NULL; /* who was quicker is no matter */
    if (fast->code != reference->code)
        return "they do not agree whether it can be done";
    if (fast->code != HY_OK && fast->code != HY_INSUFFICIENT_SIZE)
        return NULL;
    for (uint32_t i = 0; i < model->outputs.count; i++) {
        const int32_t type = model->operands[model->outputs.items[i]].type;
        uint64_t bytes;
        if (!hy_shape_equal(&fast->shapes[i], &reference->shapes[i]))
            return "they do not agree on a shape";
        if (fast->code != HY_OK ||
            !hy_shape_bytes(&fast->shapes[i], hy_operand_type_bytes(type), &bytes))
            continue;
        if (!is_untouched(fast->outputs[i], bytes) || !is_untouched(reference->outputs[i], bytes))
            return "something is written behind an output";
        if (is_random)
            continue;
        if (is_wide_real(type) && has_floats &&
            !are_close(type, fast->outputs[i], reference->outputs[i],
                       bytes / hy_operand_type_bytes(type), tolerance_of(model)))
            return "they do not agree on a float";
        if (!is_wide_real(type) && !is_narrow_real(type) &&
            !are_equal(model, type, fast->outputs[i], reference->outputs[i], bytes))
            return "they do not agree on a number";
    }
    return NULL;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

struct campaign {
    struct hy_vector_files files;
    uint32_t count; /* of tests */
    struct hy_device_selection devices;
    struct outcome outcomes[2];
    bool is_loud;
    uint64_t tally[HY_DEAD + 1]; /* of codes */
};

static const struct hy_vector *test_at(const struct campaign *campaign, uint32_t index)
{
    uint32_t file = 0;

    while (index >= campaign->files.files[file].count)
        index -= campaign->files.files[file++].count;
    return &campaign->files.files[file].vectors[index];
}

static void print_difference(const struct campaign *campaign, uint64_t seed,
                             const struct hy_vector *vector, const char *wrong)
{
    fprintf(stderr, "seed %llu: %s%s%s\n", (unsigned long long)seed, vector->name,
            wrong ? ": " : "", wrong ? wrong : "");
    for (uint32_t i = 0; i < 2; i++)
        fprintf(stderr, "  %s: %s %s\n", hy_device_name(campaign->devices.devices[i]),
                hy_code_name(campaign->outcomes[i].code), campaign->outcomes[i].reason.text);
}

/* What runs, for the one who ends it. */
static char watched[128];

static void end_hanging(int signal)
{
    (void)signal;
    if (write(STDERR_FILENO, watched, strlen(watched)) < 0)
        _exit(2);
    _exit(1);
}

static void watch(uint64_t seed, const struct hy_vector *vector, uint32_t device)
{
    snprintf(watched, sizeof watched, "seed %llu: %.60s: device %u takes over %d s\n",
             (unsigned long long)seed, vector->name, device, MOST_SECONDS);
    alarm(MOST_SECONDS);
}

/* True: all is well. */
static bool run_round(struct campaign *campaign, uint64_t seed)
{
    struct hy_random chance = {seed};
    struct hy_arena arena = {0};
    struct hy_vector_build build = {0};
    struct outcome *outcomes = campaign->outcomes;
    struct hy_vector vector;
    struct hy_error err;
    const char *wrong = NULL;

    const struct hy_vector *test = test_at(campaign, hy_random_below(&chance, campaign->count));
    hy_vector_corrupt(test, &chance, &arena, &vector);
    if (vector.models[0].outputs.count <= MOST_OUTPUTS &&
        hy_vector_build_make(&vector, &build, &err) == HY_OK) {
        for (uint32_t i = 0; i < 2; i++) {
            outcomes[i].reason.text[0] = '\0';
            watch(seed, &vector, i);
            run_on(campaign->devices.devices[i], &build, &vector, &outcomes[i]);
            alarm(0);
        }
        campaign->tally[outcomes[0].code]++;
        wrong = compare(&vector, &outcomes[0], &outcomes[1]);
        if (wrong || campaign->is_loud)
            print_difference(campaign, seed, &vector, wrong);
    } else {
        campaign->tally[HY_BAD_DATA]++;
    }
    hy_vector_build_finish(&build);
    hy_arena_finish(&arena);
    return !wrong;
}

static uint64_t run_rounds(struct campaign *campaign, uint64_t first, uint64_t count,
                           uint64_t seconds)
{
    const uint64_t end = hy_clock_now() + seconds * 1000000000u;
    uint64_t failures = 0, done = 0;

    for (; seconds > 0 ? hy_clock_now() < end : done < count; done++)
        failures += !run_round(campaign, first + done);
    printf("%llu rounds", (unsigned long long)done);
    for (int code = 0; code <= HY_DEAD; code++) {
        if (campaign->tally[code] > 0)
            printf(", %llu %s", (unsigned long long)campaign->tally[code], hy_code_name(code));
    }
    printf("; %llu wrong\n", (unsigned long long)failures);
    return failures;
}

static enum hy_code set_up(struct campaign *campaign, const char *dir, struct hy_error *err)
{
    const struct hy_option_list names = {.count = 2, .items = {"halyard-cpu", "nnapi-reference"}};
    enum hy_code code = hy_vector_files_add(&campaign->files, dir, err);

    for (uint32_t i = 0; i < campaign->files.count; i++)
        campaign->count += campaign->files.files[i].count;
    if (code == HY_OK && campaign->count == 0)
        code = hy_fail(err, HY_BAD_DATA, "%s: no tests", dir);
    if (code == HY_OK)
        code = hy_device_selection_make(&names, &campaign->devices, err);
    for (uint32_t i = 0; i < 2 * MOST_OUTPUTS && code == HY_OK; i++) {
        uint8_t *bytes = malloc(OUTPUT_BYTES);
        campaign->outcomes[i / MOST_OUTPUTS].outputs[i % MOST_OUTPUTS] = bytes;
        if (!bytes)
            code = hy_fail(err, HY_OUT_OF_MEMORY, "outputs");
    }
    return code;
}

int main(int argc, char **argv)
{
    struct campaign campaign = {0};
    struct hy_error err;
    const struct sigaction hanging = {.sa_handler = end_hanging};
    const char *option = argc > 3 ? argv[2] : "";
    const uint64_t number = argc > 2 ? strtoull(argv[argc - 1], NULL, 10) : DEFAULT_ROUNDS;
    uint64_t failures = 0;

    if (argc < 2) {
        fprintf(stderr, "usage: fuzz_operations FOLDER [ROUNDS | --seconds N | --seed N]\n");
        return 2;
    }
    sigaction(SIGALRM, &hanging, NULL);
    enum hy_code code = set_up(&campaign, argv[1], &err);
    if (code != HY_OK) {
        fprintf(stderr, "fuzz_operations: %s\n", err.text);
    } else if (strcmp(option, "--seed") == 0) {
        campaign.is_loud = true;
        failures = run_rounds(&campaign, number, 1, 0);
    } else if (strcmp(option, "--seconds") == 0) {
        failures = run_rounds(&campaign, hy_clock_now(), 0, number);
    } else {
        failures = run_rounds(&campaign, 1, number, 0);
    }
    for (uint32_t i = 0; i < 2 * MOST_OUTPUTS; i++)
        free(campaign.outcomes[i / MOST_OUTPUTS].outputs[i % MOST_OUTPUTS]);
    hy_vector_files_finish(&campaign.files);
    return code != HY_OK || failures > 0;
}
