#include "tests/unit/tools/kit/tflite_walk.h"

#include <math.h>
#include <string.h>

static volatile unsigned sink;

static void read_bytes(const void *data, uint64_t count, uint64_t *left)
{
    unsigned sum = 0;
    for (uint64_t i = 0; i<count && * left> 0; i++, (*left)--)
        sum += ((const unsigned char *)data)[i];
    sink += sum;
}

static const char *walk_quantisation(const struct hy_tflite_tensor *tensor)
{
    const struct hy_tflite_quantisation *quantisation = &tensor->quantisation;
    if (quantisation->count > 1 &&
        (quantisation->dimension >= tensor->rank ||
         (uint32_t)tensor->dims[quantisation->dimension] != quantisation->count))
        return "scales do not fit the quantised dimension";
    for (uint32_t i = 0; i < quantisation->count; i++) {
        if (!isfinite(quantisation->scales[i]) || quantisation->scales[i] < 0)
            return "scale is not a size";
        sink += (unsigned)quantisation->zero_points[i];
    }
    return NULL;
}

static const char *walk_tensor(const struct hy_tflite_tensor *tensor, uint64_t *left)
{
    uint64_t bytes;
    if (!tensor->name || (unsigned)tensor->type >= HY_TFLITE_TYPE_COUNT)
        return "tensor has no name or a strange type";
    sink += (unsigned)strlen(tensor->name);
    if (!hy_tflite_type_bytes(tensor->type, tensor->rank, tensor->dims, &bytes) ||
        bytes != tensor->bytes)
        return "tensor's bytes are not those of its shape";
    for (uint32_t i = 0; tensor->signature && i < tensor->rank; i++) {
        if (tensor->signature[i] < -1)
            return "signature is below -1";
    }
    if (tensor->data && bytes != 0 && !tensor->sparsity && tensor->data_bytes != bytes)
        return "constant's length is not that of its shape";
    if (tensor->data)
        read_bytes(tensor->data, tensor->data_bytes, left);
    return walk_quantisation(tensor);
}

static bool indices_fit(const struct hy_tflite_ints *indices, uint32_t count, int32_t least)
{
    for (uint32_t i = 0; i < indices->count; i++) {
        if (indices->values[i] < least || indices->values[i] >= (int64_t)count)
            return false;
    }
    return true;
}

static const char *walk_operator(const struct hy_tflite_operator *operator_, uint32_t tensors)
{
    if ((unsigned)operator_->code >= HY_TFLITE_OP_COUNT)
        return "operator is unknown";
    if ((operator_->code == HY_TFLITE_OP_CUSTOM) != (operator_->custom_name != NULL))
        return "custom name is not where it belongs";
    if (!indices_fit(&operator_->inputs, tensors, -1) ||
        !indices_fit(&operator_->intermediates, tensors, -1) ||
        !indices_fit(&operator_->outputs, tensors, 0))
        return "operand is out of range";
    if (operator_->options.kind == HY_TFLITE_OPTIONS_RESHAPE) {
        for (uint32_t i = 0; i < operator_->options.reshape.new_shape.count; i++)
            sink += (unsigned)operator_->options.reshape.new_shape.values[i];
    }
    return NULL;
}

static const char *walk_subgraph(const struct hy_tflite_subgraph *subgraph, uint64_t *left)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; !wrong && i < subgraph->tensor_count; i++)
        wrong = walk_tensor(&subgraph->tensors[i], left);
    for (uint32_t i = 0; !wrong && i < subgraph->operator_count; i++)
        wrong = walk_operator(&subgraph->operators[i], subgraph->tensor_count);
    if (!wrong && (!indices_fit(&subgraph->inputs, subgraph->tensor_count, 0) ||
                   !indices_fit(&subgraph->outputs, subgraph->tensor_count, 0)))
        wrong = "subgraph's input or output is out of range";
    sink += (unsigned)strlen(subgraph->name);
    return wrong;
}

static bool named_tensors_fit(const struct hy_tflite_named_tensor *tensors, uint32_t count,
                              uint32_t tensor_count)
{
    for (uint32_t i = 0; i < count; i++) {
        sink += (unsigned)strlen(tensors[i].name);
        if (tensors[i].tensor >= tensor_count)
            return false;
    }
    return true;
}

static const char *walk_signature(const struct hy_tflite_model *model,
                                  const struct hy_tflite_signature *signature)
{
    sink += (unsigned)strlen(signature->key);
    if (signature->subgraph >= model->subgraph_count)
        return "signature of no subgraph";
    const uint32_t tensors = model->subgraphs[signature->subgraph].tensor_count;
    if (!named_tensors_fit(signature->inputs, signature->input_count, tensors) ||
        !named_tensors_fit(signature->outputs, signature->output_count, tensors))
        return "signature's input or output is out of range";
    return NULL;
}

const char *hy_tflite_walk(const struct hy_tflite_model *model, uint64_t most)
{
    const char *wrong = model->subgraph_count == 0 ? "model has no subgraph" : NULL;
    sink += (unsigned)strlen(model->description);
    for (uint32_t i = 0; !wrong && i < model->subgraph_count; i++)
        wrong = walk_subgraph(&model->subgraphs[i], &most);
    if (!wrong && model->signature_count == 0)
        wrong = "model has no signature";
    for (uint32_t i = 0; !wrong && i < model->signature_count; i++)
        wrong = walk_signature(model, &model->signatures[i]);
    return wrong;
}
