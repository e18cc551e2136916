#include <android/NeuralNetworksTypes.h>

#include "common/image/image.h"
#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

/*
 * Operations that move elements, on random small shapes: for every place of the output a function
 * of this file says from which place of the input it comes.
 */

#define ROUNDS       60
#define DEVICES      2
#define MOST_BYTES   (1u << 16)
#define FROM_NOWHERE (-1) /* padding */

struct movement {
    struct hy_op_case test;
    uint32_t seed;
    struct hy_shape in, out;
    struct hy_builder_type type; /* of the input */
    bool is_constant;            /* parameters are constants, not inputs of the model */
    bool nchw;
    int32_t a[HY_MAX_RANK], b[HY_MAX_RANK], c[HY_MAX_RANK]; /* parameters, as each case likes */
    uint8_t pad[4];
    uint8_t data[MOST_BYTES], result[MOST_BYTES];
};

static int32_t between(struct movement *m, int32_t low, int32_t high)
{
    return low + (int32_t)(hy_sample_random(&m->seed) % (uint32_t)(high - low + 1));
}

static struct hy_shape random_shape(struct movement *m, uint32_t rank)
{
    struct hy_shape shape = {.rank = rank};

    for (uint32_t i = 0; i < rank; i++)
        shape.dims[i] = (uint32_t)between(m, 1, rank > 2 ? 5 : 19);
    return shape;
}

static void add_input(struct movement *m)
{
    m->type = hy_op_case_type(m->type.type, m->in.rank, m->in.dims);
    hy_op_case_tensor(&m->test, &m->type, m->data, false);
}

static void add_list(struct movement *m, const int32_t *list)
{
    hy_op_case_ints(&m->test, 1, &m->in.rank, list, m->is_constant);
}

static void add_pairs(struct movement *m, uint32_t count, const int32_t *before,
                      const int32_t *after)
{
    uint32_t dims[] = {count, 2};
    static int32_t pairs[2 * HY_MAX_RANK];

    for (uint32_t i = 0; i < count; i++) {
        pairs[2 * i] = before[i];
        pairs[2 * i + 1] = after[i];
    }
    hy_op_case_ints(&m->test, 2, dims, pairs, m->is_constant);
}

/* The place of an index among the elements of a dense tensor. */
static int64_t position(const struct hy_shape *shape, const uint32_t *index)
{
    int64_t at = 0;

    for (uint32_t i = 0; i < shape->rank; i++)
        at = at * shape->dims[i] + index[i];
    return at;
}

static void make_transpose(struct movement *m)
{
    m->in = random_shape(m, (uint32_t)between(m, 1, 4));
    m->out.rank = m->in.rank;
    for (uint32_t i = 0; i < m->in.rank; i++) {
        uint32_t j = (uint32_t)between(m, 0, (int32_t)i);
        m->a[i] = m->a[j];
        m->a[j] = (int32_t)i;
    }
    for (uint32_t i = 0; i < m->in.rank; i++)
        m->out.dims[i] = m->in.dims[m->a[i]];
    add_input(m);
    add_list(m, m->a);
}

static int64_t from_transpose(const struct movement *m, const uint32_t *at)
{
    uint32_t index[HY_MAX_RANK];

    for (uint32_t i = 0; i < m->in.rank; i++)
        index[m->a[i]] = at[i];
    return position(&m->in, index);
}

static void make_slice(struct movement *m)
{
    m->in = random_shape(m, (uint32_t)between(m, 1, 5));
    m->out.rank = m->in.rank;
    for (uint32_t i = 0; i < m->in.rank; i++) {
        m->a[i] = between(m, 0, (int32_t)m->in.dims[i] - 1);
        m->b[i] = between(m, -1, (int32_t)m->in.dims[i] - m->a[i]);
        if (m->b[i] == 0)
            m->b[i] = -1;
        m->out.dims[i] = m->b[i] < 0 ? m->in.dims[i] - (uint32_t)m->a[i] : (uint32_t)m->b[i];
    }
    add_input(m);
    add_list(m, m->a);
    add_list(m, m->b);
}

static int64_t from_slice(const struct movement *m, const uint32_t *at)
{
    uint32_t index[HY_MAX_RANK];

    for (uint32_t i = 0; i < m->in.rank; i++)
        index[i] = at[i] + (uint32_t)m->a[i];
    return position(&m->in, index);
}

/* Begins, ends and strides that keep at least one element of every dimension. */
static void make_strided_slice(struct movement *m)
{
    int32_t mask = 0, unused = 0;

    m->in = random_shape(m, (uint32_t)between(m, 1, 4));
    m->out.rank = m->in.rank;
    for (uint32_t i = 0; i < m->in.rank; i++) {
        int32_t extent = (int32_t)m->in.dims[i];
        m->a[i] = between(m, 0, extent - 1);
        m->c[i] = between(m, 0, 1) ? between(m, 1, 3) : between(m, -3, -1);
        if (between(m, 0, 1)) { /* from the edge, given or by the mask */
            m->a[i] = m->c[i] > 0 ? 0 : extent - 1;
            mask |= 1 << i;
        }
        int32_t count =
            (m->c[i] > 0 ? extent - 1 - m->a[i] : m->a[i]) / (m->c[i] > 0 ? m->c[i] : -m->c[i]) + 1;
        m->b[i] = m->c[i] > 0 ? extent + 7 : -extent - 7;
        m->out.dims[i] = (uint32_t)count;
    }
    add_input(m);
    static int32_t begins[HY_MAX_RANK]; /* counted from the end, now and then */
    for (uint32_t i = 0; i < m->in.rank; i++)
        begins[i] = between(m, 0, 1) ? m->a[i] : m->a[i] - (int32_t)m->in.dims[i];
    add_list(m, begins);
    add_list(m, m->b);
    add_list(m, m->c);
    hy_op_case_int(&m->test, mask);
    hy_op_case_int(&m->test, between(m, 0, 15));
    hy_op_case_int(&m->test, unused);
}

static int64_t from_strided_slice(const struct movement *m, const uint32_t *at)
{
    uint32_t index[HY_MAX_RANK];

    for (uint32_t i = 0; i < m->in.rank; i++)
        index[i] = (uint32_t)(m->a[i] + (int32_t)at[i] * m->c[i]);
    return position(&m->in, index);
}

static void make_reverse(struct movement *m)
{
    const uint32_t one = 1;

    m->in = m->out = random_shape(m, (uint32_t)between(m, 1, 5));
    m->a[0] = between(m, 0, (int32_t)m->in.rank - 1);
    add_input(m);
    hy_op_case_ints(&m->test, 1, &one, m->a, m->is_constant);
}

static int64_t from_reverse(const struct movement *m, const uint32_t *at)
{
    uint32_t index[HY_MAX_RANK];

    for (uint32_t i = 0; i < m->in.rank; i++)
        index[i] = (int32_t)i == m->a[0] ? m->in.dims[i] - 1 - at[i] : at[i];
    return position(&m->in, index);
}

static void make_tile(struct movement *m)
{
    m->in = random_shape(m, (uint32_t)between(m, 1, 4));
    m->out.rank = m->in.rank;
    for (uint32_t i = 0; i < m->in.rank; i++) {
        m->a[i] = between(m, 1, 3);
        m->out.dims[i] = m->in.dims[i] * (uint32_t)m->a[i];
    }
    add_input(m);
    add_list(m, m->a);
}

static int64_t from_tile(const struct movement *m, const uint32_t *at)
{
    uint32_t index[HY_MAX_RANK];

    for (uint32_t i = 0; i < m->in.rank; i++)
        index[i] = at[i] % m->in.dims[i];
    return position(&m->in, index);
}

static void make_mirror_pad(struct movement *m)
{
    m->in = random_shape(m, (uint32_t)between(m, 1, 4));
    m->out.rank = m->in.rank;
    m->c[0] = between(m, 0, 1); /* 1: the edge is repeated */
    for (uint32_t i = 0; i < m->in.rank; i++) {
        int32_t most = (int32_t)m->in.dims[i] - (m->c[0] == 0);
        m->a[i] = between(m, 0, most);
        m->b[i] = between(m, 0, most);
        m->out.dims[i] = m->in.dims[i] + (uint32_t)m->a[i] + (uint32_t)m->b[i];
    }
    add_input(m);
    add_pairs(m, m->in.rank, m->a, m->b);
    hy_op_case_int(&m->test, m->c[0]);
}

static int64_t from_mirror_pad(const struct movement *m, const uint32_t *at)
{
    uint32_t index[HY_MAX_RANK];

    for (uint32_t i = 0; i < m->in.rank; i++) {
        int32_t p = (int32_t)at[i] - m->a[i], extent = (int32_t)m->in.dims[i];
        if (p < 0)
            p = -p - m->c[0];
        else if (p >= extent)
            p = 2 * extent - 2 + m->c[0] - p;
        index[i] = (uint32_t)p;
    }
    return position(&m->in, index);
}

static void make_pad(struct movement *m)
{
    m->in = random_shape(m, (uint32_t)between(m, 1, 4));
    m->out.rank = m->in.rank;
    for (uint32_t i = 0; i < m->in.rank; i++) {
        m->a[i] = between(m, 0, 3);
        m->b[i] = between(m, 0, 3);
        m->out.dims[i] = m->in.dims[i] + (uint32_t)m->a[i] + (uint32_t)m->b[i];
    }
    add_input(m);
    add_pairs(m, m->in.rank, m->a, m->b);
    m->pad[0] = (uint8_t)m->type.zero_point;
}

static void make_pad_v2(struct movement *m)
{
    make_pad(m);
    struct hy_builder_type type = {.type = ANEURALNETWORKS_INT32};
    const int32_t byte = 77;
    const uint16_t half = 0x3c01;
    const float real = 1.5f;
    const void *data = &byte;

    m->pad[0] = (uint8_t)byte;
    if (m->type.type == ANEURALNETWORKS_TENSOR_FLOAT16) {
        type.type = ANEURALNETWORKS_FLOAT16;
        data = memcpy(m->pad, &half, sizeof half);
    } else if (m->type.type == ANEURALNETWORKS_TENSOR_FLOAT32) {
        type.type = ANEURALNETWORKS_FLOAT32;
        data = memcpy(m->pad, &real, sizeof real);
    }
    hy_op_case_tensor(&m->test, &type, data, true);
}

static int64_t from_pad(const struct movement *m, const uint32_t *at)
{
    uint32_t index[HY_MAX_RANK];

    for (uint32_t i = 0; i < m->in.rank; i++) {
        index[i] = at[i] - (uint32_t)m->a[i];
        if (index[i] >= m->in.dims[i])
            return FROM_NOWHERE;
    }
    return position(&m->in, index);
}

static void make_channel_shuffle(struct movement *m)
{
    m->in = random_shape(m, (uint32_t)between(m, 1, 4));
    m->a[0] = between(m, 1, 4);                       /* groups */
    m->a[1] = between(m, 0, (int32_t)m->in.rank - 1); /* axis */
    m->in.dims[m->a[1]] *= (uint32_t)m->a[0];
    m->out = m->in;
    add_input(m);
    hy_op_case_int(&m->test, m->a[0]);
    hy_op_case_int(&m->test, between(m, 0, 1) ? m->a[1] : m->a[1] - (int32_t)m->in.rank);
}

static int64_t from_channel_shuffle(const struct movement *m, const uint32_t *at)
{
    uint32_t index[HY_MAX_RANK], groups = (uint32_t)m->a[0];

    memcpy(index, at, sizeof index);
    uint32_t channel = at[m->a[1]], members = m->in.dims[m->a[1]] / groups;
    index[m->a[1]] = channel % groups * members + channel / groups;
    return position(&m->in, index);
}

/* The pixel of an image at an index of its tensor, and back. */
struct pixel {
    uint32_t n, y, x, c;
};

static struct pixel pixel_at(const struct movement *m, const uint32_t *at)
{
    if (m->nchw)
        return (struct pixel){at[0], at[2], at[3], at[1]};
    return (struct pixel){at[0], at[1], at[2], at[3]};
}

static int64_t from_pixel(const struct movement *m, struct pixel p)
{
    uint32_t index[4] = {p.n, p.y, p.x, p.c};

    if (m->nchw) {
        index[1] = p.c;
        index[2] = p.y;
        index[3] = p.x;
    }
    return position(&m->in, index);
}

/* Shapes of images: a is the block, or its size. */
static void set_images(struct movement *m, struct hy_image_size in, struct hy_image_size out)
{
    m->in = hy_image_shape(&in, m->nchw);
    m->out = hy_image_shape(&out, m->nchw);
    add_input(m);
}

static struct hy_image_size random_image(struct movement *m)
{
    return (struct hy_image_size){(uint32_t)between(m, 1, 3), (uint32_t)between(m, 1, 4),
                                  (uint32_t)between(m, 1, 4), (uint32_t)between(m, 1, 5)};
}

static void make_batch_to_space(struct movement *m)
{
    const uint32_t two = 2;
    struct hy_image_size in = random_image(m), out = in;

    m->a[0] = between(m, 1, 3);
    m->a[1] = between(m, 1, 3);
    in.batch *= (uint32_t)(m->a[0] * m->a[1]);
    out.height *= (uint32_t)m->a[0];
    out.width *= (uint32_t)m->a[1];
    m->b[0] = (int32_t)out.batch;
    set_images(m, in, out);
    hy_op_case_ints(&m->test, 1, &two, m->a, m->is_constant);
    hy_op_case_bool(&m->test, m->nchw);
}

static int64_t from_batch_to_space(const struct movement *m, const uint32_t *at)
{
    struct pixel p = pixel_at(m, at);
    uint32_t height = (uint32_t)m->a[0], width = (uint32_t)m->a[1];

    p.n += (p.y % height * width + p.x % width) * (uint32_t)m->b[0];
    p.y /= height;
    p.x /= width;
    return from_pixel(m, p);
}

static void make_space_to_batch(struct movement *m)
{
    const uint32_t two = 2;
    struct hy_image_size out = random_image(m), in = out;

    m->a[0] = between(m, 1, 3);
    m->a[1] = between(m, 1, 3);
    uint32_t height = in.height * (uint32_t)m->a[0], width = in.width * (uint32_t)m->a[1];
    in.height = (uint32_t)between(m, 1, (int32_t)height);
    in.width = (uint32_t)between(m, 1, (int32_t)width);
    m->b[0] = between(m, 0, (int32_t)(height - in.height));
    m->b[1] = between(m, 0, (int32_t)(width - in.width));
    m->c[0] = (int32_t)(height - in.height) - m->b[0];
    m->c[1] = (int32_t)(width - in.width) - m->b[1];
    out.batch *= (uint32_t)(m->a[0] * m->a[1]);
    set_images(m, in, out);
    m->pad[0] = (uint8_t)m->type.zero_point;
    hy_op_case_ints(&m->test, 1, &two, m->a, m->is_constant);
    add_pairs(m, 2, m->b, m->c);
    hy_op_case_bool(&m->test, m->nchw);
}

static int64_t from_space_to_batch(const struct movement *m, const uint32_t *at)
{
    struct pixel p = pixel_at(m, at);
    struct hy_image_size in = hy_image_size_of(&m->in, m->nchw);
    uint32_t block = p.n / in.batch;

    p.n %= in.batch;
    p.y = p.y * (uint32_t)m->a[0] + block / (uint32_t)m->a[1] - (uint32_t)m->b[0];
    p.x = p.x * (uint32_t)m->a[1] + block % (uint32_t)m->a[1] - (uint32_t)m->b[1];
    return p.y < in.height && p.x < in.width ? from_pixel(m, p) : FROM_NOWHERE;
}

static void make_depth_to_space(struct movement *m)
{
    struct hy_image_size in = random_image(m), out = in;

    m->a[0] = between(m, 1, 3);
    in.channels *= (uint32_t)(m->a[0] * m->a[0]);
    out.height *= (uint32_t)m->a[0];
    out.width *= (uint32_t)m->a[0];
    m->b[0] = (int32_t)out.channels;
    set_images(m, in, out);
    hy_op_case_int(&m->test, m->a[0]);
    hy_op_case_bool(&m->test, m->nchw);
}

static int64_t from_depth_to_space(const struct movement *m, const uint32_t *at)
{
    struct pixel p = pixel_at(m, at);
    uint32_t block = (uint32_t)m->a[0];

    p.c += (p.y % block * block + p.x % block) * (uint32_t)m->b[0];
    p.y /= block;
    p.x /= block;
    return from_pixel(m, p);
}

static void make_space_to_depth(struct movement *m)
{
    struct hy_image_size in = random_image(m), out = in;

    m->a[0] = between(m, 1, 3);
    in.height *= (uint32_t)m->a[0];
    in.width *= (uint32_t)m->a[0];
    m->b[0] = (int32_t)in.channels;
    out.channels *= (uint32_t)(m->a[0] * m->a[0]);
    set_images(m, in, out);
    hy_op_case_int(&m->test, m->a[0]);
    hy_op_case_bool(&m->test, m->nchw);
}

static int64_t from_space_to_depth(const struct movement *m, const uint32_t *at)
{
    struct pixel p = pixel_at(m, at);
    uint32_t block = (uint32_t)m->a[0], group = p.c / (uint32_t)m->b[0];

    p.c %= (uint32_t)m->b[0];
    p.y = p.y * block + group / block;
    p.x = p.x * block + group % block;
    return from_pixel(m, p);
}

typedef int64_t from_fn(const struct movement *m, const uint32_t *at);

static void check_shape(const struct movement *m)
{
    const struct hy_output_shape *reported = &m->test.shapes[0];
    struct hy_shape shape;

    if (hy_shape_set(&shape, reported->rank, reported->dims) && hy_shape_equal(&shape, &m->out))
        hy_test_pass(__FILE__, __LINE__);
    else
        hy_test_fail(__FILE__, __LINE__, "%s: wrong shape, seed %u",
                     hy_operation_name(m->test.operation), m->seed);
}

static void check_elements(const struct movement *m, from_fn *from, uint32_t device)
{
    uint32_t size = hy_operand_type_bytes(m->type.type), index[HY_MAX_RANK] = {0};
    uint64_t count = hy_shape_span(&m->out, 0, m->out.rank);

    for (uint64_t i = 0; i < count; i++) {
        uint64_t rest = i;
        for (uint32_t d = m->out.rank; d-- > 0; rest /= m->out.dims[d])
            index[d] = (uint32_t)(rest % m->out.dims[d]);
        int64_t source = from(m, index);
        const uint8_t *want = source < 0 ? m->pad : m->data + (uint64_t)source * size;
        if (memcmp(m->result + i * size, want, size) == 0)
            continue;
        hy_test_fail(__FILE__, __LINE__, "%s on device %u: element %llu differs, seed %u",
                     hy_operation_name(m->test.operation), device, (unsigned long long)i, m->seed);
        return;
    }
    hy_test_pass(__FILE__, __LINE__);
}

static void run_case(struct movement *m, int32_t operation, void (*make)(struct movement *m),
                     from_fn *from)
{
    uint32_t seed = m->seed;
    int32_t type = m->type.type;

    for (uint32_t device = 0; device < DEVICES; device++) {
        memset(m, 0, sizeof *m);
        m->seed = seed;
        m->type.type = type;
        for (uint32_t i = 0; i < MOST_BYTES; i++)
            m->data[i] = (uint8_t)(hy_sample_random(&m->seed) >> 8);
        hy_op_case_init(&m->test, operation);
        m->is_constant = between(m, 0, 1);
        m->nchw = between(m, 0, 1);
        make(m);
        hy_op_case_output(
            &m->test,
            &(struct hy_builder_type){type, m->type.scale, m->type.zero_point, m->out.rank, {0}},
            m->result, MOST_BYTES);
        EXPECT_INT(hy_op_case_run(&m->test, device), HY_STATUS_OK);
        check_shape(m);
        check_elements(m, from, device);
        hy_op_case_finish(&m->test);
    }
}

static const struct {
    int32_t operation;
    void (*make)(struct movement *m);
    from_fn *from;
} rows[] = {
    {HY_OP_TRANSPOSE, make_transpose, from_transpose},
    {HY_OP_SLICE, make_slice, from_slice},
    {HY_OP_STRIDED_SLICE, make_strided_slice, from_strided_slice},
    {HY_OP_REVERSE, make_reverse, from_reverse},
    {HY_OP_TILE, make_tile, from_tile},
    {HY_OP_MIRROR_PAD, make_mirror_pad, from_mirror_pad},
    {HY_OP_PAD, make_pad, from_pad},
    {HY_OP_PAD_V2, make_pad_v2, from_pad},
    {HY_OP_CHANNEL_SHUFFLE, make_channel_shuffle, from_channel_shuffle},
    {HY_OP_BATCH_TO_SPACE_ND, make_batch_to_space, from_batch_to_space},
    {HY_OP_SPACE_TO_BATCH_ND, make_space_to_batch, from_space_to_batch},
    {HY_OP_DEPTH_TO_SPACE, make_depth_to_space, from_depth_to_space},
    {HY_OP_SPACE_TO_DEPTH, make_space_to_depth, from_space_to_depth},
};

TEST(movement, every_element_comes_from_its_place)
{
    static const int32_t types[] = {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                                    ANEURALNETWORKS_TENSOR_FLOAT16, ANEURALNETWORKS_TENSOR_FLOAT32};
    static struct movement m;

    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        for (uint32_t round = 0; round < ROUNDS; round++) {
            m.seed = (uint32_t)row * 1000 + round;
            m.type.type = types[round % 3];
            run_case(&m, rows[row].operation, rows[row].make, rows[row].from);
        }
    }
}
