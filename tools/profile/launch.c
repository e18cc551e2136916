#include "tools/profile/launch.h"

#include "tools/api_result.h"
#include "tools/profile/step_times.h"

/* Operands of the models: a number in, a number out, and a parameter if the operation has one. */
enum { IN, OUT, PARAMETER, OPERAND_COUNT };

/* One of these is in reach of most devices. */
static const struct launch_case {
    ANeuralNetworksOperationType operation;
    uint32_t input_count;
    uint32_t inputs[3];
    int32_t parameter; /* its type */
} launch_cases[] = {
    {ANEURALNETWORKS_RELU, 1, {IN}, ANEURALNETWORKS_INT32},
    {ANEURALNETWORKS_ADD, 3, {IN, IN, PARAMETER}, ANEURALNETWORKS_INT32},
    {ANEURALNETWORKS_SOFTMAX, 2, {IN, PARAMETER}, ANEURALNETWORKS_FLOAT32},
};

enum { LAUNCH_CASE_COUNT = sizeof launch_cases / sizeof *launch_cases };

static enum hy_code add_operands(ANeuralNetworksModel *model, const struct launch_case *launch_case,
                                 struct hy_error *err)
{
    static const uint32_t dims[] = {1, 1};
    static const int32_t no_activation = ANEURALNETWORKS_FUSED_NONE;
    static const float beta = 1;
    const ANeuralNetworksOperandType tensor = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 2, .dimensions = dims};
    const ANeuralNetworksOperandType scalar = {.type = launch_case->parameter};
    const bool is_float = launch_case->parameter == ANEURALNETWORKS_FLOAT32;

    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < OPERAND_COUNT; i++)
        code = hy_api_result(
            ANeuralNetworksModel_addOperand(model, i == PARAMETER ? &scalar : &tensor),
            "Model_addOperand", err);
    if (code == HY_OK)
        code = hy_api_result(
            ANeuralNetworksModel_setOperandValue(
                model, PARAMETER, is_float ? (const void *)&beta : &no_activation, sizeof beta),
            "Model_setOperandValue", err);
    return code;
}

static enum hy_code build(const struct launch_case *launch_case, ANeuralNetworksModel *model,
                          struct hy_error *err)
{
    const uint32_t in = IN, out = OUT;

    enum hy_code code = add_operands(model, launch_case, err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksModel_addOperation(model, launch_case->operation,
                                                               launch_case->input_count,
                                                               launch_case->inputs, 1, &out),
                             "Model_addOperation", err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out),
                             "Model_identifyInputsAndOutputs", err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksModel_finish(model), "Model_finish", err);
    return code;
}

/* ---- Running it ------------------------------------------------------------------------------ */

static enum hy_code run_once(void *context, struct hy_error *err)
{
    return hy_api_result(ANeuralNetworksExecution_compute(context), "Execution_compute", err);
}

static enum hy_code time_execution(ANeuralNetworksCompilation *compilation,
                                   ANeuralNetworksExecution *execution, uint64_t *ns,
                                   struct hy_error *err)
{
    float in = 1, out = 0;

    enum hy_code code = hy_api_result(ANeuralNetworksExecution_setReusable(execution, true),
                                      "Execution_setReusable", err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksExecution_setInput(execution, 0, NULL, &in, sizeof in),
                             "Execution_setInput", err);
    if (code == HY_OK)
        code =
            hy_api_result(ANeuralNetworksExecution_setOutput(execution, 0, NULL, &out, sizeof out),
                          "Execution_setOutput", err);
    if (code == HY_OK)
        code = hy_step_times_measure(compilation, 1, run_once, execution, ns, err);
    return code;
}

static enum hy_code time_model(ANeuralNetworksModel *model, const ANeuralNetworksDevice *device,
                               uint64_t *ns, struct hy_error *err)
{
    ANeuralNetworksCompilation *compilation = NULL;
    ANeuralNetworksExecution *execution = NULL;

    enum hy_code code =
        hy_api_result(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation),
                      "Compilation_createForDevices", err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksCompilation_finish(compilation), "Compilation_finish",
                             err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksExecution_create(compilation, &execution),
                             "Execution_create", err);
    if (code == HY_OK)
        code = time_execution(compilation, execution, ns, err);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
    return code;
}

/* Leaves `ns` at 0 if the device does not support the operation. */
static enum hy_code try_one(const struct launch_case *launch_case,
                            const ANeuralNetworksDevice *device, uint64_t *ns, struct hy_error *err)
{
    ANeuralNetworksModel *model = NULL;
    bool is_supported = false;

    enum hy_code code = hy_api_result(ANeuralNetworksModel_create(&model), "Model_create", err);
    if (code == HY_OK)
        code = build(launch_case, model, err);
    if (code == HY_OK)
        code = hy_api_result(
            ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1, &is_supported),
            "Model_getSupportedOperationsForDevices", err);
    if (code == HY_OK && is_supported)
        code = time_model(model, device, ns, err);
    ANeuralNetworksModel_free(model);
    return code;
}

enum hy_code hy_launch_measure(const ANeuralNetworksDevice *device, uint64_t *ns,
                               struct hy_error *err)
{
    enum hy_code code = HY_OK;

    *ns = 0;
    for (int i = 0; code == HY_OK && *ns == 0 && i < LAUNCH_CASE_COUNT; i++)
        code = try_one(&launch_cases[i], device, ns, err);
    return code;
}
