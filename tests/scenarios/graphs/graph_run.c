#include "tests/scenarios/graphs/graph_run.h"

#include "common/operations/operand_type.h"
#include "tools/api_result.h"
#include "tools/device_selection.h"

#include <string.h>

static bool make_outputs(struct graph_run *run)
{
    bool made = true;
    for (uint32_t i = 0; i < run->graph->operand_count; i++) {
        const struct graph_operand *operand = &run->graph->operands[i];
        if (!operand->is_output)
            continue;
        run->outputs[i] = hy_arena_alloc(run->graph->arena, graph_bytes(&operand->type));
        made &= run->outputs[i] != NULL;
    }
    return made;
}

enum hy_code graph_run_start(struct graph_run *run, const struct graph *graph,
                             ANeuralNetworksModel *model, const char *const *devices,
                             uint32_t device_count, struct hy_error *err)
{
    struct hy_option_list names = {.count = device_count};
    struct hy_device_selection selection;
    *run = (struct graph_run){.graph = graph};
    memcpy(names.items, devices, device_count * sizeof *devices);
    if (!make_outputs(run))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the outputs");
    enum hy_code code = hy_device_selection_make(&names, &selection, err);
    if (code == HY_OK)
        code = hy_device_selection_compile(&selection, model, &run->compilation, err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksCompilation_finish(run->compilation),
                             "Compilation_finish", err);
    return code;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static enum hy_code set_input(const struct graph_operand *operand, int32_t index,
                              ANeuralNetworksExecution *execution, struct hy_error *err)
{
    const ANeuralNetworksOperandType type = {
        .type = operand->type.code,
        .dimensionCount = operand->type.rank,
        .dimensions = operand->type.dims,
        .scale = operand->type.scale,
        .zeroPoint = operand->type.zero_point,
    };
    return hy_api_result(ANeuralNetworksExecution_setInput(execution, index, &type, operand->value,
                                                           graph_bytes(&operand->type)),
                         "Execution_setInput", err);
}

/* Outputs begin with bytes that no run leaves by chance. */
static enum hy_code set_arguments(struct graph_run *run, ANeuralNetworksExecution *execution,
                                  struct hy_error *err)
{
    int32_t inputs = 0, outputs = 0;
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < run->graph->operand_count; i++) {
        const struct graph_operand *operand = &run->graph->operands[i];
        const size_t bytes = operand->is_output ? graph_bytes(&operand->type) : 0;
        if (operand->role == GRAPH_INPUT)
            code = set_input(operand, inputs++, execution, err);
        if (!operand->is_output)
            continue;
        memset(run->outputs[i], 0xa5, bytes);
        code = hy_api_result(
            ANeuralNetworksExecution_setOutput(execution, outputs++, NULL, run->outputs[i], bytes),
            "Execution_setOutput", err);
    }
    return code;
}

static enum hy_code check_shape(const struct graph_type *type, int32_t output,
                                ANeuralNetworksExecution *execution, struct hy_error *err)
{
    uint32_t rank = 0, dims[GRAPH_RANK_MAX];
    enum hy_code code =
        hy_api_result(ANeuralNetworksExecution_getOutputOperandRank(execution, output, &rank),
                      "Execution_getOutputOperandRank", err);
    if (code == HY_OK && rank != type->rank)
        return hy_fail(err, HY_FAILED, "output %d has rank %u, not %u", output, rank, type->rank);
    if (code == HY_OK)
        code = hy_api_result(
            ANeuralNetworksExecution_getOutputOperandDimensions(execution, output, dims),
            "Execution_getOutputOperandDimensions", err);
    if (code == HY_OK && memcmp(dims, type->dims, rank * sizeof *dims) != 0)
        return hy_fail(err, HY_FAILED, "output %d has other dimensions", output);
    return code;
}

static enum hy_code check_shapes(const struct graph_run *run, ANeuralNetworksExecution *execution,
                                 struct hy_error *err)
{
    int32_t output = 0;
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < run->graph->operand_count; i++)
        if (run->graph->operands[i].is_output)
            code = check_shape(&run->graph->operands[i].type, output++, execution, err);
    return code;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static enum hy_code compute(struct graph_run *run, const struct hy_runner *runner, bool is_reused,
                            ANeuralNetworksExecution *execution, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    if (is_reused)
        code = hy_api_result(ANeuralNetworksExecution_setReusable(execution, true),
                             "Execution_setReusable", err);
    if (code == HY_OK)
        code = set_arguments(run, execution, err);
    if (code == HY_OK)
        code = hy_runner_compute(runner, execution, err);
    if (code != HY_OK || !is_reused)
        return code;
    for (uint32_t i = 0; i < run->graph->operand_count; i++)
        if (run->outputs[i])
            memset(run->outputs[i], 0x5a, graph_bytes(&run->graph->operands[i].type));
    return hy_runner_compute(runner, execution, err);
}

enum hy_code graph_run_execute(struct graph_run *run, const struct graph_course *course,
                               struct hy_error *err)
{
    struct hy_runner runner = {0};
    ANeuralNetworksExecution *execution = NULL;
    enum hy_code code = hy_api_result(ANeuralNetworksExecution_create(run->compilation, &execution),
                                      "Execution_create", err);
    if (code == HY_OK)
        code = hy_runner_start(&runner, course->mode, run->compilation, err);
    if (code == HY_OK)
        code = compute(run, &runner, course->is_reused, execution, err);
    if (code == HY_OK)
        code = check_shapes(run, execution, err);
    hy_runner_stop(&runner);
    ANeuralNetworksExecution_free(execution);
    return code;
}

enum hy_code graph_run_compare(const struct graph_run *run, const struct graph_run *want,
                               struct hy_error *err)
{
    for (uint32_t i = 0; i < run->graph->operand_count; i++) {
        const uint8_t *got = run->outputs[i], *right = want->outputs[i];
        const struct graph_type *type = &run->graph->operands[i].type;
        const size_t bytes = got ? graph_bytes(type) : 0;
        for (size_t k = 0; k < bytes; k++)
            if (got[k] != right[k])
                return hy_fail(err, HY_FAILED, "operand %u, %s: byte %zu of %zu is %02x, not %02x",
                               i, hy_operand_type_name(type->code), k, bytes, got[k], right[k]);
    }
    return HY_OK;
}

void graph_run_finish(struct graph_run *run)
{
    ANeuralNetworksCompilation_free(run->compilation);
    run->compilation = NULL;
}
