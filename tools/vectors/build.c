#include "tools/vectors/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/api_result.h"

#define REFERENCE_ALIGNMENT 4

/* Nesting of models that refer to models: the format has one level, but files may have more. */
#define DEPTH_MAX 16

static size_t padded(size_t length)
{
    return (length + REFERENCE_ALIGNMENT - 1) / REFERENCE_ALIGNMENT * REFERENCE_ALIGNMENT;
}

/* The total bytes of all CONSTANT_REFERENCE values; writes the values to `fd` unless it is -1. */
static size_t lay_out_references(const struct hy_vector *vector, int fd, bool *written)
{
    size_t used = 0;
    for (uint32_t m = 0; m < vector->model_count; m++) {
        const struct hy_vector_model *model = &vector->models[m];
        for (uint32_t i = 0; i < model->operand_count; i++) {
            const struct hy_vector_operand *operand = &model->operands[i];
            if (operand->lifetime != HY_VECTOR_CONSTANT_REFERENCE)
                continue;
            const size_t length = operand->value.length;
            if (fd >= 0 && pwrite(fd, operand->value.bytes, length, (off_t)used) != (ssize_t)length)
                *written = false;
            used += padded(length);
        }
    }
    return used;
}

static enum hy_code make_memory(const struct hy_vector *vector, struct hy_vector_build *build,
                                struct hy_error *err)
{
    bool written = true;
    const size_t size = lay_out_references(vector, -1, &written);
    if (size == 0)
        return HY_OK;

    const int fd = memfd_create("halyard-constants", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
        written = false;
    else
        lay_out_references(vector, fd, &written);

    enum hy_code code;
    if (!written)
        code = hy_fail(err, HY_FAILED, "a memory of %zu bytes: %s", size, strerror(errno));
    else
        code = hy_api_result(
            ANeuralNetworksMemory_createFromFd(size, PROT_READ, fd, 0, &build->memory),
            "Memory_createFromFd", err);
    if (fd >= 0)
        close(fd);
    return code;
}

static enum hy_code add_operand(ANeuralNetworksModel *model, int32_t index,
                                const struct hy_vector_operand *operand, struct hy_error *err)
{
    const ANeuralNetworksOperandType type = {
        .type = operand->type,
        .dimensionCount = operand->rank,
        .dimensions = operand->rank ? operand->declared_dims : NULL,
        .scale = operand->scale,
        .zeroPoint = operand->zero_point,
    };
    const enum hy_code code =
        hy_api_result(ANeuralNetworksModel_addOperand(model, &type), "Model_addOperand", err);
    if (code != HY_OK || operand->channel_count == 0)
        return code;

    const ANeuralNetworksSymmPerChannelQuantParams channels = {
        .channelDim = operand->channel_dim,
        .scaleCount = operand->channel_count,
        .scales = operand->channel_scales,
    };
    return hy_api_result(
        ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, index, &channels),
        "Model_setOperandSymmPerChannelQuantParams", err);
}

static enum hy_code build_model(const struct hy_vector *vector, uint32_t index, unsigned depth,
                                struct hy_vector_build *build, struct hy_error *err);

static enum hy_code set_submodel(const struct hy_vector *vector, ANeuralNetworksModel *model,
                                 int32_t index, uint32_t submodel, unsigned depth,
                                 struct hy_vector_build *build, struct hy_error *err)
{
    const enum hy_code code = build_model(vector, submodel, depth + 1, build, err);
    if (code != HY_OK)
        return code;
    return hy_api_result(
        ANeuralNetworksModel_setOperandValueFromModel(model, index, build->models[submodel]),
        "Model_setOperandValueFromModel", err);
}

static enum hy_code set_reference(ANeuralNetworksModel *model, int32_t index, size_t length,
                                  struct hy_vector_build *build, size_t offset,
                                  struct hy_error *err)
{
    if (length == 0)
        return hy_api_result(ANeuralNetworksModel_setOperandValue(model, index, NULL, 0),
                             "Model_setOperandValue", err);
    return hy_api_result(
        ANeuralNetworksModel_setOperandValueFromMemory(model, index, build->memory, offset, length),
        "Model_setOperandValueFromMemory", err);
}

/* Where in the memory the first reference of a model lies. */
static size_t reference_start(const struct hy_vector *vector, uint32_t model)
{
    const struct hy_vector before = {.models = vector->models, .model_count = model};
    bool written;
    return lay_out_references(&before, -1, &written);
}

static enum hy_code set_values(const struct hy_vector *vector, uint32_t index, unsigned depth,
                               struct hy_vector_build *build, struct hy_error *err)
{
    const struct hy_vector_model *source = &vector->models[index];
    ANeuralNetworksModel *model = build->models[index];
    size_t offset = reference_start(vector, index);
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < source->operand_count; i++) {
        const struct hy_vector_operand *operand = &source->operands[i];
        const struct hy_vector_value *value = &operand->value;
        switch (operand->lifetime) {
        case HY_VECTOR_CONSTANT_COPY:
        case HY_VECTOR_NO_VALUE:
            code = hy_api_result(
                ANeuralNetworksModel_setOperandValue(
                    model, (int32_t)i, value->length ? value->bytes : NULL, value->length),
                "Model_setOperandValue", err);
            break;
        case HY_VECTOR_CONSTANT_REFERENCE:
            code = set_reference(model, (int32_t)i, value->length, build, offset, err);
            offset += padded(value->length);
            break;
        case HY_VECTOR_SUBGRAPH:
            code = set_submodel(vector, model, (int32_t)i, operand->submodel, depth, build, err);
            break;
        default:
            break;
        }
    }
    return code;
}

static enum hy_code add_operations(const struct hy_vector_model *source,
                                   ANeuralNetworksModel *model, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < source->operation_count; i++) {
        const struct hy_vector_operation *operation = &source->operations[i];
        code = hy_api_result(
            ANeuralNetworksModel_addOperation(model, operation->type, operation->inputs.count,
                                              operation->inputs.items, operation->outputs.count,
                                              operation->outputs.items),
            "Model_addOperation", err);
    }
    return code;
}

static enum hy_code close_model(const struct hy_vector_model *source, bool relaxed,
                                ANeuralNetworksModel *model, struct hy_error *err)
{
    enum hy_code code = hy_api_result(ANeuralNetworksModel_identifyInputsAndOutputs(
                                          model, source->inputs.count, source->inputs.items,
                                          source->outputs.count, source->outputs.items),
                                      "Model_identifyInputsAndOutputs", err);
    if (code == HY_OK && relaxed)
        code = hy_api_result(ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, true),
                             "Model_relaxComputationFloat32toFloat16", err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksModel_finish(model), "Model_finish", err);
    return code;
}

static enum hy_code build_model(const struct hy_vector *vector, uint32_t index, unsigned depth,
                                struct hy_vector_build *build, struct hy_error *err)
{
    if (build->finished[index])
        return HY_OK;
    if (build->models[index] || depth > DEPTH_MAX)
        return hy_fail(err, HY_BAD_DATA, "referenced model %u contains itself", index - 1);

    enum hy_code code =
        hy_api_result(ANeuralNetworksModel_create(&build->models[index]), "Model_create", err);
    const struct hy_vector_model *source = &vector->models[index];
    for (uint32_t i = 0; code == HY_OK && i < source->operand_count; i++)
        code = add_operand(build->models[index], (int32_t)i, &source->operands[i], err);
    if (code == HY_OK)
        code = set_values(vector, index, depth, build, err);
    if (code == HY_OK)
        code = add_operations(source, build->models[index], err);
    if (code == HY_OK)
        code = close_model(source, vector->is_relaxed && index == 0, build->models[index], err);
    build->finished[index] = code == HY_OK;
    return code;
}

enum hy_code hy_vector_build_make(const struct hy_vector *vector, struct hy_vector_build *out,
                                  struct hy_error *err)
{
    out->count = vector->model_count;
    out->models = calloc(out->count, sizeof(*out->models));
    out->finished = calloc(out->count, sizeof *out->finished);
    if (!out->models || !out->finished)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u models", out->count);

    const enum hy_code code = make_memory(vector, out, err);
    return code == HY_OK ? build_model(vector, 0, 0, out, err) : code;
}

enum hy_code hy_vector_build_compile(const struct hy_vector_build *build,
                                     const struct hy_device_selection *devices,
                                     struct hy_vector_caching *caching,
                                     ANeuralNetworksCompilation **out, struct hy_error *err)
{
    enum hy_code code = hy_device_selection_compile(devices, build->models[0], out, err);
    if (code == HY_OK && caching)
        code = hy_vector_caching_ask(caching, *out, err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksCompilation_finish(*out), "Compilation_finish", err);
    if (code == HY_OK && caching)
        code = hy_vector_caching_note(caching, *out, err);
    return code;
}

void hy_vector_build_finish(struct hy_vector_build *build)
{
    /* The main model refers to the others: it goes first. */
    for (uint32_t i = 0; build->models && i < build->count; i++)
        ANeuralNetworksModel_free(build->models[i]);
    ANeuralNetworksMemory_free(build->memory);
    free(build->models);
    free(build->finished);
    *build = (struct hy_vector_build){0};
}
