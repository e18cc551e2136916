#include "tests/scenarios/graphs/generator.h"

#include "common/half.h"
#include "common/operations/operand_type.h"

#include <string.h>

#define PICK_TRIES 24

char generator_letter(struct generator *generator, const char *letters)
{
    return letters[generator_below(generator, (uint32_t)strlen(letters))];
}

struct graph_type generator_type(struct generator *generator, char letter)
{
    static const float scales[] = {0.05f, 0.125f, 0.2f};
    struct graph_type type = {.code = hy_operand_type_of_letter(letter)->code};
    if (letter != 'Q' && letter != 'S')
        return type;
    type.scale = scales[generator_below(generator, 3)];
    type.zero_point = (int32_t)generator_below(generator, 40) + (letter == 'Q' ? 100 : -20);
    return type;
}

bool generator_is(const struct graph_type *type, const char *letters)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(type->code);
    return info && strchr(letters, info->letter);
}

static bool is_tensor(const struct graph_operand *operand)
{
    return operand->role <= GRAPH_RESULT && operand->type.rank > 0;
}

/* The newest come up more often than the others, so that graphs are deep. */
uint32_t generator_pick(struct generator *generator, const char *letters, uint32_t rank_max)
{
    const uint32_t count = generator->graph->operand_count;
    for (uint32_t i = 0; i < PICK_TRIES; i++) {
        const uint32_t reach = generator_below(generator, 2) && count > 24 ? 24 : count;
        const uint32_t index = count - 1 - generator_below(generator, reach);
        const struct graph_operand *operand = &generator->graph->operands[index];
        if (is_tensor(operand) && operand->type.rank <= rank_max &&
            generator_is(&operand->type, letters))
            return index;
    }
    return GENERATOR_NONE;
}

static bool is_like(const struct graph_type *a, const struct graph_type *b, bool exactly)
{
    return a->code == b->code && a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0 &&
           (!exactly || (a->scale == b->scale && a->zero_point == b->zero_point));
}

uint32_t generator_pick_like(struct generator *generator, uint32_t like, bool exactly)
{
    const uint32_t count = generator->graph->operand_count;
    for (uint32_t i = 0; i < PICK_TRIES; i++) {
        const uint32_t index = generator_below(generator, count);
        const struct graph_operand *operand = &generator->graph->operands[index];
        if (is_tensor(operand) &&
            is_like(&operand->type, generator_type_of(generator, like), exactly))
            return index;
    }
    return like;
}

static void put_value(struct generator *generator, char letter, void *values, uint32_t index)
{
    const uint32_t random = generator_below(generator, 1u << 16);
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

void generator_values(struct generator *generator, const struct graph_type *type, void *values)
{
    const char letter = hy_operand_type_info(type->code)->letter;
    const uint32_t count = graph_elements(type);
    for (uint32_t i = 0; i < count; i++)
        put_value(generator, letter, values, i);
}

uint32_t generator_constant(struct generator *generator, const struct graph_type *type)
{
    uint64_t values[GENERATOR_ELEMENTS_MAX];
    generator_values(generator, type, values);
    return graph_constant(generator->graph, type, values);
}

uint32_t generator_result(struct generator *generator, const struct graph_type *type)
{
    const uint32_t index = graph_result(generator->graph, type);
    if (generator->is_dynamic && generator_below(generator, 2))
        memset(generator->graph->operands[index].is_hidden, 1, sizeof(bool[GRAPH_RANK_MAX]));
    return index;
}

bool generator_add(struct generator *generator, int32_t code, uint32_t input_count,
                   const uint32_t *inputs, const struct graph_type *result)
{
    const uint32_t output = generator_result(generator, result);
    graph_operation(generator->graph, code, input_count, inputs, 1, &output);
    return true;
}

/* ---- Whole graphs ---------------------------------------------------------------------------- */

void generator_inputs(struct generator *generator)
{
    static const char letters[] = "FHIQSBF";
    uint64_t values[GENERATOR_ELEMENTS_MAX];
    struct graph_type type;
    for (const char *letter = letters; *letter; letter++) {
        type = generator_type(generator, *letter);
        type.rank = 1 + generator_below(generator, GRAPH_RANK_MAX);
        for (uint32_t i = 0; i < type.rank; i++)
            type.dims[i] = 1 + generator_below(generator, 4);
        generator_values(generator, &type, values);
        const uint32_t index = graph_input(generator->graph, &type, values);
        for (uint32_t i = 0; i < type.rank; i++)
            generator->graph->operands[index].is_hidden[i] =
                generator->is_dynamic && generator_below(generator, 3) == 0;
    }
}

void generator_operations(struct generator *generator, uint32_t count)
{
    static generator_fn *const generators[] = {
        generator_arithmetic,  generator_arithmetic,      generator_arithmetic,
        generator_unary,       generator_unary,           generator_compare,
        generator_logical,     generator_select,          generator_convert,
        generator_convert,     generator_reshape,         generator_transpose,
        generator_concatenate, generator_slice,           generator_pad,
        generator_split,       generator_expand,          generator_tile,
        generator_reverse,     generator_reduce,          generator_arg_min_max,
        generator_softmax,     generator_fully_connected, generator_dynamic_slice,
        generator_if,          generator_while,
    };
    const uint64_t seed = hy_random_next(&generator->chance);
    struct graph *graph = generator->graph;
    for (uint32_t i = graph->operation_count; i < count && !graph->failed; i++) {
        /* Each operation draws on its own: a smaller graph is the start of a larger one. */
        generator->chance.state = hy_random_mix(seed, i);
        while (!generators[generator_below(generator, sizeof generators / sizeof *generators)](
            generator))
            continue;
    }
}
