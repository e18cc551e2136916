#include "libhalyard/graph/fold/known_numbers.h"

#include "libhalyard/graph/constant.h"

/* Appends the numbers of a part; only the numbers of a constant are known. */
static uint64_t append(const struct hy_graph_tensor *part, int64_t *numbers, uint64_t capacity)
{
    uint64_t count;

    if (!hy_graph_tensor_elements(part, &count) || count > capacity)
        return 0;
    if (hy_constant_ints(part, numbers, (uint32_t)capacity) == (int64_t)count)
        return count;
    for (uint64_t i = 0; i < count; i++)
        numbers[i] = part->numbers ? part->numbers[i] : HY_UNKNOWN_NUMBER;
    return count;
}

enum hy_code hy_graph_know_numbers(struct hy_graph *graph, const struct hy_graph_node *node,
                                   struct hy_error *err)
{
    int64_t numbers[HY_GRAPH_MAX_RANK];
    uint64_t count = 0, expected;

    if ((node->operator_ != HY_OPERATOR_PACK && node->operator_ != HY_OPERATOR_CONCATENATION) ||
        node->output_count != 1)
        return HY_OK;
    struct hy_graph_tensor *output = &graph->tensors[node->outputs[0]];
    if (output->rank != 1 || !hy_graph_tensor_elements(output, &expected) ||
        expected > HY_GRAPH_MAX_RANK ||
        (output->element != HY_ELEMENT_INT32 && output->element != HY_ELEMENT_INT64))
        return HY_OK;
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] == HY_NO_TENSOR)
            return HY_OK;
        count +=
            append(&graph->tensors[node->inputs[i]], numbers + count, HY_GRAPH_MAX_RANK - count);
    }
    if (count != expected)
        return HY_OK;
    output->numbers = hy_arena_copy(&graph->arena, numbers, (size_t)count, sizeof *numbers);
    return output->numbers ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "numbers of a shape");
}
