#include <android/NeuralNetworksTypes.h>
#include <math.h>

#include "common/half.h"
#include "common/operations/operation.h"
#include "tests/scenarios/numerics/claim.h"

/*
 * Functions of one float16: all halves there are, and their results with float32 narrowed once.
 * Where halyard-cpu has float32 functions of its own, these may be some ulp off those of the C
 * library, and so near the middle of two halves narrow to the other one.
 */

enum { HALVES = 1 << 16 };

struct halves {
    int32_t operation;
    int ulp; /* of float32, between the two devices */
    uint16_t in[HALVES], out[HALVES];
    float wide_in[HALVES], wide_out[HALVES];
};

static bool is_nan(uint16_t half)
{
    return (half & 0x7fff) > 0x7c00;
}

static uint16_t moved(float x, int ulp)
{
    const float step = x * 0x1p-23f * (float)ulp;
    return hy_half_from_float_soft(isfinite(x) ? x + step : x);
}

static bool is_right(const struct halves *h, uint32_t i)
{
    const float wide = h->wide_out[i];
    const uint16_t want = hy_half_from_float_soft(wide), got = h->out[i];

    return want == got || (is_nan(want) && is_nan(got)) || moved(wide, h->ulp) == got ||
           moved(wide, -h->ulp) == got;
}

/* A subnormal float32 in between may count as 0: less than any half but 0. */
static void check(struct claim *claim, struct claim_device *device, void *context)
{
    const struct halves *h = context;

    for (uint32_t i = 0; i < HALVES; i++)
        if (!is_right(h, i))
            claim_wrong(claim, device, "of %#x is %#x, narrowed %#x", h->in[i], h->out[i],
                        hy_half_from_float_soft(h->wide_out[i]));
}

static void build(struct hy_op_case *test, const struct halves *h, int32_t type, const void *in,
                  void *out, size_t out_bytes)
{
    static const uint16_t one = 0x3c00;
    const uint32_t count = HALVES;
    const struct hy_builder_type tensor = hy_op_case_type(type, 1, &count);
    const struct hy_builder_type scalar = {.type = ANEURALNETWORKS_FLOAT16};

    hy_op_case_init(test, h->operation);
    hy_op_case_tensor(test, &tensor, in, false);
    if (h->operation == HY_OP_ELU && type == ANEURALNETWORKS_TENSOR_FLOAT32)
        hy_op_case_float(test, 1);
    else if (h->operation == HY_OP_ELU)
        test->inputs[test->input_count++] =
            hy_builder_constant(&test->builder, &scalar, &one, sizeof one);
    hy_op_case_output(test, &tensor, out, out_bytes);
}

static void check_halves(struct claim *claim, int32_t operation, int ulp)
{
    static struct halves h;
    struct hy_op_case wide, narrow;

    h.operation = operation;
    h.ulp = ulp;
    for (uint32_t i = 0; i < HALVES; i++) {
        h.in[i] = (uint16_t)i;
        h.wide_in[i] = hy_half_to_float_soft(h.in[i]);
    }
    build(&wide, &h, ANEURALNETWORKS_TENSOR_FLOAT32, h.wide_in, h.wide_out, sizeof h.wide_out);
    build(&narrow, &h, ANEURALNETWORKS_TENSOR_FLOAT16, h.in, h.out, sizeof h.out);
    if (hy_op_case_run_within(&wide, 1, "none") != HY_STATUS_OK)
        claim_wrong(claim, &claim->devices[0], "%s", wide.message);
    claim_run(claim, &narrow, check, &h);
    hy_op_case_finish(&wide);
    hy_op_case_finish(&narrow);
    claim_count(claim, HALVES);
    claim->elements = claim->seen; /* there are no others */
}

#define HALVES_CLAIM(name, operation, ulp) \
    CLAIM(halves, name) \
    { \
        check_halves(claim, operation, ulp); \
    }

HALVES_CLAIM(abs_is_that_of_float32_narrowed, HY_OP_ABS, 0)
HALVES_CLAIM(neg_is_that_of_float32_narrowed, HY_OP_NEG, 0)
HALVES_CLAIM(floor_is_that_of_float32_narrowed, HY_OP_FLOOR, 0)
HALVES_CLAIM(relu_is_that_of_float32_narrowed, HY_OP_RELU, 0)
HALVES_CLAIM(relu1_is_that_of_float32_narrowed, HY_OP_RELU1, 0)
HALVES_CLAIM(relu6_is_that_of_float32_narrowed, HY_OP_RELU6, 0)
HALVES_CLAIM(sqrt_is_that_of_float32_narrowed, HY_OP_SQRT, 0)
HALVES_CLAIM(rsqrt_is_that_of_float32_narrowed, HY_OP_RSQRT, 0)
HALVES_CLAIM(elu_is_that_of_float32_narrowed, HY_OP_ELU, 2)
HALVES_CLAIM(exp_is_that_of_float32_narrowed, HY_OP_EXP, 2)
HALVES_CLAIM(log_is_that_of_float32_narrowed, HY_OP_LOG, 2)
HALVES_CLAIM(sin_is_that_of_float32_narrowed, HY_OP_SIN, 2)
HALVES_CLAIM(tanh_is_that_of_float32_narrowed, HY_OP_TANH, 4)
HALVES_CLAIM(logistic_is_that_of_float32_narrowed, HY_OP_LOGISTIC, 4)
HALVES_CLAIM(hard_swish_is_that_of_float32_narrowed, HY_OP_HARD_SWISH, 0)
