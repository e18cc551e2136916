#include "runtime/plan/cost/work_estimate.h"

#include "android/NeuralNetworks.h"
#include "common/operations/operand_type.h"
#include "common/operations/operation.h"

#include <stdint.h>

/* Overhead of an operation of the CPU backend. */
#define OPERATION_NS 40.0

/* The formula for the units of an operation. */
enum formula {
    LARGER, /* elements of the first input or output, whichever is larger */
    OUTPUT, /* elements of the first output: the input may be a table */
    CONV,
    DEPTHWISE,
    TRANSPOSE_CONV,
    FULLY_CONNECTED,
    MATMUL,
    RECURRENT,
};

/* Kinds of units. */
enum unit {
    STEP,       /* a few instructions for each element */
    FUNCTION,   /* an exponential, a division or a search per element */
    MOVE,       /* a copied element */
    MAC,        /* a multiply-accumulate with weights used many times */
    LONE_MAC,   /* with few weights per element */
    VECTOR_MAC, /* with one element per weight */
    UNIT_COUNT,
};

enum type_group { FLOAT32, FLOAT16, BYTE, OTHER, TYPE_GROUP_COUNT };

struct rule {
    uint8_t formula;
    uint8_t unit;
};

/* The last row is for operations outside ops.def: {LARGER, STEP}. */
static const struct rule rules[HY_OP_COUNT + 1] = {
#define WORK(formula, unit) formula, unit
#define OP(code, name, level, in_min, in_max, out_min, out_max, work, ...) \
    [HY_OP_ROW(code)] = {work},
#define EXTENSION_OP(name, in_min, in_max, out_min, out_max, work, ...) \
    [HY_OP_ROW(HY_EXT_##name)] = {work},
#include "common/operations/ops.def"
};

/* Nanoseconds per unit. */
static const double rates[UNIT_COUNT][TYPE_GROUP_COUNT] = {
    [STEP] = {[FLOAT32] = .2, [FLOAT16] = .5, [BYTE] = .12, [OTHER] = .5},
    [FUNCTION] = {[FLOAT32] = 1, [FLOAT16] = 1.5, [BYTE] = 1, [OTHER] = 1.5},
    [MOVE] = {[FLOAT32] = .2, [FLOAT16] = .1, [BYTE] = .03, [OTHER] = .2},
    [MAC] = {[FLOAT32] = .018, [FLOAT16] = .1, [BYTE] = .006, [OTHER] = .1},
    [VECTOR_MAC] = {[FLOAT32] = .035, [FLOAT16] = .2, [BYTE] = .01, [OTHER] = .2},
    [LONE_MAC] = {[FLOAT32] = .05, [FLOAT16] = .2, [BYTE] = .035, [OTHER] = .2},
};

static enum type_group group_of(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_FLOAT32:
    case ANEURALNETWORKS_TENSOR_FLOAT32:
        return FLOAT32;
    case ANEURALNETWORKS_FLOAT16:
    case ANEURALNETWORKS_TENSOR_FLOAT16:
        return FLOAT16;
    default:
        return hy_operand_type_bytes(type) == 1 ? BYTE : OTHER;
    }
}

/* ---- Units ----------------------------------------------------------------------------------- */

static double elements(const struct hy_operand *operand)
{
    const struct hy_operand_type_info *type = hy_operand_type_info(operand->type);
    double count = 1;

    for (uint32_t i = 0; i < operand->rank; i++)
        count *= operand->dims[i];
    if (operand->rank == 0 && !(type && type->is_scalar))
        return HY_UNKNOWN_ELEMENTS;
    return count > 0 ? count : HY_UNKNOWN_ELEMENTS;
}

/* The extent of a dimension; 1 if missing or unknown. */
static double extent(const struct hy_operand *operand, uint32_t dimension)
{
    return dimension < operand->rank && operand->dims[dimension] ? operand->dims[dimension] : 1;
}

static double last_extent(const struct hy_operand *operand)
{
    return extent(operand, operand->rank - 1);
}

static const struct hy_operand *input(const struct hy_subgraph *graph,
                                      const struct hy_operation *operation, uint32_t index)
{
    return &graph->operands[operation->inputs[index]];
}

/* Each row of the input meets every weight once. */
static double recurrent_units(const struct hy_subgraph *graph, const struct hy_operation *operation)
{
    const struct hy_operand *rows = input(graph, operation, 0);
    double weights = 0;

    for (uint32_t i = 1; i < operation->input_count; i++) {
        const struct hy_operand *operand = input(graph, operation, i);
        if (operand->rank == 2)
            weights += elements(operand);
    }
    return weights * elements(rows) / last_extent(rows);
}

/* The signature of an operation with weights guarantees a second input. */
static double mac_units(const struct hy_subgraph *graph, const struct hy_operation *operation,
                        enum formula formula)
{
    const struct hy_operand *in = input(graph, operation, 0);
    const struct hy_operand *weights = input(graph, operation, 1);
    const struct hy_operand *out = &graph->operands[operation->outputs[0]];

    switch (formula) {
    case CONV: /* each output element uses one filter */
        return elements(out) * elements(weights) / extent(weights, 0);
    case DEPTHWISE: /* filters are adjacent in the last dimension */
        return elements(out) * elements(weights) / last_extent(weights);
    case TRANSPOSE_CONV: /* each input element uses one value of each filter position */
        return elements(in) * elements(weights) / last_extent(weights);
    case FULLY_CONNECTED:
        return elements(out) * last_extent(weights);
    default: /* MATMUL: each element of the first input is used for one row of the result */
        return elements(in) * last_extent(out);
    }
}

static double units_of(const struct hy_subgraph *graph, const struct hy_operation *operation,
                       enum formula formula)
{
    const double out = elements(&graph->operands[operation->outputs[0]]);
    const double in = elements(input(graph, operation, 0));

    switch (formula) {
    case LARGER:
        return in > out ? in : out;
    case OUTPUT:
        return out;
    case RECURRENT:
        return recurrent_units(graph, operation);
    default:
        return operation->input_count > 1 ? mac_units(graph, operation, formula) : out;
    }
}

struct hy_work_estimate hy_work_estimate_of(const struct hy_subgraph *graph,
                                            const struct hy_operation *operation)
{
    const struct rule rule = rules[hy_op_row(operation->type)];
    if (operation->input_count == 0 || operation->output_count == 0)
        return (struct hy_work_estimate){1, OPERATION_NS};

    const enum type_group group = group_of(input(graph, operation, 0)->type);
    const double units = units_of(graph, operation, (enum formula)rule.formula);
    return (struct hy_work_estimate){units, OPERATION_NS + units * rates[rule.unit][group]};
}
