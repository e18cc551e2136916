#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "tests/scenarios/numerics/claim.h"

/* Operations that move elements: the bytes come out as they went in, NaN and all. */

enum { MOST_BYTES = 1 << 16, RANK = 3 };

struct move {
    int32_t operation, type;
    uint32_t size; /* of an element, in bytes */
    uint32_t in[RANK], out[RANK];
    int32_t order[RANK];  /* TRANSPOSE: which dimension of the input each of the output's is */
    int32_t before[RANK]; /* PAD: how many come first; SLICE: where it begins */
    int32_t indices[16];  /* GATHER, along dimension 1 */
    uint8_t given[MOST_BYTES], got[8 * MOST_BYTES];
};

static bool is_inside(const struct move *m, const int32_t *at)
{
    bool result = true;

    for (int d = 0; d < RANK; d++)
        result &= at[d] >= 0 && at[d] < (int32_t)m->in[d];
    return result;
}

/* Where an element of the output comes from; outside of the input: it is padding. */
static void source_of(const struct move *m, const int32_t *to, int32_t *from)
{
    for (int d = 0; d < RANK; d++) {
        from[d] = to[d];
        if (m->operation == HY_OP_PAD)
            from[d] = to[d] - m->before[d];
        if (m->operation == HY_OP_SLICE)
            from[d] = to[d] + m->before[d];
    }
    for (int d = 0; d < RANK && m->operation == HY_OP_TRANSPOSE; d++)
        from[m->order[d]] = to[d];
    if (m->operation == HY_OP_GATHER)
        from[1] = m->indices[to[1]];
}

static uint32_t count_of(const uint32_t *dims)
{
    return dims[0] * dims[1] * dims[2];
}

static void check(struct claim *claim, struct claim_device *device, void *context)
{
    static const uint8_t zeros[4];
    const struct move *m = context;

    for (uint32_t i = 0; i < count_of(m->out); i++) {
        const int32_t to[RANK] = {(int32_t)(i / m->out[2] / m->out[1]),
                                  (int32_t)(i / m->out[2] % m->out[1]), (int32_t)(i % m->out[2])};
        int32_t from[RANK];
        source_of(m, to, from);
        const uint32_t at =
            ((uint32_t)from[0] * m->in[1] + (uint32_t)from[1]) * m->in[2] + (uint32_t)from[2];
        const uint8_t *want = is_inside(m, from) ? m->given + (size_t)at * m->size : zeros;
        if (memcmp(want, m->got + (size_t)i * m->size, m->size) != 0)
            claim_wrong(claim, device, "element %u of %u x %u x %u, %u bytes each", i, m->out[0],
                        m->out[1], m->out[2], m->size);
    }
}

static void choose(struct hy_random *r, struct move *m)
{
    static const int32_t types[] = {ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_TENSOR_FLOAT16,
                                    ANEURALNETWORKS_TENSOR_QUANT8_ASYMM};
    static const uint32_t sizes[] = {4, 2, 1};
    static const int32_t orders[][RANK] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                           {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int32_t type = hy_random_between(r, 0, 2);

    m->type = types[type];
    m->size = sizes[type];
    memcpy(m->order, orders[hy_random_between(r, 0, 5)], sizeof m->order);
    for (int d = 0; d < RANK; d++)
        m->in[d] = (uint32_t)hy_random_between(r, 1, 25);
    for (uint32_t i = 0; i < count_of(m->in) * m->size; i++)
        m->given[i] = (uint8_t)(hy_random_next(r) >> 32);
    for (int i = 0; i < 16; i++)
        m->indices[i] = hy_random_between(r, 0, (int32_t)m->in[1] - 1);
}

/* Sizes of the output, and the parameters that lead to them. */
static void add_parameters(struct hy_random *r, struct move *m, struct hy_op_case *test)
{
    int32_t sizes[RANK], pads[2 * RANK];

    for (int d = 0; d < RANK; d++) {
        m->out[d] = m->operation == HY_OP_TRANSPOSE ? m->in[m->order[d]] : m->in[d];
        m->before[d] = hy_random_between(r, 0, 2);
        if (m->operation == HY_OP_PAD)
            m->out[d] += 2 * (uint32_t)m->before[d];
        if (m->operation == HY_OP_SLICE) {
            m->before[d] = hy_random_between(r, 0, (int32_t)m->in[d] - 1);
            m->out[d] -= (uint32_t)m->before[d];
        }
        sizes[d] = (int32_t)m->out[d];
        pads[2 * d] = pads[2 * d + 1] = m->before[d];
    }
    if (m->operation == HY_OP_TRANSPOSE)
        hy_op_case_ints(test, 1, (uint32_t[]){RANK}, m->order, true);
    if (m->operation == HY_OP_PAD)
        hy_op_case_ints(test, 2, (uint32_t[]){RANK, 2}, pads, true);
    if (m->operation == HY_OP_SLICE) {
        hy_op_case_ints(test, 1, (uint32_t[]){RANK}, m->before, true);
        hy_op_case_ints(test, 1, (uint32_t[]){RANK}, sizes, true);
    }
    if (m->operation == HY_OP_GATHER) {
        m->out[1] = 16;
        hy_op_case_int(test, 1);
        hy_op_case_ints(test, 1, (uint32_t[]){16}, m->indices, false);
    }
}

static void check_moves(struct claim *claim, int32_t operation)
{
    static struct move m;

    m.operation = operation;
    while (claim_goes_on(claim)) {
        struct hy_op_case test;
        choose(&claim->random, &m);
        struct hy_builder_type type = hy_op_case_type(m.type, RANK, m.in);
        type.zero_point = 0; /* which padding is */
        hy_op_case_init(&test, operation);
        hy_op_case_tensor(&test, &type, m.given, false);
        add_parameters(&claim->random, &m, &test);
        hy_op_case_output(&test, &type, m.got, sizeof m.got);
        claim_run(claim, &test, check, &m);
        hy_op_case_finish(&test);
        claim_count(claim, count_of(m.out));
    }
}

CLAIM(moves, transpose_copies_bytes)
{
    check_moves(claim, HY_OP_TRANSPOSE);
}

CLAIM(moves, pad_copies_bytes)
{
    check_moves(claim, HY_OP_PAD);
}

CLAIM(moves, slice_copies_bytes)
{
    check_moves(claim, HY_OP_SLICE);
}

CLAIM(moves, gather_copies_bytes)
{
    check_moves(claim, HY_OP_GATHER);
}
