#include "tests/unit/tools/operators/op_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Chance ---------------------------------------------------------------------------------- */

uint32_t hy_op_pick(struct hy_op_builder *op_builder, uint32_t count)
{
    return hy_random_below(&op_builder->random, count);
}

int32_t hy_op_between(struct hy_op_builder *op_builder, int32_t low, int32_t high)
{
    return hy_random_between(&op_builder->random, low, high);
}

float hy_op_real(struct hy_op_builder *op_builder, float low, float high)
{
    return hy_random_real(&op_builder->random, low, high);
}

/* ---- Values ---------------------------------------------------------------------------------- */

void *hy_op_memory(struct hy_op_builder *op_builder, size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory || op_builder->memory_count == 2 * HY_OP_MAX_TENSORS)
        abort();
    op_builder->memory[op_builder->memory_count++] = memory;
    return memory;
}

static size_t element_count(const struct hy_op_tensor *tensor)
{
    size_t count = 1;
    for (uint32_t i = 0; i < tensor->rank; i++)
        count *= (size_t)tensor->dims[i];
    return count;
}

/* Where no range is asked for: all that 8 bits hold, a hundred for int32 and int64, a few units for
 * float. */
static void usual_range(const struct hy_op_tensor *tensor, float *low, float *high)
{
    *low = tensor->low;
    *high = tensor->high;
    if (*low != 0.0f || *high != 0.0f)
        return;
    switch (tensor->type) {
    case HY_TFLITE_BOOL:
        *high = 1.0f;
        break;
    case HY_TFLITE_UINT8:
        *high = 255.0f;
        break;
    case HY_TFLITE_INT8:
        *low = -128.0f;
        *high = 127.0f;
        break;
    case HY_TFLITE_INT16:
        *low = -32768.0f;
        *high = 32767.0f;
        break;
    case HY_TFLITE_INT32:
    case HY_TFLITE_INT64:
        *low = -100.0f;
        *high = 100.0f;
        break;
    case HY_TFLITE_UINT16:
    case HY_TFLITE_UINT32:
        *high = 100.0f;
        break;
    default:
        *low = -10.0f;
        *high = 10.0f;
        break;
    }
}

/* Numbers of int64 beyond 32 bits, whose lower 32 bits are others than the upper ones. */
static int64_t spread(const struct hy_op_tensor *tensor, int32_t whole)
{
    const bool is_usual = tensor->low == 0.0f && tensor->high == 0.0f;

    return is_usual ? whole * ((INT64_C(1) << 33) + 1) : whole;
}

/* Ranges of real numbers may be wider than int32. */
#define LARGEST_WHOLE 0x1p29f

static void fill(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor, void *bytes)
{
    float low, high;
    const size_t count = element_count(tensor);

    usual_range(tensor, &low, &high);
    for (size_t i = 0; i < count; i++) {
        const float real = hy_op_real(op_builder, low, high);
        const int32_t whole = hy_op_between(op_builder, (int32_t)fmaxf(low, -LARGEST_WHOLE),
                                            (int32_t)fminf(high, LARGEST_WHOLE));
        if (tensor->type == HY_TFLITE_FLOAT32)
            ((float *)bytes)[i] = real;
        else if (tensor->type == HY_TFLITE_FLOAT64)
            ((double *)bytes)[i] = (double)real;
        else if (tensor->type == HY_TFLITE_INT32 || tensor->type == HY_TFLITE_UINT32)
            ((int32_t *)bytes)[i] = whole;
        else if (tensor->type == HY_TFLITE_INT64)
            ((int64_t *)bytes)[i] = spread(tensor, whole);
        else if (tensor->type == HY_TFLITE_INT16 || tensor->type == HY_TFLITE_UINT16)
            ((int16_t *)bytes)[i] = (int16_t)whole;
        else
            ((uint8_t *)bytes)[i] = (uint8_t)whole;
    }
}

static size_t byte_count(const struct hy_op_tensor *tensor)
{
    return element_count(tensor) * (hy_tflite_type_bits(tensor->type) / 8);
}

/* ---- Tensors --------------------------------------------------------------------------------- */

bool hy_op_is_quantised(enum hy_tflite_type type)
{
    return type == HY_TFLITE_INT8 || type == HY_TFLITE_UINT8 || type == HY_TFLITE_INT16;
}

int64_t hy_op_zero_point(struct hy_op_builder *op_builder, enum hy_tflite_type type)
{
    if (type == HY_TFLITE_INT16)
        return 0;
    return hy_op_between(op_builder, -64, 63) + (type == HY_TFLITE_UINT8 ? 128 : 0);
}

struct hy_op_tensor hy_op_of(struct hy_op_builder *op_builder, enum hy_tflite_type type,
                             uint32_t rank, const int32_t *dims)
{
    struct hy_op_tensor tensor = {.type = type, .rank = rank};
    memcpy(tensor.dims, dims, rank * sizeof *dims);
    if (hy_op_is_quantised(type)) {
        tensor.scale = hy_op_real(op_builder, 0.01f, 0.1f);
        tensor.zero_point = hy_op_zero_point(op_builder, type);
    }
    if (type == HY_TFLITE_INT16)
        tensor.scale = hy_op_real(op_builder, 0.0001f, 0.001f);
    if (type == HY_TFLITE_FLOAT32) {
        tensor.low = op_builder->row->low;
        tensor.high = op_builder->row->high;
    }
    return tensor;
}

struct hy_op_tensor hy_op_any(struct hy_op_builder *op_builder, uint32_t min_rank,
                              uint32_t max_rank)
{
    int32_t dims[HY_OP_MAX_RANK];
    const uint32_t rank = min_rank + hy_op_pick(op_builder, max_rank - min_rank + 1);
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = hy_op_between(op_builder, 1, rank > 4 ? 3 : 6);
    return hy_op_of(op_builder, op_builder->type, rank, dims);
}

struct hy_op_tensor hy_op_shaped(const struct hy_op_tensor *like, uint32_t rank,
                                 const int32_t *dims)
{
    struct hy_op_tensor tensor = *like;
    tensor.rank = rank;
    if (rank)
        memcpy(tensor.dims, dims, rank * sizeof *dims);
    return tensor;
}

struct hy_op_tensor hy_op_scaled(const struct hy_op_tensor *like, float scale, int64_t zero_point)
{
    struct hy_op_tensor tensor = *like;
    if (hy_op_is_quantised(like->type)) {
        tensor.scale = scale;
        tensor.zero_point = zero_point;
    }
    if (like->type == HY_TFLITE_INT16)
        tensor.scale = scale;
    return tensor;
}

static struct hy_builder_tensor plain(const struct hy_op_tensor *tensor, const void *data)
{
    struct hy_builder_tensor built = {
        .name = "t", .type = (int)tensor->type, .rank = tensor->rank, .data = data};
    memcpy(built.dims, tensor->dims, tensor->rank * sizeof *built.dims);
    if (data)
        built.bytes = (uint32_t)byte_count(tensor);
    return built;
}

/* The scale of a tensor that is about to be added. */
static void set_scale(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor,
                      struct hy_builder_tensor *built)
{
    const uint32_t at = op_builder->tensor_count++;
    if (at == HY_OP_MAX_TENSORS)
        abort();
    if (tensor->scale != 0.0f) {
        op_builder->scales[at] = tensor->scale;
        op_builder->zero_points[at] = tensor->zero_point;
        built->scale_count = built->zero_point_count = 1;
        built->scales = &op_builder->scales[at];
        built->zero_points = &op_builder->zero_points[at];
    }
}

static int32_t add(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor,
                   const void *data)
{
    struct hy_builder_tensor built = plain(tensor, data);
    set_scale(op_builder, tensor, &built);
    return hy_builder_tensor(op_builder->builder, &built);
}

static void operand(struct hy_op_builder *op_builder, int32_t index)
{
    op_builder->operator_.inputs[op_builder->operator_.input_count++] = index;
}

static void *model_input(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor)
{
    struct hy_op_case *out = op_builder->out;
    const int32_t index = add(op_builder, tensor, NULL);
    const size_t count = byte_count(tensor);
    void *bytes = calloc(1, count ? count : 1);
    if (!bytes || out->input_count == HY_OP_CASE_INPUTS)
        abort();
    operand(op_builder, index);
    hy_builder_input(op_builder->builder, index);
    out->inputs[out->input_count++] = (struct hy_op_bytes){bytes, count};
    return bytes;
}

void hy_op_input(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor)
{
    fill(op_builder, tensor, model_input(op_builder, tensor));
}

void hy_op_input_ints(struct hy_op_builder *op_builder, uint32_t count, const int32_t *values)
{
    const struct hy_op_tensor tensor = {
        .type = HY_TFLITE_INT32, .rank = 1, .dims = {(int32_t)count}};
    memcpy(model_input(op_builder, &tensor), values, count * sizeof *values);
}

void hy_op_input_int_rows(struct hy_op_builder *op_builder, uint32_t count, uint32_t length,
                          const int32_t *values)
{
    const struct hy_op_tensor tensor = {
        .type = HY_TFLITE_INT32, .rank = 2, .dims = {(int32_t)count, (int32_t)length}};
    memcpy(model_input(op_builder, &tensor), values, (size_t)count * length * sizeof *values);
}

void hy_op_constant(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor)
{
    void *bytes = hy_op_memory(op_builder, byte_count(tensor));
    fill(op_builder, tensor, bytes);
    operand(op_builder, add(op_builder, tensor, bytes));
}

void hy_op_constant_per_channel(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor,
                                int32_t dimension, const float *scales)
{
    const uint32_t count = (uint32_t)tensor->dims[dimension];
    void *bytes = hy_op_memory(op_builder, byte_count(tensor));
    fill(op_builder, tensor, bytes);

    struct hy_builder_tensor built = plain(tensor, bytes);
    built.scale_count = built.zero_point_count = count;
    built.scales = scales;
    built.zero_points = hy_op_memory(op_builder, count * sizeof *built.zero_points);
    built.quantised_dimension = dimension;
    operand(op_builder, hy_builder_tensor(op_builder->builder, &built));
}

void hy_op_weights(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor)
{
    if (op_builder->weights == HY_OP_WEIGHTS_FLOAT) {
        hy_op_constant(op_builder, tensor);
        return;
    }
    struct hy_op_tensor stored = *tensor;
    stored.type = op_builder->weights == HY_OP_WEIGHTS_UINT8 ? HY_TFLITE_UINT8 : HY_TFLITE_INT8;
    stored.scale = hy_op_real(op_builder, 0.25f, 1.0f) / 127.0f;
    stored.zero_point = 0;
    stored.low = -127.0f;
    stored.high = 127.0f;
    int8_t *bytes = hy_op_memory(op_builder, byte_count(&stored));
    fill(op_builder, &stored, bytes);
    if (op_builder->weights != HY_OP_WEIGHTS_DEQUANTISED) {
        operand(op_builder, add(op_builder, &stored, bytes));
        return;
    }
    float *reals = hy_op_memory(op_builder, byte_count(tensor));
    for (size_t i = 0; i < element_count(tensor); i++)
        reals[i] = stored.scale * (float)bytes[i];
    operand(op_builder, add(op_builder, tensor, reals));
}

static void ints(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor,
                 const int32_t *values)
{
    void *bytes = hy_op_memory(op_builder, byte_count(tensor));
    memcpy(bytes, values, byte_count(tensor));
    operand(op_builder, add(op_builder, tensor, bytes));
}

void hy_op_ints(struct hy_op_builder *op_builder, uint32_t count, const int32_t *values)
{
    ints(op_builder,
         &(struct hy_op_tensor){.type = HY_TFLITE_INT32, .rank = 1, .dims = {(int32_t)count}},
         values);
}

void hy_op_int_rows(struct hy_op_builder *op_builder, uint32_t count, uint32_t length,
                    const int32_t *values)
{
    ints(op_builder,
         &(struct hy_op_tensor){
             .type = HY_TFLITE_INT32, .rank = 2, .dims = {(int32_t)count, (int32_t)length}},
         values);
}

void hy_op_int(struct hy_op_builder *op_builder, int32_t value)
{
    ints(op_builder, &(struct hy_op_tensor){.type = HY_TFLITE_INT32}, &value);
}

void hy_op_nothing(struct hy_op_builder *op_builder)
{
    operand(op_builder, -1);
}

void hy_op_state(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor)
{
    struct hy_builder_tensor built = plain(tensor, NULL);
    set_scale(op_builder, tensor, &built);
    built.is_variable = true;
    op_builder->out->runs = 3;
    operand(op_builder, hy_builder_tensor(op_builder->builder, &built));
}

void hy_op_output(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor)
{
    struct hy_builder_operator *operator_ = &op_builder->operator_;
    const int32_t index = add(op_builder, tensor, NULL);
    operator_->outputs[operator_->output_count++] = index;
    hy_builder_output(op_builder->builder, index);
}

void hy_op_scratch(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor)
{
    struct hy_builder_operator *operator_ = &op_builder->operator_;
    operator_->outputs[operator_->output_count++] = add(op_builder, tensor, NULL);
}

void hy_op_intermediate(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor)
{
    struct hy_builder_operator *operator_ = &op_builder->operator_;
    operator_->intermediates[operator_->intermediate_count++] =
        tensor ? add(op_builder, tensor, NULL) : -1;
}

/* ---- Options --------------------------------------------------------------------------------- */

void hy_op_options(struct hy_op_builder *op_builder, enum hy_tflite_options_kind kind)
{
    op_builder->operator_.options_kind = kind;
}

void hy_op_option(struct hy_op_builder *op_builder, unsigned slot, unsigned size, int64_t value)
{
    op_builder->operator_.options[op_builder->operator_.option_count++] =
        (struct hy_fbw_field){slot, size, (uint64_t)value};
}

void hy_op_option_float(struct hy_op_builder *op_builder, unsigned slot, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    hy_op_option(op_builder, slot, 4, bits);
}

void hy_op_option_activation(struct hy_op_builder *op_builder, unsigned slot)
{
    hy_op_option(op_builder, slot, 1, hy_op_pick(op_builder, HY_TFLITE_ACTIVATION_RELU6 + 1));
}

/* ---- The case -------------------------------------------------------------------------------- */

static void finish_operator(struct hy_op_builder *op_builder)
{
    if (!op_builder->is_whole)
        hy_builder_operator(op_builder->builder, &op_builder->operator_);
    op_builder->is_whole = true;
}

void hy_op_subgraph(struct hy_op_builder *op_builder)
{
    finish_operator(op_builder);
    hy_builder_subgraph(op_builder->builder);
}

static void make(const struct hy_op_row *row, enum hy_tflite_type type, enum hy_op_weights weights,
                 uint64_t seed, struct hy_op_case *out)
{
    struct hy_op_builder op_builder = {
        .row = row,
        .type = type,
        .weights = weights,
        .random = {(seed * HY_TFLITE_OP_COUNT + row->op) * HY_TFLITE_TYPE_COUNT + type},
        .builder = hy_builder_create(),
        .operator_ = {.op = (int)row->op},
        .out = out,
    };

    *out = (struct hy_op_case){.runs = 1};
    row->describe(&op_builder);
    finish_operator(&op_builder);
    out->model = hy_builder_finish(op_builder.builder, &out->length);
    for (uint32_t i = 0; i < op_builder.memory_count; i++)
        free(op_builder.memory[i]);
}

void hy_op_case_make(const struct hy_op_row *row, enum hy_tflite_type type, uint64_t seed,
                     struct hy_op_case *out)
{
    make(row, type, HY_OP_WEIGHTS_FLOAT, seed, out);
}

void hy_op_case_make_weights(const struct hy_op_row *row, enum hy_op_weights weights, uint64_t seed,
                             struct hy_op_case *out)
{
    make(row, HY_TFLITE_FLOAT32, weights, seed, out);
}

void hy_op_case_finish(struct hy_op_case *made)
{
    for (uint32_t i = 0; i < made->input_count; i++)
        free(made->inputs[i].bytes);
    free(made->model);
}

void hy_op_custom(struct hy_op_builder *op_builder, const char *name, const void *options,
                  uint32_t bytes)
{
    op_builder->operator_.custom_name = name;
    op_builder->operator_.custom_options = options;
    op_builder->operator_.custom_bytes = bytes;
}
