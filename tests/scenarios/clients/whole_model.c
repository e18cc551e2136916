#include "tests/scenarios/clients/whole_model.h"

#include "libhalyard/preprocess/file_map.h"
#include "libhalyard/tflite/tflite_model.h"
#include "tests/kit/test.h"

static bool is_byte_constant(const struct hy_tflite_tensor *tensor)
{
    return tensor->data && tensor->type == HY_TFLITE_INT8;
}

static uint32_t count_dequantized(const struct hy_tflite_subgraph *graph,
                                  const struct hy_tflite_operator *operator)
{
    const struct hy_tflite_ints *inputs = &operator->inputs;
    uint32_t count = 0;
    if (inputs->count == 0 || inputs->values[0] < 0 ||
        graph->tensors[inputs->values[0]].type != HY_TFLITE_FLOAT32)
        return 0;
    for (uint32_t i = 1; i < inputs->count; i++)
        count += inputs->values[i] >= 0 && is_byte_constant(&graph->tensors[inputs->values[i]]);
    return count;
}

static void read_graph(const struct hy_tflite_subgraph *graph, struct hy_whole_model *whole)
{
    *whole = (struct hy_whole_model){.operation_count = graph->operator_count};
    for (uint32_t i = 0; i < graph->operator_count; i++)
        whole->operation_count += count_dequantized(graph, &graph->operators[i]);
    for (uint32_t i = 0; i < graph->tensor_count; i++)
        whole->is_quantised |= graph->tensors[i].type == HY_TFLITE_INT8;
}

bool hy_whole_model_read(const char *path, struct hy_whole_model *whole)
{
    struct hy_tflite_model *model = NULL;
    struct hy_file file = {0};
    struct hy_error err = {0};
    enum hy_code code = hy_file_map(path, hy_tflite_default_limits.file_bytes, &file, &err);
    if (code == HY_OK)
        code = hy_tflite_open(file.bytes, file.length, NULL, &model, &err);
    if (code == HY_OK)
        read_graph(&model->subgraphs[0], whole);
    else
        hy_test_fail(__FILE__, __LINE__, "%s: %s", path, err.text);
    hy_tflite_close(model);
    hy_file_unmap(&file);
    return code == HY_OK;
}
