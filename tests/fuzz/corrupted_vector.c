#include "tests/fuzz/corrupted_vector.h"

#include <android/NeuralNetworks.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/bfloat.h"
#include "common/operations/operand_type.h"
#include "common/operations/shape.h"

/* Kernels that take as many products as two values have elements are done within a second. */
#define MOST_ELEMENTS 2048u

#define CORRUPTIONS_MAX 3u

/* The copy that is being spoiled. */
struct corrupted {
    struct hy_random *chance;
    struct hy_arena *arena;
    struct hy_vector_model *model;
    struct hy_vector_operand *operands;
    struct hy_vector_value *inputs; /* of the example; NULL: of a model that others run */
};

static void *copy_of(struct hy_arena *arena, const void *from, size_t count, size_t size)
{
    void *copy = hy_arena_alloc(arena, count * size + 1);

    if (!copy)
        abort();
    if (count > 0)
        memcpy(copy, from, count * size);
    return copy;
}

static uint32_t below(struct corrupted *s, uint32_t limit)
{
    return hy_random_below(s->chance, limit);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Small, huge, negative, or close to what it was. */
static uint32_t odd_number(struct corrupted *s, uint32_t old)
{
    static const uint32_t odd[] = {
        0,  1,  2,   3,   7,     8,     9,       15,       16,         17,         31,        32,
        33, 64, 255, 256, 65535, 65536, 0x10001, 0xffffff, 0x7fffffff, 0x80000000, 0xffffffff};

    switch (below(s, 3)) {
    case 0:
        return old + below(s, 5) - 2;
    case 1:
        return below(s, 12);
    default:
        return odd[below(s, sizeof odd / sizeof *odd)];
    }
}

static float odd_float(struct corrupted *s)
{
    static const float odd[] = {0,     -0.0f,  1,     -1,       .5f,           1e-30f, 1e-45f,
                                1e30f, -1e30f, 3e38f, INFINITY, -INFINITY,     NAN,    255.5f,
                                127,   -128,   1e9f,  -1e9f,    2147483648.0f, 4e9f,   65504};

    return odd[below(s, sizeof odd / sizeof *odd)];
}

static uint64_t odd_long(struct corrupted *s, uint64_t old)
{
    static const uint64_t odd[] = {INT64_MIN,     INT64_MAX,         INT64_MIN + 1,
                                   UINT64_MAX,    UINT64_C(1) << 32, UINT64_C(0xffffffff00000000),
                                   INT64_MAX / 2, INT64_MAX - 1};

    if (below(s, 3) == 0)
        return odd[below(s, sizeof odd / sizeof *odd)];
    return (uint64_t)(int64_t)(int32_t)odd_number(s, (uint32_t)old);
}

/* Binary16, of the same kinds. */
static uint16_t odd_half(struct corrupted *s)
{
    static const uint16_t odd[] = {0,      0x8000, 0x3c00, 0xbc00, 0x0001,
                                   0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00};

    return odd[below(s, sizeof odd / sizeof *odd)];
}

/* ---- Values ---------------------------------------------------------------------------------- */

static void corrupt_element(struct corrupted *s, int32_t type, uint8_t *bytes, uint32_t index)
{
    const uint32_t size = hy_operand_type_bytes(type);
    const uint16_t half = odd_half(s);
    const float real = odd_float(s);
    const double wide = (double)real;
    const uint16_t upper = hy_bfloat_from_float(real);
    uint32_t number;
    uint64_t longer;

    switch (type) {
    case ANEURALNETWORKS_FLOAT32:
    case ANEURALNETWORKS_TENSOR_FLOAT32:
        memcpy(bytes + (size_t)index * 4, &real, 4);
        break;
    case ANEURALNETWORKS_FLOAT16:
    case ANEURALNETWORKS_TENSOR_FLOAT16:
        memcpy(bytes + (size_t)index * 2, &half, 2);
        break;
    case ANEURALNETWORKS_INT32:
    case ANEURALNETWORKS_UINT32:
    case ANEURALNETWORKS_TENSOR_INT32:
        memcpy(&number, bytes + (size_t)index * 4, 4);
        number = odd_number(s, number);
        memcpy(bytes + (size_t)index * 4, &number, 4);
        break;
    case HY_TENSOR_FLOAT64:
        memcpy(bytes + (size_t)index * 8, &wide, 8);
        break;
    case HY_TENSOR_BFLOAT16:
        memcpy(bytes + (size_t)index * 2, &upper, 2);
        break;
    case HY_TENSOR_INT64:
    case HY_TENSOR_UINT64:
        memcpy(&longer, bytes + (size_t)index * 8, 8);
        longer = odd_long(s, longer);
        memcpy(bytes + (size_t)index * 8, &longer, 8);
        break;
    default:
        for (uint32_t i = 0; i < size; i++)
            bytes[(size_t)index * size + i] = (uint8_t)below(s, 256);
    }
}

static void corrupt_value(struct corrupted *s, int32_t type, struct hy_vector_value *value)
{
    if (value->omitted || value->count == 0)
        return;
    uint8_t *bytes = copy_of(s->arena, value->bytes, value->length, 1);
    const uint32_t times = 1 + below(s, value->count < 8 ? 1 : 8);

    for (uint32_t i = 0; i < times; i++)
        corrupt_element(s, type, bytes, below(s, value->count));
    value->bytes = bytes;
}

/* As many elements as the extents ask for: those there were, again and again. */
static void fit_value(struct corrupted *s, int32_t type, uint32_t elements,
                      struct hy_vector_value *value)
{
    const size_t length = (size_t)elements * hy_operand_type_bytes(type);
    const uint8_t *from = value->bytes;

    if (value->omitted)
        return;
    uint8_t *bytes = hy_arena_alloc(s->arena, length + 1);
    if (!bytes)
        abort();
    for (size_t i = 0; i < length; i++)
        bytes[i] = value->length ? from[i % value->length] : 0;
    *value = (struct hy_vector_value){.count = elements, .length = length, .bytes = bytes};
}

/* The value of an operand, or NULL: it has none. */
static struct hy_vector_value *value_of(struct corrupted *s, uint32_t operand)
{
    struct hy_vector_operand *of = &s->operands[operand];

    if (of->lifetime == HY_VECTOR_CONSTANT_COPY || of->lifetime == HY_VECTOR_CONSTANT_REFERENCE)
        return &of->value;
    for (uint32_t i = 0; s->inputs && i < s->model->inputs.count; i++) {
        if (s->model->inputs.items[i] == operand)
            return &s->inputs[i];
    }
    return NULL;
}

/* ---- Operands -------------------------------------------------------------------------------- */

/* False: extents that would ask for too many elements stay as they were. */
static bool set_extents(struct corrupted *s, uint32_t index, uint32_t rank, const uint32_t *dims)
{
    struct hy_vector_operand *operand = &s->operands[index];
    struct hy_vector_value *value = value_of(s, index);
    struct hy_shape shape = {.rank = rank};
    uint64_t elements;

    memcpy(shape.dims, dims, rank * sizeof *dims);
    if (value && (!hy_shape_elements(&shape, &elements) || elements > MOST_ELEMENTS))
        return false;
    operand->rank = rank;
    operand->dims = operand->declared_dims = copy_of(s->arena, dims, rank, sizeof *dims);
    if (value)
        fit_value(s, operand->type, (uint32_t)elements, value);
    return true;
}

static void corrupt_extents(struct corrupted *s, uint32_t index)
{
    struct hy_vector_operand *operand = &s->operands[index];
    uint32_t dims[HY_MAX_RANK] = {0}, rank = operand->rank;

    if (rank == 0 || rank > HY_MAX_RANK)
        return;
    memcpy(dims, operand->dims, rank * sizeof *dims);
    const uint32_t at = below(s, rank);
    switch (below(s, 8)) {
    case 0: /* one more, or less */
        if (rank < HY_MAX_RANK)
            dims[rank++] = 1 + below(s, 3);
        break;
    case 1:
        rank--;
        break;
    default:
        dims[at] = odd_number(s, dims[at]);
    }
    (void)set_extents(s, index, rank, dims);
}

/* Operands of one extent often go together: batches, channels, units. */
static void corrupt_common_extent(struct corrupted *s)
{
    const uint32_t first = below(s, s->model->operand_count);
    const struct hy_vector_operand *operand = &s->operands[first];

    if (operand->rank == 0)
        return;
    const uint32_t old = operand->dims[below(s, operand->rank)], new = odd_number(s, old);
    for (uint32_t i = 0; i < s->model->operand_count; i++) {
        uint32_t dims[HY_MAX_RANK] = {0}, rank = s->operands[i].rank;
        bool has_changed = false;
        for (uint32_t d = 0; d < rank && d < HY_MAX_RANK; d++) {
            dims[d] = s->operands[i].dims[d] == old ? new : s->operands[i].dims[d];
            has_changed |= dims[d] != s->operands[i].dims[d];
        }
        if (has_changed && rank <= HY_MAX_RANK)
            (void)set_extents(s, i, rank, dims);
    }
}

static void corrupt_numbers(struct corrupted *s, uint32_t index)
{
    struct hy_vector_operand *operand = &s->operands[index];

    if (below(s, 2) == 0)
        operand->zero_point = (int32_t)odd_number(s, (uint32_t)operand->zero_point);
    else
        operand->scale = below(s, 2) == 0 ? odd_float(s) : operand->scale * 1e3f;
}

static void corrupt_operand(struct corrupted *s)
{
    const uint32_t index = below(s, s->model->operand_count);
    struct hy_vector_operand *operand = &s->operands[index];
    struct hy_vector_value *value = value_of(s, index);

    switch (below(s, 8)) {
    case 0:
    case 1:
        corrupt_extents(s, index);
        break;
    case 2:
        corrupt_numbers(s, index);
        break;
    case 3:
        if (operand->channel_count > 0 && below(s, 2) == 0)
            operand->channel_dim = below(s, 5);
        else if (operand->channel_count > 0)
            operand->channel_count = below(s, operand->channel_count) + 1;
        else
            corrupt_common_extent(s);
        break;
    default:
        if (value)
            corrupt_value(s, operand->type, value);
    }
}

/* What comes out of a spoiled model is for the runtime to say. */
static void clear_outputs(struct corrupted *s)
{
    for (uint32_t i = 0; i < s->model->operand_count; i++) {
        struct hy_vector_operand *operand = &s->operands[i];
        if (operand->lifetime != HY_VECTOR_OUTPUT && operand->lifetime != HY_VECTOR_TEMPORARY)
            continue;
        uint32_t *dims = copy_of(s->arena, operand->dims, operand->rank, sizeof *dims);
        memset(dims, 0, operand->rank * sizeof *dims);
        operand->dims = operand->declared_dims = dims;
    }
}

void hy_vector_corrupt(const struct hy_vector *vector, struct hy_random *chance,
                       struct hy_arena *arena, struct hy_vector *out)
{
    const struct hy_vector_model *main = &vector->models[0];
    const uint32_t index = hy_random_below(chance, vector->model_count);
    const struct hy_vector_model *from = &vector->models[index];
    struct hy_vector_model *models =
        copy_of(arena, vector->models, vector->model_count, sizeof *models);
    struct hy_vector_example *example = copy_of(arena, vector->examples, 1, sizeof *example);
    struct corrupted s = {
        .chance = chance,
        .arena = arena,
        .model = &models[index],
        .operands = copy_of(arena, from->operands, from->operand_count, sizeof *s.operands),
    };

    models[index].operands = s.operands;
    if (index == 0)
        example->inputs = s.inputs =
            copy_of(arena, example->inputs, main->inputs.count, sizeof *s.inputs);
    *out = *vector;
    out->models = models;
    out->examples = example;
    out->example_count = 1;
    if (below(&s, 8) > 0)
        clear_outputs(&s);
    for (uint32_t times = 1 + below(&s, CORRUPTIONS_MAX); times > 0; times--)
        corrupt_operand(&s);
}
