#include "libhalyard/graph/fold/folding.h"

#include "common/half.h"
#include "libhalyard/graph/budget.h"

static const struct hy_graph_tensor no_tensor = {.name = "", .element = HY_ELEMENT_VARIANT};

const struct hy_graph_tensor *hy_folding_input(const struct hy_folding *folding, uint32_t index)
{
    const uint32_t tensor = hy_graph_node_input(folding->node, index);
    return tensor == HY_NO_TENSOR ? &no_tensor : &folding->graph->tensors[tensor];
}

const struct hy_graph_tensor *hy_folding_output(const struct hy_folding *folding)
{
    return &folding->graph->tensors[folding->node->outputs[folding->output]];
}

void *hy_folding_make(struct hy_folding *folding)
{
    void *made = hy_graph_make_constant(folding->graph, folding->bytes, folding->err);
    if (!made)
        folding->code = HY_OUT_OF_MEMORY;
    folding->data = made;
    return made;
}

bool hy_folding_read(const struct hy_folding *folding, uint32_t index,
                     struct hy_folding_numbers *numbers)
{
    numbers->count =
        hy_constant_ints(hy_folding_input(folding, index), numbers->at, HY_CONSTANT_MAX_INTS);
    return numbers->count >= 0;
}

bool hy_folding_store(struct hy_folding *folding, const int64_t *numbers, uint64_t count)
{
    if (count != folding->elements)
        return false;
    void *to = hy_folding_make(folding);
    return to && hy_constant_store(hy_folding_output(folding)->element, numbers, count, to);
}

/* float16 weights: every value of theirs is a float32. */
bool hy_fold_widen_halves(struct hy_folding *folding)
{
    const struct hy_graph_tensor *from = hy_folding_input(folding, 0);

    if (from->element != HY_ELEMENT_FLOAT16 ||
        hy_folding_output(folding)->element != HY_ELEMENT_FLOAT32 ||
        from->bytes != folding->elements * sizeof(uint16_t))
        return false;
    float *to = hy_folding_make(folding);
    if (!to)
        return false;
    hy_halves_to_floats(from->data, (size_t)folding->elements, to);
    return true;
}

/* The same bytes in another shape. */
bool hy_fold_reuse_bytes(struct hy_folding *folding)
{
    const struct hy_graph_tensor *from = hy_folding_input(folding, 0);
    folding->data = from->data;
    return from->element == hy_folding_output(folding)->element && from->bytes == folding->bytes;
}

bool hy_fold_bitcast(struct hy_folding *folding)
{
    const struct hy_graph_tensor *from = hy_folding_input(folding, 0);
    folding->data = from->data;
    return hy_element_bits(from->element) >= 8 &&
           hy_element_bits(hy_folding_output(folding)->element) >= 8 &&
           from->bytes == folding->bytes;
}
