#include "libhalyard/lower/legal/legal_rules.h"

#include <math.h>
#include <string.h>

/* The result of a reduction of no elements; false for an undefined result. */
static bool neutral_element(enum hy_operator operator_, enum hy_element element, void *to)
{
    const bool is_real = element == HY_ELEMENT_FLOAT32;
    const bool is_product = operator_ == HY_OPERATOR_REDUCE_PROD;
    const float real = is_product                            ? 1.0f
                       : operator_ == HY_OPERATOR_REDUCE_MAX ? -INFINITY
                       : operator_ == HY_OPERATOR_REDUCE_MIN ? INFINITY
                                                             : 0.0f;
    const int32_t integer = is_product;
    const int64_t wide = is_product;

    switch (operator_) {
    case HY_OPERATOR_REDUCE_ALL:
        memset(to, 1, 1);
        return element == HY_ELEMENT_BOOL;
    case HY_OPERATOR_REDUCE_ANY:
        memset(to, 0, 1);
        return element == HY_ELEMENT_BOOL;
    case HY_OPERATOR_REDUCE_MAX:
    case HY_OPERATOR_REDUCE_MIN:
        memcpy(to, &real, sizeof real);
        return is_real;
    case HY_OPERATOR_REDUCE_PROD:
    case HY_OPERATOR_SUM:
        if (element == HY_ELEMENT_INT64)
            memcpy(to, &wide, sizeof wide);
        else
            memcpy(to, is_real ? (const void *)&real : &integer, sizeof integer);
        return is_real || element == HY_ELEMENT_INT32 || element == HY_ELEMENT_INT64;
    default:
        return false;
    }
}

/* The output of PAD has paddings alone. */
static bool padding_element(const struct hy_legaliser *legaliser, const struct hy_graph_tensor *to,
                            void *element)
{
    const struct hy_graph_tensor value = hy_legal_input(legaliser, 2);
    const size_t size = hy_element_bits(to->element) / 8;

    if (legaliser->node->operator_ == HY_OPERATOR_PAD) {
        memset(element, to->quantisation.count == 1 ? to->quantisation.zero_points[0] : 0, size);
        return size == 1 || to->quantisation.count == 0;
    }
    if (legaliser->node->operator_ != HY_OPERATOR_PAD_V2 || !value.data || value.bytes != size)
        return false;
    memcpy(element, value.data, size);
    return true;
}

bool hy_legalise_of_nothing(struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&output);
    char element[sizeof(int64_t)] = {0};

    if (node->output_count != 1 || hy_element_bits(output.element) > 8 * sizeof element ||
        (!neutral_element(node->operator_, output.element, element) &&
         !padding_element(legaliser, &output, element)))
        return false;
    hy_legal_give(legaliser, hy_legal_filled(legaliser, &output, &shape, element), 0);
    return true;
}
