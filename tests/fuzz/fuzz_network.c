/* From a file to an NNAPI model: reader, graph, passes, lowering. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libhalyard/session/network.h"
#include "tests/unit/tools/kit/tflite_samples.h"
#include "tests/unit/tools/operators/op_case.h"

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_network: %s\n", what);
    abort();
}

/* What graph.h promises of every graph that a pass returned. */
static void check_graph(const struct hy_graph *graph)
{
    check(graph->state_count <= graph->input_count && graph->state_count <= graph->output_count,
          "there are more states than inputs or outputs");
    for (uint32_t i = 0; i < graph->body_count; i++)
        check_graph(graph->bodies[i]);
    for (uint32_t i = 0; i < graph->tensor_count; i++) {
        const struct hy_graph_tensor *tensor = &graph->tensors[i];
        uint64_t bytes;
        check(tensor->rank <= HY_GRAPH_MAX_RANK, "a rank is too high");
        if (tensor->data && !tensor->sparsity && hy_element_bits(tensor->element) > 0)
            check(hy_element_bytes(tensor->element, tensor->rank, tensor->extents, &bytes) &&
                      bytes == tensor->bytes,
                  "a constant has not the bytes of its shape");
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct hy_graph_node *node = &graph->nodes[i];
        for (uint32_t j = 0; j < node->input_count; j++)
            check(node->inputs[j] == HY_NO_TENSOR || node->inputs[j] < graph->tensor_count,
                  "an input is out of range");
        for (uint32_t j = 0; j < node->output_count; j++)
            check(node->outputs[j] < graph->tensor_count, "an output is out of range");
    }
}

/* Any bytes are either refused with words, or a network with a finished model. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hy_network *network = NULL;
    struct hy_error err = {0};
    const enum hy_code code = hy_network_open(data, size, NULL, &network, &err);

    check(code == HY_OK || (err.text[0] != '\0' && !network), "refused without words");
    if (code == HY_OK)
        check_graph(&network->graph);
    hy_network_close(network);
    return 0;
}

enum { SAMPLES = 4 };

/* The samples, then random models of each operator in its first type. */
uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    struct hy_op_case made;

    if (index == 0)
        return hy_sample_convolution(length);
    if (index == 1)
        return hy_sample_branches(length);
    if (index == 2)
        return hy_sample_loop(length);
    if (index == 3)
        return hy_sample_landmarks(length);
    if (index - SAMPLES >= hy_op_row_count)
        return NULL;
    const struct hy_op_row *row = &hy_op_rows[index - SAMPLES];
    hy_op_case_make(row, (enum hy_tflite_type)__builtin_ctz(row->types), index, &made);
    uint8_t *copy = malloc(made.length);
    if (copy)
        memcpy(copy, made.model, made.length);
    *length = made.length;
    hy_op_case_finish(&made);
    return copy;
}
