/* Tensors whose elements are not single numbers: texts, which are one blob in a graph, and complex
 * numbers, which are pairs of float32 along an additional dimension. Other operators with operands
 * of these types are refused. */
#include <string.h>

#include "libhalyard/tflite/tflite_import.h"

static bool has_type(const struct hy_tflite_subgraph *subgraph, const struct hy_tflite_ints *list,
                     enum hy_tflite_type type)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->values[i] >= 0 && subgraph->tensors[list->values[i]].type == type)
            return true;
    }
    return false;
}

/* Operators that keep the order of the elements. */
static bool preserves_order(enum hy_tflite_op code)
{
    return code == HY_TFLITE_OP_EXPAND_DIMS || code == HY_TFLITE_OP_RESHAPE ||
           code == HY_TFLITE_OP_SQUEEZE;
}

/* A BITCAST between complex numbers and elements of their size or of the size of a part, whose
 * shapes are those of the pairs. */
static bool casts_pairs(const struct hy_tflite_subgraph *subgraph,
                        const struct hy_tflite_operator *operator_)
{
    if (operator_->code != HY_TFLITE_OP_BITCAST || operator_->inputs.count != 1 ||
        operator_->outputs.count != 1 || operator_->inputs.values[0] < 0)
        return false;
    const unsigned from = hy_tflite_type_bits(subgraph->tensors[operator_->inputs.values[0]].type);
    const unsigned to = hy_tflite_type_bits(subgraph->tensors[operator_->outputs.values[0]].type);
    return (from == 32 || from == 64) && (to == 32 || to == 64);
}

static bool supports_complex(enum hy_tflite_op code)
{
    return code == HY_TFLITE_OP_COMPLEX_ABS || code == HY_TFLITE_OP_IMAG ||
           code == HY_TFLITE_OP_REAL || preserves_order(code);
}

/* The shape of a complex output with one open extent as the extents of a RESHAPE. */
static enum hy_code make_reshape(struct hy_tflite_import *import,
                                 const struct hy_tflite_operator *operator_,
                                 struct hy_graph_node *node)
{
    const struct hy_graph_tensor *output =
        &import->graph->tensors[import->tensors[operator_->outputs.values[0]]];
    int32_t *extents = hy_arena_alloc(&import->graph->arena, HY_GRAPH_MAX_RANK * sizeof *extents);

    if (!extents)
        return hy_fail(import->err, HY_OUT_OF_MEMORY, "a shape");
    memcpy(extents, output->signature ? output->signature : output->extents,
           output->rank * sizeof *extents);
    node->operator_ = HY_OPERATOR_RESHAPE;
    node->input_count = 1;
    node->attributes.reshape =
        (struct hy_attributes_reshape){.count = (int32_t)output->rank, .extents = extents};
    return HY_OK;
}

enum hy_code hy_tflite_import_pairs(struct hy_tflite_import *import,
                                    const struct hy_tflite_operator *operator_,
                                    struct hy_graph_node *node)
{
    const struct hy_tflite_subgraph *subgraph = import->subgraph;
    const bool reads = has_type(subgraph, &operator_->inputs, HY_TFLITE_COMPLEX64);
    const bool gives = has_type(subgraph, &operator_->outputs, HY_TFLITE_COMPLEX64);
    const char *reason = NULL;

    if (has_type(subgraph, &operator_->inputs, HY_TFLITE_STRING) ||
        has_type(subgraph, &operator_->outputs, HY_TFLITE_STRING))
        reason = "strings are supported only in lookups in tables";
    else if (!casts_pairs(subgraph, operator_) &&
             ((reads && !supports_complex(operator_->code)) ||
              (gives && operator_->code != HY_TFLITE_OP_RFFT2D &&
               !preserves_order(operator_->code))))
        reason = "complex numbers are supported only from RFFT2D to COMPLEX_ABS, REAL and IMAG";
    if (reason) {
        node->operator_ = HY_OPERATOR_FOREIGN;
        node->attributes.foreign =
            (struct hy_attributes_foreign){.name = node->operator_name, .reason = reason};
        return HY_OK;
    }
    return reads && gives ? make_reshape(import, operator_, node) : HY_OK;
}

/* A blob of any size, but for a constant. */
static enum hy_code shape_texts(struct hy_graph *graph, struct hy_graph_tensor *tensor,
                                struct hy_error *err)
{
    int32_t *signature = hy_arena_alloc(&graph->arena, sizeof *signature);

    if (!signature)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a shape");
    if (tensor->bytes > INT32_MAX)
        return hy_fail(err, HY_BAD_DATA, "texts of %llu bytes", (unsigned long long)tensor->bytes);
    signature[0] = HY_UNKNOWN_EXTENT;
    tensor->rank = 1;
    tensor->extents[0] = tensor->data ? (int32_t)tensor->bytes : HY_TFLITE_NO_TEXTS;
    tensor->signature = tensor->data ? NULL : signature;
    return HY_OK;
}

static enum hy_code shape_complex(struct hy_graph *graph, struct hy_graph_tensor *tensor,
                                  struct hy_error *err)
{
    const uint32_t rank = tensor->rank;
    int32_t *signature = hy_arena_alloc(&graph->arena, HY_GRAPH_MAX_RANK * sizeof *signature);

    if (!signature)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a shape");
    if (rank == HY_GRAPH_MAX_RANK)
        return hy_fail(err, HY_BAD_DATA, "rank %u of complex numbers, at most %u", rank, rank - 1);
    if (tensor->signature) {
        memcpy(signature, tensor->signature, rank * sizeof *signature);
        signature[rank] = 2;
        tensor->signature = signature;
    }
    tensor->element = HY_ELEMENT_FLOAT32;
    tensor->extents[rank] = 2;
    tensor->rank++;
    return HY_OK;
}

enum hy_code hy_tflite_shape_pairs(const struct hy_tflite_tensor *from, struct hy_graph *graph,
                                   struct hy_graph_tensor *tensor, struct hy_error *err)
{
    switch (from->type) {
    case HY_TFLITE_STRING:
        return shape_texts(graph, tensor, err);
    case HY_TFLITE_COMPLEX64:
        return shape_complex(graph, tensor, err);
    default:
        return HY_OK;
    }
}
