#include "runtime/model/model.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"

int ANeuralNetworksModel_create(ANeuralNetworksModel **model)
{
    static const char name[] = "Model_create";
    struct hy_app_model *own = NULL;
    struct hy_error err;

    if (!model)
        return hy_api_null(name, "model");
    enum hy_code code = hy_app_model_create(&own, &err);
    *model = hy_model_handle(own);
    return hy_api_result(name, code, &err);
}

void ANeuralNetworksModel_free(ANeuralNetworksModel *model)
{
    hy_app_model_release(hy_model_of(model));
}

int ANeuralNetworksModel_finish(ANeuralNetworksModel *model)
{
    static const char name[] = "Model_finish";
    struct hy_error err;

    if (!model)
        return hy_api_null(name, "model");
    return hy_api_result(name, hy_app_model_finish(hy_model_of(model), &err), &err);
}

int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model,
                                    const ANeuralNetworksOperandType *type)
{
    static const char name[] = "Model_addOperand";
    struct hy_error err;

    if (!model)
        return hy_api_null(name, "model");
    if (!type)
        return hy_api_null(name, "type");
    const struct hy_operand_spec spec = {
        .type = type->type,
        .rank = type->dimensionCount,
        .dims = type->dimensions,
        .scale = type->scale,
        .zero_point = type->zeroPoint,
    };
    return hy_api_result(name, hy_app_model_add_operand(hy_model_of(model), &spec, &err), &err);
}

int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model, int32_t index,
                                         const void *buffer, size_t length)
{
    static const char name[] = "Model_setOperandValue";
    struct hy_error err;

    if (!model)
        return hy_api_null(name, "model");
    if (!buffer && length != 0)
        return hy_api_null(name, "buffer");
    return hy_api_result(
        name, hy_app_model_set_value(hy_model_of(model), (uint32_t)index, buffer, length, &err),
        &err);
}

int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksSymmPerChannelQuantParams *channelQuant)
{
    static const char name[] = "Model_setOperandSymmPerChannelQuantParams";
    struct hy_error err;

    if (!model)
        return hy_api_null(name, "model");
    if (!channelQuant)
        return hy_api_null(name, "channelQuant");
    enum hy_code code = hy_app_model_set_channel_quant(
        hy_model_of(model), (uint32_t)index, channelQuant->channelDim, channelQuant->scaleCount,
        channelQuant->scales, &err);
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel *model, int32_t index,
                                                   const ANeuralNetworksMemory *memory,
                                                   size_t offset, size_t length)
{
    static const char name[] = "Model_setOperandValueFromMemory";
    struct hy_error err;

    if (!model)
        return hy_api_null(name, "model");
    if (!memory)
        return hy_api_null(name, "memory");
    enum hy_code code = hy_app_model_set_value_from_memory(
        hy_model_of(model), (uint32_t)index, hy_memory_of(memory), offset, length, &err);
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel *model, int32_t index,
                                                  const ANeuralNetworksModel *value)
{
    static const char name[] = "Model_setOperandValueFromModel";
    struct hy_error err;

    if (!model)
        return hy_api_null(name, "model");
    if (!value)
        return hy_api_null(name, "value");
    enum hy_code code = hy_app_model_set_value_from_model(hy_model_of(model), (uint32_t)index,
                                                          hy_model_of(value), &err);
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model,
                                      ANeuralNetworksOperationType type, uint32_t inputCount,
                                      const uint32_t *inputs, uint32_t outputCount,
                                      const uint32_t *outputs)
{
    static const char name[] = "Model_addOperation";
    struct hy_error err;

    if (!model)
        return hy_api_null(name, "model");
    if (!inputs)
        return hy_api_null(name, "inputs");
    if (!outputs)
        return hy_api_null(name, "outputs");
    enum hy_code code = hy_app_model_add_operation(hy_model_of(model), type, inputCount, inputs,
                                                   outputCount, outputs, &err);
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model, uint32_t inputCount,
                                                  const uint32_t *inputs, uint32_t outputCount,
                                                  const uint32_t *outputs)
{
    static const char name[] = "Model_identifyInputsAndOutputs";
    struct hy_error err;

    if (!model)
        return hy_api_null(name, "model");
    if (!inputs)
        return hy_api_null(name, "inputs");
    if (!outputs)
        return hy_api_null(name, "outputs");
    enum hy_code code =
        hy_app_model_identify(hy_model_of(model), inputCount, inputs, outputCount, outputs, &err);
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel *model, bool allow)
{
    static const char name[] = "Model_relaxComputationFloat32toFloat16";
    struct hy_error err;

    if (!model)
        return hy_api_null(name, "model");
    return hy_api_result(name, hy_app_model_relax(hy_model_of(model), allow, &err), &err);
}
