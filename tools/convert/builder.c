#include "tools/convert/builder.h"

#include "common/checked.h"
#include "halyard/halyard.h"

#include <stdlib.h>
#include <string.h>

#define NO_OPERAND UINT32_MAX

/* The file has no bytes for a state, so that nothing else bounds it. */
#define MAX_STATE_BYTES (UINT64_C(64) << 20)

/* A constant that is not in the file: it must live as long as the model. */
struct made_constant {
    struct made_constant *next;
    max_align_t bytes[];
};

struct hy_converted_model {
    ANeuralNetworksModel *handle;
    struct made_constant *constants;
    uint32_t *operators; /* operation -> operator */
    uint32_t operation_count;
};

struct hy_model_builder {
    const struct hy_tflite_subgraph *subgraph;
    struct hy_converted_model *model;
    uint32_t *operands; /* tensor -> operand, NO_OPERAND until it is used */
    uint32_t operand_count;
    uint32_t operator_index;
    uint32_t operation_room;
};

static enum hy_code api(int result, struct hy_error *err)
{
    if (result == ANEURALNETWORKS_NO_ERROR)
        return HY_OK;
    return hy_fail(err, (enum hy_code)result, "%s", halyard_last_error());
}

/* ---- Life ------------------------------------------------------------------------------------ */

enum hy_code hy_model_builder_create(const struct hy_tflite_subgraph *subgraph,
                                     struct hy_model_builder **out, struct hy_error *err)
{
    struct hy_model_builder *builder = calloc(1, sizeof *builder);
    if (!builder)
        return hy_fail(err, HY_OUT_OF_MEMORY, "model");

    builder->subgraph = subgraph;
    builder->model = calloc(1, sizeof *builder->model);
    builder->operands = malloc((subgraph->tensor_count + 1) * sizeof *builder->operands);
    enum hy_code code = HY_OK;
    if (!builder->model || !builder->operands)
        code = hy_fail(err, HY_OUT_OF_MEMORY, "model of %u tensors", subgraph->tensor_count);
    else
        code = api(ANeuralNetworksModel_create(&builder->model->handle), err);
    if (code != HY_OK) {
        hy_model_builder_destroy(builder);
        return code;
    }
    for (uint32_t i = 0; i < subgraph->tensor_count; i++)
        builder->operands[i] = NO_OPERAND;
    *out = builder;
    return HY_OK;
}

void hy_model_builder_destroy(struct hy_model_builder *builder)
{
    if (!builder)
        return;
    hy_converted_model_destroy(builder->model);
    free(builder->operands);
    free(builder);
}

void hy_converted_model_destroy(struct hy_converted_model *model)
{
    if (!model)
        return;
    ANeuralNetworksModel_free(model->handle);
    while (model->constants) {
        struct made_constant *next = model->constants->next;
        free(model->constants);
        model->constants = next;
    }
    free(model->operators);
    free(model);
}

const ANeuralNetworksModel *hy_converted_model_handle(const struct hy_converted_model *model)
{
    return model->handle;
}

uint32_t hy_converted_model_operator(const struct hy_converted_model *model, uint32_t index)
{
    return model->operators[index];
}

uint32_t hy_converted_model_operation_count(const struct hy_converted_model *model)
{
    return model->operation_count;
}

const struct hy_tflite_subgraph *hy_model_builder_subgraph(const struct hy_model_builder *builder)
{
    return builder->subgraph;
}

void hy_model_builder_set_operator(struct hy_model_builder *builder, uint32_t operator_index)
{
    builder->operator_index = operator_index;
}

/* ---- Operands -------------------------------------------------------------------------------- */

static enum hy_code add_operand(struct hy_model_builder *builder,
                                const ANeuralNetworksOperandType *type, uint32_t *operand,
                                struct hy_error *err)
{
    enum hy_code code = api(ANeuralNetworksModel_addOperand(builder->model->handle, type), err);
    if (code == HY_OK)
        *operand = builder->operand_count++;
    return code;
}

static enum hy_code set_value(struct hy_model_builder *builder, uint32_t operand, const void *data,
                              size_t bytes, struct hy_error *err)
{
    return api(
        ANeuralNetworksModel_setOperandValue(builder->model->handle, (int32_t)operand, data, bytes),
        err);
}

/* Zeroed room that lives as long as the model. */
static void *make_constant(struct hy_model_builder *builder, size_t bytes)
{
    struct made_constant *made = calloc(1, sizeof *made + bytes);
    if (!made)
        return NULL;
    made->next = builder->model->constants;
    builder->model->constants = made;
    return made->bytes;
}

static enum hy_code add_scalar(struct hy_model_builder *builder, int32_t type, const void *value,
                               size_t bytes, uint32_t *operand, struct hy_error *err)
{
    const ANeuralNetworksOperandType scalar = {.type = type};
    enum hy_code code = add_operand(builder, &scalar, operand, err);
    return code == HY_OK ? set_value(builder, *operand, value, bytes, err) : code;
}

enum hy_code hy_model_builder_int32(struct hy_model_builder *builder, int32_t value,
                                    uint32_t *operand, struct hy_error *err)
{
    return add_scalar(builder, ANEURALNETWORKS_INT32, &value, sizeof value, operand, err);
}

enum hy_code hy_model_builder_bool(struct hy_model_builder *builder, bool value, uint32_t *operand,
                                   struct hy_error *err)
{
    return add_scalar(builder, ANEURALNETWORKS_BOOL, &value, sizeof value, operand, err);
}

enum hy_code hy_model_builder_float32(struct hy_model_builder *builder, float value,
                                      uint32_t *operand, struct hy_error *err)
{
    return add_scalar(builder, ANEURALNETWORKS_FLOAT32, &value, sizeof value, operand, err);
}

enum hy_code hy_model_builder_int32s(struct hy_model_builder *builder, const int32_t *values,
                                     uint32_t count, uint32_t *operand, struct hy_error *err)
{
    const ANeuralNetworksOperandType type = {
        .type = ANEURALNETWORKS_TENSOR_INT32, .dimensionCount = 1, .dimensions = &count};
    int32_t *copy = make_constant(builder, count * sizeof *copy);
    if (!copy)
        return hy_fail(err, HY_OUT_OF_MEMORY, "constant of %u integers", count);
    memcpy(copy, values, count * sizeof *copy);

    enum hy_code code = add_operand(builder, &type, operand, err);
    return code == HY_OK ? set_value(builder, *operand, copy, count * sizeof *copy, err) : code;
}

/* ---- Tensors --------------------------------------------------------------------------------- */

static const struct hy_tflite_tensor *tensor_at(const struct hy_model_builder *builder,
                                                int32_t index, struct hy_error *err)
{
    if (index >= 0)
        return &builder->subgraph->tensors[index];
    hy_fail(err, HY_BAD_DATA, "a required input is left out");
    return NULL;
}

static enum hy_code bad_tensor(struct hy_model_builder *builder, int32_t index, const char *what,
                               struct hy_error *err)
{
    const struct hy_tflite_tensor *tensor = &builder->subgraph->tensors[index];
    return hy_fail(err, HY_BAD_DATA, "tensor %d (%.64s), %s of rank %u: %s", index, tensor->name,
                   hy_tflite_type_name(tensor->type), tensor->rank, what);
}

/* Everyday NNAPI type of a tensor; -1 where there is none. */
static int32_t nnapi_type(enum hy_tflite_type type)
{
    switch (type) {
    case HY_TFLITE_FLOAT32:
        return ANEURALNETWORKS_TENSOR_FLOAT32;
    case HY_TFLITE_FLOAT16:
        return ANEURALNETWORKS_TENSOR_FLOAT16;
    case HY_TFLITE_INT32:
        return ANEURALNETWORKS_TENSOR_INT32;
    case HY_TFLITE_UINT8:
        return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
    case HY_TFLITE_INT8:
        return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    case HY_TFLITE_INT16:
        return ANEURALNETWORKS_TENSOR_QUANT16_SYMM;
    case HY_TFLITE_BOOL:
        return ANEURALNETWORKS_TENSOR_BOOL8;
    default:
        return -1;
    }
}

static bool is_quantised(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
        return true;
    default:
        return false;
    }
}

/* Scale and zero point. Small integers without any, plain pixels say, stand for themselves. */
static void describe_quantisation(const struct hy_tflite_quantisation *quant,
                                  ANeuralNetworksOperandType *out)
{
    if (quant->count == 1 &&
        (is_quantised(out->type) || out->type == ANEURALNETWORKS_TENSOR_INT32)) {
        out->scale = quant->scales[0];
        out->zeroPoint = quant->zero_points[0];
    } else if (quant->count == 0 && is_quantised(out->type)) {
        out->scale = 1.0f;
    }
}

/* The tensor's shape as NNAPI has it: a scalar of the file is a tensor of one element. */
static enum hy_code describe(struct hy_model_builder *builder, int32_t index, int32_t type,
                             uint32_t dims[HY_CONVERT_MAX_RANK], ANeuralNetworksOperandType *out,
                             struct hy_error *err)
{
    const struct hy_tflite_tensor *tensor = tensor_at(builder, index, err);
    if (!tensor)
        return HY_BAD_DATA;
    if (type < 0)
        return bad_tensor(builder, index, "no NNAPI type", err);
    if (tensor->rank > HY_CONVERT_MAX_RANK)
        return bad_tensor(builder, index, "the rank is too high", err);

    dims[0] = 1;
    for (uint32_t i = 0; i < tensor->rank; i++)
        dims[i] = (uint32_t)tensor->dims[i];
    *out = (ANeuralNetworksOperandType){
        .type = type,
        .dimensionCount = tensor->rank ? tensor->rank : 1,
        .dimensions = dims,
    };
    describe_quantisation(&tensor->quantisation, out);
    return HY_OK;
}

static enum hy_code add_tensor(struct hy_model_builder *builder, int32_t index, int32_t type,
                               uint32_t *operand, struct hy_error *err)
{
    uint32_t dims[HY_CONVERT_MAX_RANK];
    ANeuralNetworksOperandType description;
    enum hy_code code = describe(builder, index, type, dims, &description, err);
    if (code == HY_OK)
        code = add_operand(builder, &description, operand, err);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "tensor %d", index);
}

static enum hy_code set_tensor_data(struct hy_model_builder *builder, int32_t index,
                                    uint32_t operand, struct hy_error *err)
{
    const struct hy_tflite_tensor *tensor = &builder->subgraph->tensors[index];
    if (tensor->is_sparse)
        return bad_tensor(builder, index, "sparse constants are not supported", err);
    return set_value(builder, operand, tensor->data, tensor->data_bytes, err);
}

enum hy_code hy_model_builder_tensor(struct hy_model_builder *builder, int32_t index,
                                     uint32_t *operand, struct hy_error *err)
{
    const struct hy_tflite_tensor *tensor = tensor_at(builder, index, err);
    if (!tensor)
        return HY_BAD_DATA;
    if (builder->operands[index] == NO_OPERAND) {
        uint32_t added;
        enum hy_code code = add_tensor(builder, index, nnapi_type(tensor->type), &added, err);
        if (code == HY_OK && tensor->data)
            code = set_tensor_data(builder, index, added, err);
        if (code != HY_OK)
            return code;
        builder->operands[index] = added;
    }
    *operand = builder->operands[index];
    return HY_OK;
}

/* An int8 constant with a scale per slice of `channel_dim`. */
static enum hy_code add_per_channel(struct hy_model_builder *builder, int32_t index,
                                    uint32_t channel_dim, uint32_t *operand, struct hy_error *err)
{
    const struct hy_tflite_quantisation *quant = &builder->subgraph->tensors[index].quantisation;
    if (quant->dimension != channel_dim)
        return bad_tensor(builder, index, "its scales belong to another dimension", err);

    enum hy_code code =
        add_tensor(builder, index, ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, operand, err);
    if (code != HY_OK)
        return code;
    const ANeuralNetworksSymmPerChannelQuantParams params = {
        .channelDim = channel_dim, .scaleCount = quant->count, .scales = quant->scales};
    code = api(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(builder->model->handle,
                                                                        (int32_t)*operand, &params),
               err);
    return code == HY_OK ? set_tensor_data(builder, index, *operand, err) : code;
}

static enum hy_code add_constant(struct hy_model_builder *builder, int32_t index, int32_t type,
                                 uint32_t *operand, struct hy_error *err)
{
    enum hy_code code = add_tensor(builder, index, type, operand, err);
    return code == HY_OK ? set_tensor_data(builder, index, *operand, err) : code;
}

enum hy_code hy_model_builder_quant_filter(struct hy_model_builder *builder, int32_t index,
                                           uint32_t channel_dim, uint32_t *operand,
                                           struct hy_error *err)
{
    const struct hy_tflite_tensor *tensor = tensor_at(builder, index, err);
    if (!tensor)
        return HY_BAD_DATA;
    if (tensor->data && tensor->quantisation.count > 1)
        return add_per_channel(builder, index, channel_dim, operand, err);
    return hy_model_builder_tensor(builder, index, operand, err);
}

enum hy_code hy_model_builder_dequantised(struct hy_model_builder *builder, int32_t index,
                                          uint32_t *operand, struct hy_error *err)
{
    const struct hy_tflite_tensor *tensor = tensor_at(builder, index, err);
    if (!tensor)
        return HY_BAD_DATA;
    if (!tensor->data || tensor->type != HY_TFLITE_INT8 || tensor->quantisation.count == 0)
        return bad_tensor(builder, index, "not a constant of quantised int8", err);

    uint32_t stored;
    enum hy_code code;
    if (tensor->quantisation.count > 1)
        code = add_per_channel(builder, index, tensor->quantisation.dimension, &stored, err);
    else if (tensor->quantisation.zero_points[0] == 0)
        code = add_constant(builder, index, ANEURALNETWORKS_TENSOR_QUANT8_SYMM, &stored, err);
    else
        code =
            add_constant(builder, index, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, &stored, err);
    if (code == HY_OK)
        code = add_tensor(builder, index, ANEURALNETWORKS_TENSOR_FLOAT32, operand, err);
    if (code == HY_OK)
        code = hy_model_builder_operation(builder, ANEURALNETWORKS_DEQUANTIZE, 1, &stored, 1,
                                          operand, err);
    return code;
}

enum hy_code hy_model_builder_bias(struct hy_model_builder *builder, int32_t index, int32_t type,
                                   uint32_t count, float scale, uint32_t *operand,
                                   struct hy_error *err)
{
    const ANeuralNetworksOperandType description = {
        .type = type, .dimensionCount = 1, .dimensions = &count, .scale = scale};
    enum hy_code code = add_operand(builder, &description, operand, err);
    if (code != HY_OK)
        return code;
    if (index >= 0) {
        if (!builder->subgraph->tensors[index].data)
            return bad_tensor(builder, index, "a bias must be constant", err);
        return set_tensor_data(builder, index, *operand, err);
    }

    size_t bytes = (size_t)count * 4; /* float32 or int32 */
    void *zeros = make_constant(builder, bytes);
    if (!zeros)
        return hy_fail(err, HY_OUT_OF_MEMORY, "bias of %u elements", count);
    return set_value(builder, *operand, zeros, bytes, err);
}

enum hy_code hy_model_builder_scalar_of(struct hy_model_builder *builder, int32_t index,
                                        uint32_t *operand, struct hy_error *err)
{
    const struct hy_tflite_tensor *tensor = tensor_at(builder, index, err);
    if (!tensor)
        return HY_BAD_DATA;
    if (!tensor->data || tensor->is_sparse)
        return bad_tensor(builder, index, "not a constant", err);

    float real;
    int32_t integer;
    if (tensor->type == HY_TFLITE_FLOAT32 && tensor->data_bytes == sizeof real) {
        memcpy(&real, tensor->data, sizeof real);
        return hy_model_builder_float32(builder, real, operand, err);
    }
    if (tensor->type == HY_TFLITE_INT32 && tensor->data_bytes == sizeof integer)
        memcpy(&integer, tensor->data, sizeof integer);
    else if (tensor->type == HY_TFLITE_INT8 && tensor->data_bytes == 1)
        integer = *(const int8_t *)tensor->data;
    else if (tensor->type == HY_TFLITE_UINT8 && tensor->data_bytes == 1)
        integer = *(const uint8_t *)tensor->data;
    else
        return bad_tensor(builder, index, "not a single number", err);
    return hy_model_builder_int32(builder, integer, operand, err);
}

enum hy_code hy_model_builder_left_out(struct hy_model_builder *builder, uint32_t rank,
                                       uint32_t *operand, struct hy_error *err)
{
    static const uint32_t nothing[HY_CONVERT_MAX_RANK];
    const ANeuralNetworksOperandType description = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = rank, .dimensions = nothing};
    enum hy_code code = add_operand(builder, &description, operand, err);
    return code == HY_OK ? set_value(builder, *operand, NULL, 0, err) : code;
}

enum hy_code hy_model_builder_first_state(struct hy_model_builder *builder, int32_t index,
                                          uint32_t *operand, struct hy_error *err)
{
    const struct hy_tflite_tensor *tensor = tensor_at(builder, index, err);
    if (!tensor)
        return HY_BAD_DATA;
    if (!tensor->is_variable || tensor->type != HY_TFLITE_FLOAT32)
        return bad_tensor(builder, index, "not a state of float32", err);

    uint64_t bytes = sizeof(float);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (!hy_mul_u64(bytes, (uint64_t)tensor->dims[i], &bytes) || bytes > MAX_STATE_BYTES)
            return bad_tensor(builder, index, "too large for a state", err);
    }
    enum hy_code code = add_tensor(builder, index, ANEURALNETWORKS_TENSOR_FLOAT32, operand, err);
    if (code != HY_OK)
        return code;
    void *zeros = make_constant(builder, (size_t)bytes);
    if (!zeros)
        return hy_fail(err, HY_OUT_OF_MEMORY, "state of %llu bytes", (unsigned long long)bytes);
    return set_value(builder, *operand, zeros, (size_t)bytes, err);
}

enum hy_code hy_model_builder_temporary(struct hy_model_builder *builder, int32_t like,
                                        uint32_t rank, const uint32_t *dims, uint32_t *operand,
                                        struct hy_error *err)
{
    uint32_t own_dims[HY_CONVERT_MAX_RANK];
    ANeuralNetworksOperandType description;
    const struct hy_tflite_tensor *tensor = tensor_at(builder, like, err);
    if (!tensor)
        return HY_BAD_DATA;
    enum hy_code code =
        describe(builder, like, nnapi_type(tensor->type), own_dims, &description, err);
    if (code != HY_OK)
        return code;
    description.dimensionCount = rank;
    description.dimensions = dims;
    return add_operand(builder, &description, operand, err);
}

/* ---- Operations ------------------------------------------------------------------------------ */

static enum hy_code note_operator(struct hy_model_builder *builder, struct hy_error *err)
{
    struct hy_converted_model *model = builder->model;
    if (model->operation_count == builder->operation_room) {
        uint32_t room = builder->operation_room ? 2 * builder->operation_room : 64;
        uint32_t *grown = realloc(model->operators, room * sizeof *grown);
        if (!grown)
            return hy_fail(err, HY_OUT_OF_MEMORY, "model of %u operations", room);
        model->operators = grown;
        builder->operation_room = room;
    }
    model->operators[model->operation_count++] = builder->operator_index;
    return HY_OK;
}

enum hy_code hy_model_builder_operation(struct hy_model_builder *builder, int32_t type,
                                        uint32_t input_count, const uint32_t *inputs,
                                        uint32_t output_count, const uint32_t *outputs,
                                        struct hy_error *err)
{
    enum hy_code code =
        api(ANeuralNetworksModel_addOperation(builder->model->handle, type, input_count, inputs,
                                              output_count, outputs),
            err);
    return code == HY_OK ? note_operator(builder, err) : code;
}

static enum hy_code operands_of(struct hy_model_builder *builder,
                                const struct hy_tflite_ints *tensors, const char *what,
                                uint32_t *operands, struct hy_error *err)
{
    for (uint32_t i = 0; i < tensors->count; i++) {
        enum hy_code code = hy_model_builder_tensor(builder, tensors->values[i], &operands[i], err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "%s %u", what, i);
    }
    return HY_OK;
}

enum hy_code hy_model_builder_finish(struct hy_model_builder *builder,
                                     struct hy_converted_model **out, struct hy_error *err)
{
    const struct hy_tflite_subgraph *subgraph = builder->subgraph;
    size_t count = (size_t)subgraph->inputs.count + subgraph->outputs.count;
    uint32_t *operands = malloc((count + 1) * sizeof *operands);
    if (!operands)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%zu inputs and outputs", count);

    ANeuralNetworksModel *model = builder->model->handle;
    uint32_t *outputs = operands + subgraph->inputs.count;
    enum hy_code code = operands_of(builder, &subgraph->inputs, "model input", operands, err);
    if (code == HY_OK)
        code = operands_of(builder, &subgraph->outputs, "model output", outputs, err);
    if (code == HY_OK)
        code = api(ANeuralNetworksModel_identifyInputsAndOutputs(
                       model, subgraph->inputs.count, operands, subgraph->outputs.count, outputs),
                   err);
    if (code == HY_OK)
        code = api(ANeuralNetworksModel_finish(model), err);
    free(operands);
    if (code == HY_OK) {
        *out = builder->model;
        builder->model = NULL;
    }
    return code;
}
