#include <fts.h>
#include <stdlib.h>

#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "common/random.h"
#include "cpu_fallback/cpu_driver.h"
#include "cpu_fallback/program/op.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/cache_host.h"
#include "tests/unit/cpu_fallback/kit/vector_model.h"

/*
 * Every conformance vector that the CPU driver has operations for: what is restored from cache
 * files gives, bit for bit, what the model gave that was written to them.
 */

struct pass {
    struct hy_cache_host host;
    struct hy_runner runner;
    bool dynamic;       /* outputs without extents */
    bool is_scrambled;  /* the data cache is something else when it is restored */
    uint64_t scrambled; /* bytes of it */
    uint32_t differ;    /* tests that came out otherwise */
    uint32_t run, refused, skipped;
};

/* What came of one execution. */
struct outcome {
    int32_t status;
    struct hy_output_shape shapes[HY_RUNNER_ARGUMENTS];
    uint8_t *outputs[HY_RUNNER_ARGUMENTS];
    uint64_t lengths[HY_RUNNER_ARGUMENTS];
    char message[512];
};

/* What the vector needs of its model, when the model is gone. */
struct arguments {
    const json_t *example;
    uint32_t input_count, output_count;
    int32_t input_types[HY_RUNNER_ARGUMENTS], output_types[HY_RUNNER_ARGUMENTS];
};

static bool has_operations(const json_t *test)
{
    json_t *operation;
    size_t i;

    json_array_foreach(json_object_get(json_object_get(test, "main"), "operations"), i, operation)
    {
        const char *name = json_string_value(json_object_get(operation, "op"));
        if (!hy_cpu_op_find(hy_operation_find(name)->code))
            return false;
    }
    return json_array_size(json_object_get(test, "referenced")) == 0;
}

static struct arguments arguments_of(const json_t *test, const struct hy_builder *builder)
{
    struct arguments arguments = {
        .example = json_array_get(json_object_get(test, "examples"), 0),
        .input_count = builder->input_count,
        .output_count = builder->output_count,
    };

    for (uint32_t i = 0; i < builder->input_count; i++)
        arguments.input_types[i] = builder->operands[builder->inputs[i]].type;
    for (uint32_t i = 0; i < builder->output_count; i++)
        arguments.output_types[i] = builder->operands[builder->outputs[i]].type;
    return arguments;
}

static void execute(struct pass *pass, const struct arguments *arguments, struct outcome *outcome)
{
    void *inputs[HY_RUNNER_ARGUMENTS] = {0};
    uint64_t length;

    hy_runner_clear(&pass->runner);
    for (uint32_t i = 0; i < arguments->input_count; i++) {
        const json_t *values = json_array_get(json_object_get(arguments->example, "inputs"), i);
        if (json_is_null(values)) {
            hy_runner_no_input(&pass->runner);
            continue;
        }
        inputs[i] = hy_vector_values(values, arguments->input_types[i], &length);
        hy_runner_input(&pass->runner, inputs[i], length, 0, NULL);
    }
    for (uint32_t i = 0; i < arguments->output_count; i++) {
        const json_t *values = json_array_get(json_object_get(arguments->example, "outputs"), i);
        length = json_array_size(values) * hy_operand_type_bytes(arguments->output_types[i]);
        outcome->lengths[i] = length ? length : 1;
        outcome->outputs[i] = calloc(outcome->lengths[i], 1);
        hy_runner_output(&pass->runner, outcome->outputs[i], outcome->lengths[i], 0, NULL);
    }
    memset(pass->runner.shapes, 0, sizeof pass->runner.shapes);
    outcome->status = hy_runner_execute(&pass->runner);
    memcpy(outcome->shapes, pass->runner.shapes, sizeof outcome->shapes);
    memcpy(outcome->message, pass->runner.message, sizeof outcome->message);
    for (uint32_t i = 0; i < arguments->input_count; i++)
        free(inputs[i]);
}

static void compare(const char *name, const struct arguments *arguments,
                    const struct outcome *compiled, const struct outcome *restored)
{
    if (compiled->status != restored->status)
        hy_test_fail(__FILE__, __LINE__, "%s: status %d, restored %d (%s)", name, compiled->status,
                     restored->status, restored->message);
    if (compiled->status != HY_STATUS_OK && strcmp(compiled->message, restored->message) != 0)
        hy_test_fail(__FILE__, __LINE__, "%s: \"%s\", restored \"%s\"", name, compiled->message,
                     restored->message);
    if (memcmp(compiled->shapes, restored->shapes, sizeof compiled->shapes) != 0)
        hy_test_fail(__FILE__, __LINE__, "%s: other shapes when restored", name);
    for (uint32_t i = 0; i < arguments->output_count; i++) {
        if (memcmp(compiled->outputs[i], restored->outputs[i], compiled->lengths[i]) != 0)
            hy_test_fail(__FILE__, __LINE__, "%s: output %u differs when restored", name, i);
    }
}

static void free_outputs(const struct arguments *arguments, struct outcome *outcome)
{
    for (uint32_t i = 0; i < arguments->output_count; i++)
        free(outcome->outputs[i]);
}

/* Any bytes at all: each test other ones. */
static void scramble(struct pass *pass)
{
    struct hy_random random = {pass->run};

    for (uint64_t i = 0; i < pass->host.data_length; i++)
        pass->host.data[i] = pass->run % 4 == 0 ? 0xff : (uint8_t)hy_random_next(&random);
    pass->scrambled += pass->host.data_length;
}

static bool is_same(const struct arguments *arguments, const struct outcome *a,
                    const struct outcome *b)
{
    for (uint32_t i = 0; i < arguments->output_count; i++) {
        if (memcmp(a->outputs[i], b->outputs[i], a->lengths[i]) != 0)
            return false;
    }
    return a->status == b->status;
}

static void run_restored(const char *name, const struct arguments *arguments,
                         const struct outcome *compiled, struct pass *pass)
{
    static struct outcome restored;

    if (pass->is_scrambled)
        scramble(pass);
    int32_t status = hy_cache_host_restore(&pass->runner);
    if (status != HY_STATUS_OK)
        hy_test_fail(__FILE__, __LINE__, "%s: not restored, status %d: %s", name, status,
                     pass->runner.message);
    for (uint32_t i = 0; i < 2 && status == HY_STATUS_OK; i++) {
        execute(pass, arguments, &restored);
        if (!pass->is_scrambled)
            compare(name, arguments, compiled, &restored);
        else if (i == 0)
            pass->differ += !is_same(arguments, compiled, &restored);
        free_outputs(arguments, &restored);
    }
}

/* The model and its memory are gone when it is restored. */
static void run_test(const json_t *test, struct pass *pass)
{
    static struct outcome compiled;
    const char *name = json_string_value(json_object_get(test, "name"));
    const uint32_t saved = pass->host.saved;
    struct hy_builder builder;

    if (!has_operations(test)) {
        pass->skipped++;
        return;
    }
    hy_builder_init(&builder);
    REQUIRE(hy_vector_build(test, pass->dynamic, &builder));
    const struct arguments arguments = arguments_of(test, &builder);
    const bool is_prepared =
        hy_cache_host_prepare(&pass->runner, hy_builder_model(&builder)) == HY_STATUS_OK;
    if (is_prepared && pass->host.saved != saved + 1)
        hy_test_fail(__FILE__, __LINE__, "%s: not saved", name);
    if (is_prepared)
        execute(pass, &arguments, &compiled);
    hy_builder_finish(&builder);
    if (is_prepared) {
        run_restored(name, &arguments, &compiled, pass);
        free_outputs(&arguments, &compiled);
    }
    pass->run += is_prepared;
    pass->refused += !is_prepared;
}

static void run_file(const char *path, struct pass *pass)
{
    json_error_t error;
    json_t *file = json_load_file(path, 0, &error);
    json_t *test;
    size_t i;

    if (!file) {
        hy_test_fail(__FILE__, __LINE__, "%s: %s", path, error.text);
        return;
    }
    json_array_foreach(json_object_get(file, "tests"), i, test) run_test(test, pass);
    json_decref(file);
}

static void run_all(bool dynamic, bool is_scrambled, enum hy_cache_memory memory)
{
    const char *shared = hy_test_shared_dir();
    static struct pass pass;
    char root[1024];

    if (!shared)
        return;
    snprintf(root, sizeof root, "%s/conformance", shared);
    char *roots[] = {root, NULL};
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOSTAT, NULL);
    REQUIRE(walk);
    pass = (struct pass){.dynamic = dynamic, .is_scrambled = is_scrambled};
    hy_cache_host_init(&pass.host);
    pass.host.memory = memory;
    EXPECT_INT(hy_runner_open_on(&pass.runner, &pass.host.host, hy_cpu_driver(), 0), HY_STATUS_OK);
    for (FTSENT *entry; (entry = fts_read(walk));) {
        const char *dot = strrchr(entry->fts_name, '.');
        if (entry->fts_info != FTS_D && entry->fts_info != FTS_DP && dot &&
            strcmp(dot, ".json") == 0)
            run_file(entry->fts_path, &pass);
    }
    fts_close(walk);
    hy_runner_close(&pass.runner);
    EXPECT_INT(pass.host.released, pass.host.restored);
    EXPECT_INT(pass.host.restored, pass.run);
    hy_cache_host_finish(&pass.host);
    printf("cached%s: %u run, %u refused, %u skipped\n",
           dynamic ? ", outputs of unknown shape" : "", pass.run, pass.refused, pass.skipped);
    EXPECT(pass.run > 500);
    if (is_scrambled) {
        printf("%llu bytes scrambled, %u tests came out otherwise\n",
               (unsigned long long)pass.scrambled, pass.differ);
        EXPECT(pass.differ > 10);
    }
}

TEST(cpu_cache_vectors, restored_models_give_the_same_bits)
{
    run_all(false, false, HY_CACHE_PAGES);
}

TEST(cpu_cache_vectors, restored_models_give_the_same_bits_with_outputs_of_unknown_shape)
{
    run_all(true, false, HY_CACHE_HEAP);
}

/* With a digest that vouches for them nothing else would stop such files. */
TEST(cpu_cache_vectors, any_bytes_as_data_give_wrong_numbers_and_nothing_worse)
{
    run_all(false, true, HY_CACHE_HEAP);
    run_all(true, true, HY_CACHE_PAGES);
}
