#include "tools/vectors/vector_run.h"

#include <halyard/halyard.h>
#include <stdlib.h>
#include <string.h>

#include "common/operations/operation.h"
#include "tools/api_result.h"
#include "tools/vectors/build.h"
#include "tools/vectors/compare.h"
#include "tools/vectors/device_memory.h"

/* Long enough to enter a loop, short enough for many endless tests. */
#define LOOP_TIMEOUT_NS 1000000u

struct run {
    const struct hy_vector *vector;
    const struct hy_vector_model *model; /* the main one */
    const struct hy_vector_course *course;
    struct hy_runner runner;
    bool endless; /* valid, but to be stopped by the loop timeout */
    uint32_t part_count;
    const struct hy_merge_part *parts;
    struct hy_vector_result *results; /* [part]; NULL: a wrong part ends the run */
    uint32_t step_count;
    void **outputs; /* buffers of the example that runs */
    struct hy_vector_device_memory memory;
    struct hy_vector_pool_memory pools;
    ANeuralNetworksExecution *execution;
};

bool hy_vector_is_endless(const struct hy_vector *vector)
{
    const struct hy_vector_model *main = &vector->models[0];
    return vector->expect_failure && main->operation_count > 0 &&
           main->operations[0].type == HY_OP_WHILE;
}

static bool has_empty_output(const struct hy_vector *vector)
{
    for (uint32_t e = 0; e < vector->example_count; e++)
        for (uint32_t i = 0; i < vector->models[0].outputs.count; i++)
            if (vector->examples[e].outputs[i].count == 0)
                return true;
    return false;
}

enum hy_skip_rule hy_vector_course_rule(const struct hy_vector *vector,
                                        const struct hy_vector_course *course)
{
    if (course->mode == HY_RUN_FENCED && has_empty_output(vector))
        return HY_SKIP_FENCED_EMPTY;
    if (course->in_domains && has_empty_output(vector))
        return HY_SKIP_DOMAIN_EMPTY;
    return HY_SKIP_NONE;
}

static enum hy_code set_inputs(struct run *run, const struct hy_vector_example *example,
                               struct hy_error *err)
{
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < run->model->inputs.count; i++) {
        const struct hy_vector_value *value = &example->inputs[i];
        code = hy_api_result(ANeuralNetworksExecution_setInput(run->execution, (int32_t)i, NULL,
                                                               value->length ? value->bytes : NULL,
                                                               value->length),
                             "Execution_setInput", err);
    }
    return code;
}

static size_t length_of(const struct hy_vector_value *output)
{
    return output->length ? output->length : 1;
}

static enum hy_code make_outputs(struct run *run, const struct hy_vector_example *example,
                                 struct hy_error *err)
{
    for (uint32_t i = 0; i < run->model->outputs.count; i++) {
        const size_t length = length_of(&example->outputs[i]);
        run->outputs[i] = calloc(1, length);
        if (!run->outputs[i])
            return hy_fail(err, HY_OUT_OF_MEMORY, "output %u: %zu bytes", i, length);
    }
    return HY_OK;
}

static enum hy_code set_outputs(struct run *run, const struct hy_vector_example *example,
                                struct hy_error *err)
{
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < run->model->outputs.count; i++) {
        const size_t length = length_of(&example->outputs[i]);
        code = hy_api_result(ANeuralNetworksExecution_setOutput(run->execution, (int32_t)i, NULL,
                                                                run->outputs[i], length),
                             "Execution_setOutput", err);
    }
    return code;
}

static enum hy_code check_shape(struct run *run, uint32_t index, struct hy_error *err)
{
    const struct hy_vector_operand *operand =
        &run->model->operands[run->model->outputs.items[index]];
    uint32_t rank = 0;
    enum hy_code code = hy_api_result(
        ANeuralNetworksExecution_getOutputOperandRank(run->execution, (int32_t)index, &rank),
        "Execution_getOutputOperandRank", err);
    if (code != HY_OK || rank != operand->rank)
        return code != HY_OK ? code
                             : hy_fail(err, HY_FAILED, "output %u has rank %u, expected %u", index,
                                       rank, operand->rank);
    if (rank == 0)
        return HY_OK;

    uint32_t *dims = calloc(rank, sizeof *dims);
    if (!dims)
        return hy_fail(err, HY_OUT_OF_MEMORY, "output %u: rank %u", index, rank);
    code = hy_api_result(
        ANeuralNetworksExecution_getOutputOperandDimensions(run->execution, (int32_t)index, dims),
        "Execution_getOutputOperandDimensions", err);
    for (uint32_t i = 0; code == HY_OK && i < rank; i++)
        if (dims[i] != operand->dims[i])
            code = hy_fail(err, HY_FAILED, "output %u: dimension %u is %u, expected %u", index, i,
                           dims[i], operand->dims[i]);
    free(dims);
    return code;
}

static enum hy_code check_values(struct run *run, const struct hy_merge_part *part,
                                 const struct hy_vector_example *example, uint32_t index,
                                 struct hy_error *err)
{
    const struct hy_vector_operand *operand =
        &run->model->operands[run->model->outputs.items[index]];
    const enum hy_code code = hy_compare_values(operand->type, hy_vector_is_half_exact(part->test),
                                                &example->outputs[index], run->outputs[index], err);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "output %u", index);
}

/* Random by its nature: the output is judged as a distribution, flagged as ignored or not. */
static enum hy_code check_multinomial(struct run *run, const struct hy_merge_part *part,
                                      const struct hy_vector_example *example, uint32_t index,
                                      struct hy_error *err)
{
    const struct hy_vector_model *main = &part->test->models[0];
    if (main->inputs.count != 1 || main->outputs.count != 1 ||
        main->operands[main->outputs.items[0]].type != ANEURALNETWORKS_TENSOR_INT32)
        return hy_fail(err, HY_BAD_DATA, "the test is not a RANDOM_MULTINOMIAL with one input");
    return hy_compare_multinomial(
        main->operands[main->inputs.items[0]].type, &example->inputs[part->first_input],
        part->test->multinomial_tolerance, example->outputs[index].count, run->outputs[index], err);
}

static enum hy_code check_part(struct run *run, const struct hy_merge_part *part,
                               const struct hy_vector_example *example, struct hy_error *err)
{
    const bool random = part->test->multinomial_tolerance > 0;
    enum hy_code code = HY_OK;
    for (uint32_t i = part->first_output;
         code == HY_OK && i < part->first_output + part->output_count; i++) {
        const bool ignored = run->model->operands[run->model->outputs.items[i]].ignored;
        if (!ignored)
            code = check_shape(run, i, err);
        if (code == HY_OK && random)
            code = check_multinomial(run, part, example, i, err);
        else if (code == HY_OK && !ignored)
            code = check_values(run, part, example, i, err);
    }
    return code;
}

static enum hy_code check_outputs(struct run *run, const struct hy_vector_example *example,
                                  struct hy_error *err)
{
    enum hy_code code = HY_OK;
    for (uint32_t p = 0; code == HY_OK && p < run->part_count; p++) {
        struct hy_vector_result *result = run->results ? &run->results[p] : NULL;
        if (!result)
            code = check_part(run, &run->parts[p], example, err);
        else if (result->code == HY_OK)
            result->code = check_part(run, &run->parts[p], example, &result->reason);
    }
    return code;
}

static enum hy_code set_arguments(struct run *run, ANeuralNetworksCompilation *compilation,
                                  const struct hy_vector_example *example, struct hy_error *err)
{
    if (run->course->in_domains)
        return hy_vector_device_memory_set(&run->memory, run->model, example, compilation,
                                           run->execution, err);
    if (run->course->in_pools)
        return hy_vector_pool_memory_set(&run->pools, run->course->pool_kind, run->model, example,
                                         run->execution, err);
    const enum hy_code code = set_inputs(run, example, err);
    return code == HY_OK ? set_outputs(run, example, err) : code;
}

static enum hy_code prepare(struct run *run, ANeuralNetworksCompilation *compilation,
                            const struct hy_vector_example *example, struct hy_error *err)
{
    enum hy_code code = make_outputs(run, example, err);
    if (code == HY_OK && run->course->reused)
        code = hy_api_result(ANeuralNetworksExecution_setReusable(run->execution, true),
                             "Execution_setReusable", err);
    if (code == HY_OK)
        code = set_arguments(run, compilation, example, err);
    if (code == HY_OK && run->endless)
        code =
            hy_api_result(ANeuralNetworksExecution_setLoopTimeout(run->execution, LOOP_TIMEOUT_NS),
                          "Execution_setLoopTimeout", err);
    return code;
}

static enum hy_code compute(struct run *run, const struct hy_vector_example *example,
                            struct hy_error *err)
{
    enum hy_code code = hy_runner_compute(&run->runner, run->execution, err);
    if (code != HY_OK || run->vector->expect_failure)
        return code;
    if (run->course->in_domains)
        code = hy_vector_device_memory_fetch(&run->memory, example, run->outputs, err);
    else if (run->course->in_pools)
        code = hy_vector_pool_memory_fetch(&run->pools, example, run->outputs, err);
    return code == HY_OK ? check_outputs(run, example, err) : code;
}

/* Computes a second time. The first run began with zeros, this run begins with other bytes. */
static enum hy_code compute_again(struct run *run, const struct hy_vector_example *example,
                                  struct hy_error *err)
{
    for (uint32_t i = 0; i < run->model->outputs.count; i++)
        memset(run->outputs[i], 0xa5, example->outputs[i].length);
    const enum hy_code code = compute(run, example, err);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "the second time");
}

static enum hy_code run_example(struct run *run, ANeuralNetworksCompilation *compilation,
                                const struct hy_vector_example *example, struct hy_error *err)
{
    const uint32_t count = run->model->outputs.count;
    run->outputs = calloc((size_t)count + 1, sizeof *run->outputs);
    if (!run->outputs)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u outputs", count);

    enum hy_code code = hy_api_result(ANeuralNetworksExecution_create(compilation, &run->execution),
                                      "Execution_create", err);
    if (code == HY_OK)
        code = prepare(run, compilation, example, err);
    if (code == HY_OK)
        code = compute(run, example, err);
    if (code == HY_OK && run->course->reused)
        code = compute_again(run, example, err);

    ANeuralNetworksExecution_free(run->execution);
    run->execution = NULL;
    hy_vector_device_memory_finish(&run->memory);
    hy_vector_pool_memory_finish(&run->pools);
    for (uint32_t i = 0; i < count; i++)
        free(run->outputs[i]);
    free(run->outputs);
    return code;
}

static enum hy_code count_steps(struct run *run, const ANeuralNetworksCompilation *compilation,
                                struct hy_error *err)
{
    struct halyard_plan plan = {.struct_size = sizeof plan};
    const enum hy_code code = hy_api_result(halyard_compilation_get_plan(compilation, &plan),
                                            "compilation_get_plan", err);
    run->step_count = plan.step_count;
    return code;
}

/* `executed`: the model was accepted, and the code is the code of an execution. */
static enum hy_code run_all(struct run *run, const struct hy_device_selection *devices,
                            bool *executed, struct hy_error *err)
{
    struct hy_vector_build build = {0};
    ANeuralNetworksCompilation *compilation = NULL;
    enum hy_code code = hy_vector_build_make(run->vector, &build, err);
    if (code == HY_OK)
        code = hy_vector_build_compile(&build, devices, run->course->caching, &compilation, err);
    *executed = code == HY_OK;
    if (code == HY_OK && run->results)
        code = count_steps(run, compilation, err);
    if (code == HY_OK)
        code = hy_runner_start(&run->runner, run->course->mode, compilation, err);
    for (uint32_t i = 0; code == HY_OK && i < run->vector->example_count; i++)
        code = run_example(run, compilation, &run->vector->examples[i], err);
    hy_runner_stop(&run->runner);
    ANeuralNetworksCompilation_free(compilation);
    hy_vector_build_finish(&build);
    return code;
}

/* An expected failure is a pass. */
static enum hy_code check_failure(const struct run *run, bool executed, enum hy_code code,
                                  struct hy_error *err)
{
    if (code == HY_OK)
        return hy_fail(err, HY_FAILED, "the test ran, but expects a refusal");
    if (code == HY_OUT_OF_MEMORY)
        return code;
    if (!run->endless)
        return HY_OK;
    if (executed && (code == HY_MISSED_DEADLINE || code == HY_MISSED_DEADLINE_FOR_GOOD))
        return HY_OK;
    return hy_error_prefix(err, HY_FAILED,
                           "the test expects an end by the loop timeout, but ended with %s",
                           hy_code_name(code));
}

enum hy_code hy_vector_run(const struct hy_vector *vector,
                           const struct hy_device_selection *devices,
                           const struct hy_vector_course *course, struct hy_error *err)
{
    const struct hy_merge_part whole = {
        .test = vector,
        .output_count = vector->models[0].outputs.count,
    };
    struct run run = {
        .vector = vector,
        .model = &vector->models[0],
        .course = course,
        .endless = hy_vector_is_endless(vector),
        .part_count = 1,
        .parts = &whole,
    };
    bool executed = false;
    const enum hy_code code = run_all(&run, devices, &executed, err);
    return vector->expect_failure ? check_failure(&run, executed, code, err) : code;
}

enum hy_code hy_merge_run(const struct hy_merge *merge, const struct hy_device_selection *devices,
                          const struct hy_vector_course *course, struct hy_vector_result *results,
                          uint32_t *step_count, struct hy_error *err)
{
    struct run run = {
        .vector = &merge->vector,
        .model = &merge->vector.models[0],
        .course = course,
        .part_count = merge->part_count,
        .parts = merge->parts,
        .results = results,
    };
    bool executed;
    for (uint32_t i = 0; i < merge->part_count; i++)
        results[i].code = HY_OK;
    const enum hy_code code = run_all(&run, devices, &executed, err);
    *step_count = run.step_count;
    return code;
}
