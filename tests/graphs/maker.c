#include "tests/graphs/maker.h"

#include "common/half.h"
#include "common/operations/operand_type.h"

#include <string.h>

#define PICK_TRIES 24

char maker_letter(struct maker *maker, const char *letters)
{
    return letters[maker_below(maker, (uint32_t)strlen(letters))];
}

struct graph_type maker_type(struct maker *maker, char letter)
{
    static const float scales[] = {0.05f, 0.125f, 0.2f};
    struct graph_type type = {.code = hy_operand_type_of_letter(letter)->code};
    if (letter != 'Q' && letter != 'S')
        return type;
    type.scale = scales[maker_below(maker, 3)];
    type.zero_point = (int32_t)maker_below(maker, 40) + (letter == 'Q' ? 100 : -20);
    return type;
}

bool maker_is(const struct graph_type *type, const char *letters)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(type->code);
    return info && strchr(letters, info->letter);
}

static bool is_tensor(const struct graph_operand *operand)
{
    return operand->role <= GRAPH_RESULT && operand->type.rank > 0;
}

/* The newest come up more often than the others, so that graphs are deep. */
uint32_t maker_pick(struct maker *maker, const char *letters, uint32_t rank_max)
{
    const uint32_t count = maker->graph->operand_count;
    for (uint32_t i = 0; i < PICK_TRIES; i++) {
        const uint32_t reach = maker_below(maker, 2) && count > 24 ? 24 : count;
        const uint32_t index = count - 1 - maker_below(maker, reach);
        const struct graph_operand *operand = &maker->graph->operands[index];
        if (is_tensor(operand) && operand->type.rank <= rank_max &&
            maker_is(&operand->type, letters))
            return index;
    }
    return MAKER_NONE;
}

static bool is_like(const struct graph_type *a, const struct graph_type *b, bool exactly)
{
    return a->code == b->code && a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0 &&
           (!exactly || (a->scale == b->scale && a->zero_point == b->zero_point));
}

uint32_t maker_pick_like(struct maker *maker, uint32_t like, bool exactly)
{
    const uint32_t count = maker->graph->operand_count;
    for (uint32_t i = 0; i < PICK_TRIES; i++) {
        const uint32_t index = maker_below(maker, count);
        const struct graph_operand *operand = &maker->graph->operands[index];
        if (is_tensor(operand) && is_like(&operand->type, maker_type_of(maker, like), exactly))
            return index;
    }
    return like;
}

static void put_value(struct maker *maker, char letter, void *values, uint32_t index)
{
    const uint32_t random = maker_below(maker, 1u << 16);
    const float real = (float)random / 16384 - 2;
    switch (letter) {
    case 'F':
        ((float *)values)[index] = real;
        break;
    case 'H':
        ((uint16_t *)values)[index] = hy_half_from_float(real);
        break;
    case 'I':
        ((int32_t *)values)[index] = (int32_t)(random % 41) - 20;
        break;
    case 'B':
        ((uint8_t *)values)[index] = random % 2;
        break;
    default:
        ((uint8_t *)values)[index] = (uint8_t)random;
    }
}

void maker_values(struct maker *maker, const struct graph_type *type, void *values)
{
    const char letter = hy_operand_type_info(type->code)->letter;
    const uint32_t count = graph_elements(type);
    for (uint32_t i = 0; i < count; i++)
        put_value(maker, letter, values, i);
}

uint32_t maker_constant(struct maker *maker, const struct graph_type *type)
{
    uint64_t values[MAKER_ELEMENTS_MAX];
    maker_values(maker, type, values);
    return graph_constant(maker->graph, type, values);
}

uint32_t maker_result(struct maker *maker, const struct graph_type *type)
{
    const uint32_t index = graph_result(maker->graph, type);
    if (maker->is_dynamic && maker_below(maker, 2))
        memset(maker->graph->operands[index].is_hidden, 1, sizeof(bool[GRAPH_RANK_MAX]));
    return index;
}

bool maker_add(struct maker *maker, int32_t code, uint32_t input_count, const uint32_t *inputs,
               const struct graph_type *result)
{
    const uint32_t output = maker_result(maker, result);
    graph_operation(maker->graph, code, input_count, inputs, 1, &output);
    return true;
}

/* ---- Whole graphs ---------------------------------------------------------------------------- */

void maker_inputs(struct maker *maker)
{
    static const char letters[] = "FHIQSBF";
    uint64_t values[MAKER_ELEMENTS_MAX];
    struct graph_type type;
    for (const char *letter = letters; *letter; letter++) {
        type = maker_type(maker, *letter);
        type.rank = 1 + maker_below(maker, GRAPH_RANK_MAX);
        for (uint32_t i = 0; i < type.rank; i++)
            type.dims[i] = 1 + maker_below(maker, 4);
        maker_values(maker, &type, values);
        const uint32_t index = graph_input(maker->graph, &type, values);
        for (uint32_t i = 0; i < type.rank; i++)
            maker->graph->operands[index].is_hidden[i] =
                maker->is_dynamic && maker_below(maker, 3) == 0;
    }
}

void maker_operations(struct maker *maker, uint32_t count)
{
    static maker_fn *const makers[] = {
        maker_arithmetic,  maker_arithmetic,      maker_arithmetic,
        maker_unary,       maker_unary,           maker_compare,
        maker_logical,     maker_select,          maker_convert,
        maker_convert,     maker_reshape,         maker_transpose,
        maker_concatenate, maker_slice,           maker_pad,
        maker_split,       maker_expand,          maker_tile,
        maker_reverse,     maker_reduce,          maker_arg_extreme,
        maker_softmax,     maker_fully_connected, maker_late_slice,
        maker_if,          maker_while,
    };
    const uint64_t seed = hy_random_next(&maker->chance);
    struct graph *graph = maker->graph;
    for (uint32_t i = graph->operation_count; i < count && !graph->failed; i++) {
        /* Each operation draws on its own: a smaller graph is the start of a larger one. */
        maker->chance.state = hy_random_mix(seed, i);
        while (!makers[maker_below(maker, sizeof makers / sizeof *makers)](maker))
            continue;
    }
}
