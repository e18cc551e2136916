/* Extensions: codes within a model, data of operands, and attributes of compilations and
 * executions. */
#include "runtime/extension/extension.h"
#include "runtime/drivers/device_list.h"
#include "runtime/execute/execution.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"

/* ---- Models ---------------------------------------------------------------------------------- */

/* The model is unused: a prefix is valid for the whole process. */
static int get_code(const char *name, const ANeuralNetworksModel *model, const char *extension,
                    uint16_t code_within, int32_t *type)
{
    struct hy_error err;
    uint32_t prefix;

    if (!model)
        return hy_api_null(name, "model");
    if (!extension)
        return hy_api_null(name, "extensionName");
    if (!type)
        return hy_api_null(name, "type");
    if (!hy_devices()) /* the devices report their extensions */
        return hy_api_no_devices(name);
    enum hy_code code = hy_extension_prefix(extension, &prefix, &err);
    if (code == HY_OK)
        *type = (int32_t)(prefix << 16 | code_within);
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel *model,
                                                 const char *extensionName,
                                                 uint16_t operandCodeWithinExtension, int32_t *type)
{
    return get_code("Model_getExtensionOperandType", model, extensionName,
                    operandCodeWithinExtension, type);
}

int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel *model,
                                                   const char *extensionName,
                                                   uint16_t operationCodeWithinExtension,
                                                   ANeuralNetworksOperationType *type)
{
    return get_code("Model_getExtensionOperationType", model, extensionName,
                    operationCodeWithinExtension, type);
}

int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel *model, int32_t index,
                                                 const void *data, size_t length)
{
    static const char name[] = "Model_setOperandExtensionData";
    struct hy_error err;

    if (!model)
        return hy_api_null(name, "model");
    if (!data && length != 0)
        return hy_api_null(name, "data");
    enum hy_code code =
        hy_app_model_set_extension_data(hy_model_of(model), (uint32_t)index, data, length, &err);
    return hy_api_result(name, code, &err);
}

/* ---- Attributes ------------------------------------------------------------------------------ */

int ANeuralNetworksCompilation_addExtensionAttribute(ANeuralNetworksCompilation *compilation,
                                                     const char *extensionName,
                                                     uint16_t attributeCodeWithinExtension,
                                                     const void *data, size_t length)
{
    static const char name[] = "Compilation_addExtensionAttribute";
    struct hy_compilation *own = hy_compilation_of(compilation);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "compilation");
    if (!extensionName)
        return hy_api_null(name, "extensionName");
    if (!data && length != 0)
        return hy_api_null(name, "data");
    enum hy_code code = hy_compilation_check_building(own, &err);
    if (code == HY_OK)
        code = hy_compilation_check_single_device(own, "an attribute", &err);
    if (code == HY_OK)
        code = hy_attributes_add(&own->attributes, extensionName, attributeCodeWithinExtension,
                                 data, length, &err);
    return hy_api_result(name, code, &err);
}

/* Unlike for compilations, the single-device rule is checked before the state. */
int ANeuralNetworksExecution_addExtensionAttribute(ANeuralNetworksExecution *execution,
                                                   const char *extensionName,
                                                   uint16_t attributeCodeWithinExtension,
                                                   const void *data, size_t length)
{
    static const char name[] = "Execution_addExtensionAttribute";
    struct hy_execution *own = hy_execution_of(execution);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "execution");
    if (!extensionName)
        return hy_api_null(name, "extensionName");
    if (!data && length != 0)
        return hy_api_null(name, "data");
    enum hy_code code = hy_compilation_check_single_device(own->compilation, "an attribute", &err);
    if (code == HY_OK)
        code = hy_execution_check_preparing(own, &err);
    if (code == HY_OK)
        code = hy_attributes_add(&own->attributes, extensionName, attributeCodeWithinExtension,
                                 data, length, &err);
    return hy_api_result(name, code, &err);
}
