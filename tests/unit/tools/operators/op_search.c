#include <string.h>

#include "tests/unit/tools/operators/op_builder.h"

/* Searches, segments, suppressions and random numbers. */

void hy_op_where(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    const struct hy_op_tensor y =
        hy_op_of(op_builder, HY_TFLITE_INT64, 2, (const int32_t[]){1, (int32_t)x.rank});

    hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &y);
}

/* The number of UniqueOptions, which say int32 where they say nothing. */
enum { OPTIONS_UNIQUE = 80 };

void hy_op_unique(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 1);
    const struct hy_op_tensor indices = hy_op_of(op_builder, HY_TFLITE_INT32, 1, x.dims);

    hy_op_input(op_builder, &x);
    hy_op_options(op_builder, (enum hy_tflite_options_kind)OPTIONS_UNIQUE);
    hy_op_output(op_builder, &x);
    hy_op_output(op_builder, &indices);
}

void hy_op_bucketize(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 6);
    const struct hy_op_tensor y = hy_op_of(op_builder, HY_TFLITE_INT32, x.rank, x.dims);
    const uint32_t count = 1 + hy_op_pick(op_builder, 5);
    int32_t *bits = hy_op_memory(op_builder, count * sizeof *bits);
    float boundary = -8.0f;

    for (uint32_t i = 0; i < count; i++) {
        boundary += hy_op_real(op_builder, 0.0f, 5.0f);
        memcpy(&bits[i], &boundary, sizeof boundary);
    }
    hy_op_input(op_builder, &x);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_BUCKETIZE);
    op_builder->operator_.int_count = count;
    op_builder->operator_.ints = bits; /* a vector of floats is one of as many bytes */
    hy_op_output(op_builder, &y);
}

/* Some rows count nowhere. */
void hy_op_unsorted_segment(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 6);
    const int32_t count = hy_op_between(op_builder, 1, 5);
    struct hy_op_tensor y = x;
    int32_t ids[6];

    y.dims[0] = count;
    for (int32_t i = 0; i < x.dims[0]; i++)
        ids[i] = hy_op_between(op_builder, -1, count - 1);
    hy_op_input(op_builder, &x);
    if (hy_op_pick(op_builder, 2))
        hy_op_ints(op_builder, (uint32_t)x.dims[0], ids);
    else
        hy_op_input_ints(op_builder, (uint32_t)x.dims[0], ids);
    hy_op_int(op_builder, count);
    hy_op_output(op_builder, &y);
}

static void constant_number(struct hy_op_builder *op_builder, float low, float high)
{
    struct hy_op_tensor number = {.type = HY_TFLITE_FLOAT32, .low = low, .high = high};
    hy_op_constant(op_builder, &number);
}

/* Of V5 with a sigma. */
void hy_op_suppression(struct hy_op_builder *op_builder)
{
    const bool is_soft = op_builder->row->op == HY_TFLITE_OP_NON_MAX_SUPPRESSION_V5;
    const int32_t boxes = hy_op_between(op_builder, 1, 12), most = hy_op_between(op_builder, 1, 12);
    struct hy_op_tensor corners =
        hy_op_of(op_builder, HY_TFLITE_FLOAT32, 2, (const int32_t[]){boxes, 4});
    struct hy_op_tensor scores = hy_op_of(op_builder, HY_TFLITE_FLOAT32, 1, &boxes);
    const struct hy_op_tensor selected = hy_op_of(op_builder, HY_TFLITE_INT32, 1, &most);
    const struct hy_op_tensor selected_scores = hy_op_shaped(&scores, 1, &most);
    const struct hy_op_tensor count = {.type = HY_TFLITE_INT32};

    corners.high = scores.high = 1.0f;
    hy_op_input(op_builder, &corners);
    hy_op_input(op_builder, &scores);
    hy_op_int(op_builder, most);
    constant_number(op_builder, 0.1f, 0.9f);
    constant_number(op_builder, 0.0f, 0.5f);
    if (is_soft)
        constant_number(op_builder, 0.1f, 1.0f);
    hy_op_output(op_builder, &selected);
    if (is_soft)
        hy_op_output(op_builder, &selected_scores);
    hy_op_output(op_builder, &count);
}

static void seeds(struct hy_op_builder *op_builder)
{
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_RANDOM);
    hy_op_option(op_builder, 0, 8, hy_op_between(op_builder, 1, 1000));
    hy_op_option(op_builder, 1, 8, hy_op_between(op_builder, 1, 1000));
}

void hy_op_random_numbers(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor y = hy_op_any(op_builder, 1, 4);

    hy_op_ints(op_builder, y.rank, y.dims);
    seeds(op_builder);
    hy_op_output(op_builder, &y);
}

void hy_op_multinomial(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor logits = hy_op_any(op_builder, 2, 2);
    const int32_t samples = hy_op_between(op_builder, 1, 9);
    const struct hy_op_tensor y =
        hy_op_of(op_builder, HY_TFLITE_INT32, 2, (const int32_t[]){logits.dims[0], samples});

    hy_op_input(op_builder, &logits);
    hy_op_int(op_builder, samples);
    seeds(op_builder);
    hy_op_output(op_builder, &y);
}

/* Functions are numbered from 1 in the file: sum, product, least, largest; of bool all, any. */
void hy_op_reduce_window(struct hy_op_builder *op_builder)
{
    const bool is_bool = op_builder->type == HY_TFLITE_BOOL;
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    const struct hy_op_tensor start = hy_op_shaped(&x, 0, NULL);
    struct hy_op_tensor y = x;
    int32_t lists[3][4];

    for (uint32_t i = 0; i < x.rank; i++) {
        const int32_t size = hy_op_between(op_builder, 1, x.dims[i]);
        const int32_t dilation =
            size > 1 ? hy_op_between(op_builder, 1, (x.dims[i] - 1) / (size - 1)) : 1;
        const int32_t stride = hy_op_between(op_builder, 1, 3);
        lists[0][i] = size;
        lists[1][i] = stride;
        lists[2][i] = dilation;
        y.dims[i] = (x.dims[i] - (size - 1) * dilation - 1) / stride + 1;
    }
    hy_op_input(op_builder, &x);
    hy_op_constant(op_builder, &start);
    for (uint32_t i = 0; i < 3; i++)
        hy_op_ints(op_builder, x.rank, lists[i]);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_REDUCE_WINDOW);
    hy_op_option(op_builder, 0, 4,
                 is_bool ? hy_op_between(op_builder, 5, 6) : hy_op_between(op_builder, 1, 4));
    hy_op_output(op_builder, &y);
}
