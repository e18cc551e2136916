#include "libhalyard/lower/legal/legal_rules.h"

#include <string.h>

/* Operators that only move elements. No operation changes the quantisation, and operators without a
 * form in the extension do not move bool. */
enum moved {
    NOT_MOVED,
    FIRST_MOVED,  /* input 0 */
    SECOND_MOVED, /* input 1 */
    ALL_MOVED,
    OTHERS_MOVED, /* no single input has the elements of the output */
};

static const enum moved moved[HY_OPERATOR_COUNT] = {
    [HY_OPERATOR_BATCH_TO_SPACE_ND] = FIRST_MOVED,
    [HY_OPERATOR_BROADCAST_TO] = FIRST_MOVED,
    [HY_OPERATOR_CONCATENATION] = ALL_MOVED,
    [HY_OPERATOR_DEPTH_TO_SPACE] = FIRST_MOVED,
    [HY_OPERATOR_DILATE] = OTHERS_MOVED,
    [HY_OPERATOR_DYNAMIC_UPDATE_SLICE] = OTHERS_MOVED,
    [HY_OPERATOR_EMBEDDING_LOOKUP] = SECOND_MOVED,
    [HY_OPERATOR_EXPAND_DIMS] = FIRST_MOVED,
    [HY_OPERATOR_FILL] = OTHERS_MOVED,
    [HY_OPERATOR_GATHER] = FIRST_MOVED,
    [HY_OPERATOR_GATHER_ND] = FIRST_MOVED,
    [HY_OPERATOR_MATRIX_DIAG] = FIRST_MOVED,
    [HY_OPERATOR_MATRIX_SET_DIAG] = OTHERS_MOVED,
    [HY_OPERATOR_MIRROR_PAD] = FIRST_MOVED,
    [HY_OPERATOR_ONE_HOT] = OTHERS_MOVED,
    [HY_OPERATOR_PACK] = ALL_MOVED,
    [HY_OPERATOR_PAD] = FIRST_MOVED,
    [HY_OPERATOR_PAD_V2] = FIRST_MOVED,
    [HY_OPERATOR_RESHAPE] = FIRST_MOVED,
    [HY_OPERATOR_RESIZE_BILINEAR] = FIRST_MOVED,
    [HY_OPERATOR_RESIZE_NEAREST_NEIGHBOR] = FIRST_MOVED,
    [HY_OPERATOR_REVERSE] = FIRST_MOVED,
    [HY_OPERATOR_REVERSE_SEQUENCE] = FIRST_MOVED,
    [HY_OPERATOR_SCATTER_ND] = OTHERS_MOVED,
    [HY_OPERATOR_SLICE] = FIRST_MOVED,
    [HY_OPERATOR_SPACE_TO_BATCH_ND] = FIRST_MOVED,
    [HY_OPERATOR_SPACE_TO_DEPTH] = FIRST_MOVED,
    [HY_OPERATOR_SPARSE_TO_DENSE] = OTHERS_MOVED,
    [HY_OPERATOR_SPLIT] = SECOND_MOVED,
    [HY_OPERATOR_SPLIT_V] = FIRST_MOVED,
    [HY_OPERATOR_SQUEEZE] = FIRST_MOVED,
    [HY_OPERATOR_STRIDED_SLICE] = FIRST_MOVED,
    [HY_OPERATOR_TILE] = FIRST_MOVED,
    [HY_OPERATOR_TRANSPOSE] = FIRST_MOVED,
    [HY_OPERATOR_UNPACK] = FIRST_MOVED,
    [HY_OPERATOR_ZEROS_LIKE] = OTHERS_MOVED,
};

/* Whether the operator has an operation of bool. */
static bool moves_bools(enum hy_operator operator_)
{
    switch (operator_) {
    case HY_OPERATOR_ARG_MAX:
    case HY_OPERATOR_ARG_MIN:
    case HY_OPERATOR_RESIZE_BILINEAR:
    case HY_OPERATOR_RESIZE_NEAREST_NEIGHBOR:
    case HY_OPERATOR_SELECT:
    case HY_OPERATOR_SELECT_V2:
        return false;
    default:
        return true;
    }
}

static bool is_bool(const struct hy_legaliser *legaliser, uint32_t tensor)
{
    return hy_legal_tensor(legaliser, tensor).element == HY_ELEMENT_BOOL;
}

static uint32_t cast(struct hy_legaliser *legaliser, uint32_t from, enum hy_element to)
{
    struct hy_graph_tensor like = hy_legal_tensor(legaliser, from);
    const struct hy_shape shape = hy_legal_shape_of(&like);

    like.element = to;
    if (like.data) /* false is 0, and true another number */
        return hy_legal_constant(legaliser, &like, &shape, like.data);
    return hy_legal_node(legaliser, HY_OPERATOR_CAST, NULL, &from, 1, &like, &shape);
}

/* The current node on bytes: bool becomes uint8, and the results become bool again. */
static bool move_bytes(struct hy_legaliser *legaliser, uint32_t first)
{
    const struct hy_graph_node *node = legaliser->node;
    struct hy_arena *arena = &legaliser->graph->arena;
    uint32_t *inputs = hy_arena_copy(arena, node->inputs, node->input_count, sizeof *inputs);
    uint32_t *outputs = hy_arena_copy(arena, node->outputs, node->output_count, sizeof *outputs);

    if (!inputs || !outputs) {
        legaliser->code = hy_fail(legaliser->err, HY_OUT_OF_MEMORY, "node of bool");
        return true;
    }
    for (uint32_t i = first; i < node->input_count; i++) {
        if (inputs[i] != HY_NO_TENSOR && is_bool(legaliser, inputs[i]))
            inputs[i] = cast(legaliser, inputs[i], HY_ELEMENT_UINT8);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        struct hy_graph_tensor like = hy_legal_output(legaliser, i);
        const struct hy_shape shape = hy_legal_shape_of(&like);
        if (like.element != HY_ELEMENT_BOOL)
            continue;
        like.element = HY_ELEMENT_UINT8;
        outputs[i] = hy_legal_value(legaliser, &like, &shape);
    }
    hy_legal_emit_list(legaliser, node->operator_, &node->attributes, inputs, node->input_count,
                       outputs, node->output_count);
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (outputs[i] != node->outputs[i])
            hy_legal_emit(legaliser, HY_OPERATOR_CAST, NULL, &outputs[i], 1, node->outputs[i]);
    }
    return true;
}

static bool has_bools(const struct hy_legaliser *legaliser, uint32_t first)
{
    const struct hy_graph_node *node = legaliser->node;
    for (uint32_t i = first; i < node->input_count; i++) {
        if (node->inputs[i] != HY_NO_TENSOR && is_bool(legaliser, node->inputs[i]))
            return true;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (is_bool(legaliser, node->outputs[i]))
            return true;
    }
    return false;
}

/* The current node with outputs of the input's quantisation. A CAST preserves the bytes. */
static bool copy_quantisation(struct hy_legaliser *legaliser, uint32_t input)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor from = hy_legal_input(legaliser, input);
    const struct hy_graph_tensor to = hy_legal_output(legaliser, 0);

    if (!hy_has_steps(&from) || from.element != to.element || hy_same_quantisation(&from, &to) ||
        from.quantisation.count > 1 || to.quantisation.count > 1)
        return false;
    uint32_t *outputs = hy_legal_memory(legaliser, node->output_count, sizeof *outputs);
    for (uint32_t i = 0; outputs && i < node->output_count; i++) {
        const struct hy_graph_tensor output = hy_legal_output(legaliser, i);
        const struct hy_shape shape = hy_legal_shape_of(&output);
        outputs[i] = hy_legal_value(legaliser, &from, &shape);
    }
    hy_legal_emit_list(legaliser, node->operator_, &node->attributes, node->inputs,
                       node->input_count, outputs, node->output_count);
    for (uint32_t i = 0; outputs && i < node->output_count; i++)
        hy_legal_emit(legaliser, HY_OPERATOR_CAST, NULL, &outputs[i], 1, node->outputs[i]);
    return true;
}

bool hy_legalise_types(struct hy_legaliser *legaliser)
{
    const enum moved inputs = moved[legaliser->node->operator_];
    const uint32_t first = inputs == SECOND_MOVED ? 1 : 0;

    if (inputs == NOT_MOVED)
        return false;
    if (!moves_bools(legaliser->node->operator_) && has_bools(legaliser, first))
        return move_bytes(legaliser, first);
    if (inputs == FIRST_MOVED || inputs == SECOND_MOVED)
        return copy_quantisation(legaliser, first);
    return false;
}
