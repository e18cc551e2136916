#include <android/NeuralNetworksTypes.h>
#include <fts.h>
#include <stdlib.h>

#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "cpu_fallback/program/op.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/vector_model.h"

/* Every conformance vector that the CPU driver has operations for, straight through its table. */

struct pass {
    struct hy_runner runner;
    bool dynamic; /* outputs without extents */
    uint32_t run, refused, skipped;
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

static bool is_relaxed(const json_t *test)
{
    json_t *operand;
    size_t i;

    json_array_foreach(json_object_get(json_object_get(test, "main"), "operands"), i, operand)
    {
        if (strcmp(json_string_value(json_object_get(operand, "type")), "TENSOR_FLOAT16") == 0)
            return true;
    }
    return json_is_true(json_object_get(test, "is_relaxed"));
}

static const json_t *operand_of(const json_t *test, uint32_t index)
{
    return json_array_get(json_object_get(json_object_get(test, "main"), "operands"), index);
}

static const json_t *example_of(const json_t *test, const char *side, uint32_t index)
{
    const json_t *example = json_array_get(json_object_get(test, "examples"), 0);

    return json_array_get(json_object_get(example, side), index);
}

static void check_output(const json_t *test, const struct hy_builder *builder, uint32_t index,
                         const struct pass *pass, const void *data)
{
    const char *name = json_string_value(json_object_get(test, "name"));
    const json_t *operand = operand_of(test, builder->outputs[index]);
    const struct hy_output_shape *shape = &pass->runner.shapes[index];
    struct hy_builder_type want = hy_vector_type(operand);
    double actual = 0, expected = 0;

    if (json_is_true(json_object_get(operand, "ignored")))
        return;
    if (shape->rank != want.rank || memcmp(shape->dims, want.dims, sizeof want.dims) != 0)
        hy_test_fail(__FILE__, __LINE__, "%s: output %u has the wrong shape", name, index);
    int64_t at = hy_vector_compare(example_of(test, "outputs", index), want.type, is_relaxed(test),
                                   data, &actual, &expected);
    if (at >= 0)
        hy_test_fail(__FILE__, __LINE__, "%s: output %u, element %lld is %g, expected %g", name,
                     index, (long long)at, actual, expected);
}

static void check_outputs(const json_t *test, const struct hy_builder *builder,
                          const struct pass *pass, void *const *outputs)
{
    for (uint32_t i = 0; i < builder->output_count; i++)
        check_output(test, builder, i, pass, outputs[i]);
}

/* The same request once more, by the driver's reusable: it comes out the same, each time. */
static int32_t execute_reused(const json_t *test, const struct hy_builder *builder,
                              struct pass *pass, void *const *outputs)
{
    void *reusable = NULL;
    int32_t status = hy_runner_reuse(&pass->runner, &reusable);

    for (uint32_t run = 0; run < 2 && status == HY_STATUS_OK; run++) {
        for (uint32_t i = 0; i < builder->output_count; i++)
            memset(outputs[i], 0x5a, pass->runner.pools[HY_RUNNER_ARGUMENTS + i].size);
        status = hy_runner_execute_reused(&pass->runner, reusable);
        if (status == HY_STATUS_OK)
            check_outputs(test, builder, pass, outputs);
    }
    if (reusable)
        pass->runner.table->reusable_destroy(reusable);
    return status;
}

/* And in a burst, which knows the request from the second time on. */
static int32_t execute_in_burst(const json_t *test, const struct hy_builder *builder,
                                struct pass *pass, void *const *outputs)
{
    void *burst = NULL;
    int32_t status = pass->runner.table->burst_open(pass->runner.prepared, &burst);

    for (uint32_t run = 0; run < 3 && status == HY_STATUS_OK; run++) {
        for (uint32_t i = 0; i < builder->output_count; i++)
            memset(outputs[i], 0x5a, pass->runner.pools[HY_RUNNER_ARGUMENTS + i].size);
        status = hy_runner_execute_in(&pass->runner, burst);
        if (status == HY_STATUS_OK)
            check_outputs(test, builder, pass, outputs);
    }
    if (burst)
        pass->runner.table->burst_close(burst);
    return status;
}

static int32_t execute(const json_t *test, struct hy_builder *builder, struct pass *pass)
{
    void *data[2 * HY_RUNNER_ARGUMENTS] = {0};
    uint64_t length;

    hy_runner_clear(&pass->runner);
    for (uint32_t i = 0; i < builder->input_count; i++) {
        int32_t type = builder->operands[builder->inputs[i]].type;
        if (json_is_null(example_of(test, "inputs", i))) {
            hy_runner_no_input(&pass->runner);
            continue;
        }
        data[i] = hy_vector_values(example_of(test, "inputs", i), type, &length);
        hy_runner_input(&pass->runner, data[i], length, 0, NULL);
    }
    for (uint32_t i = 0; i < builder->output_count; i++) {
        int32_t type = builder->operands[builder->outputs[i]].type;
        length = json_array_size(example_of(test, "outputs", i)) * hy_operand_type_bytes(type);
        data[HY_RUNNER_ARGUMENTS + i] = calloc(length + 1, 1);
        hy_runner_output(&pass->runner, data[HY_RUNNER_ARGUMENTS + i], length ? length : 1, 0,
                         NULL);
    }
    int32_t status = hy_runner_execute(&pass->runner);
    if (status == HY_STATUS_OK)
        check_outputs(test, builder, pass, data + HY_RUNNER_ARGUMENTS);
    const int32_t reused = execute_reused(test, builder, pass, data + HY_RUNNER_ARGUMENTS);
    const int32_t burst = execute_in_burst(test, builder, pass, data + HY_RUNNER_ARGUMENTS);
    if (reused != status || burst != status)
        hy_test_fail(__FILE__, __LINE__, "%s: status %d, reused %d, in a burst %d",
                     json_string_value(json_object_get(test, "name")), status, reused, burst);
    for (uint32_t i = 0; i < 2 * HY_RUNNER_ARGUMENTS; i++)
        free(data[i]);
    return status;
}

static void run_test(const json_t *test, struct pass *pass)
{
    bool must_fail = json_is_true(json_object_get(test, "expect_failure"));
    struct hy_builder builder;

    if (!has_operations(test) || (must_fail && pass->dynamic)) {
        pass->skipped++;
        return;
    }
    hy_builder_init(&builder);
    REQUIRE(hy_vector_build(test, pass->dynamic, &builder));
    int32_t status = hy_runner_prepare(&pass->runner, hy_builder_model(&builder));
    if (status == HY_STATUS_OK)
        status = execute(test, &builder, pass);
    if ((status == HY_STATUS_OK) == must_fail)
        hy_test_fail(__FILE__, __LINE__, "%s: status %d: %s",
                     json_string_value(json_object_get(test, "name")), status,
                     pass->runner.message);
    pass->run++;
    pass->refused += must_fail;
    hy_builder_finish(&builder);
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

static void run_all(uint32_t device, bool dynamic)
{
    const char *shared = hy_test_shared_dir();
    struct pass pass = {.dynamic = dynamic};
    char root[1024];

    if (!shared)
        return;
    snprintf(root, sizeof root, "%s/conformance", shared);
    char *roots[] = {root, NULL};
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOSTAT, NULL);
    REQUIRE(walk);
    EXPECT_INT(hy_runner_open(&pass.runner, hy_cpu_driver(), device), HY_STATUS_OK);
    for (FTSENT *entry; (entry = fts_read(walk));) {
        const char *dot = strrchr(entry->fts_name, '.');
        if (entry->fts_info != FTS_D && entry->fts_info != FTS_DP && dot &&
            strcmp(dot, ".json") == 0)
            run_file(entry->fts_path, &pass);
    }
    fts_close(walk);
    hy_runner_close(&pass.runner);
    printf("device %u%s: %u run (%u of them must fail), %u skipped\n", device,
           dynamic ? ", outputs of unknown shape" : "", pass.run, pass.refused, pass.skipped);
    EXPECT(pass.run > 500);
}

TEST(cpu_vectors, agree_with_the_fast_device)
{
    run_all(0, false);
}

TEST(cpu_vectors, agree_with_the_reference_device)
{
    run_all(1, false);
}

TEST(cpu_vectors, agree_with_outputs_of_unknown_shape)
{
    run_all(0, true);
}
