#include <android/NeuralNetworksTypes.h>
#include <math.h>

#include "common/half.h"
#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/elementwise_tensor.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

/* Element-wise operations against their formulas in double, through both devices. */

#define F32  ANEURALNETWORKS_TENSOR_FLOAT32
#define F16  ANEURALNETWORKS_TENSOR_FLOAT16
#define I32  ANEURALNETWORKS_TENSOR_INT32
#define Q8   ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define Q8S  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED
#define B8   ANEURALNETWORKS_TENSOR_BOOL8
#define NONE (-1)

#define DEVICES 2
#define ROUNDS  12
#define RANK    5

/* An operation, the types it takes and the type of its result (NONE: the same). */
struct row {
    int32_t operation;
    int32_t types[6];
    int32_t out_type;
};

static const struct row binary_rows[] = {
    {HY_OP_SUB, {F32, F16, I32, Q8, Q8S, NONE}, NONE},
    {HY_OP_MUL, {F32, F16, I32, Q8, Q8S, NONE}, NONE},
    {HY_OP_DIV, {F32, F16, I32, NONE}, NONE},
    {HY_OP_MAXIMUM, {F32, F16, I32, Q8, Q8S, NONE}, NONE},
    {HY_OP_MINIMUM, {F32, F16, I32, Q8, Q8S, NONE}, NONE},
    {HY_OP_POW, {F32, F16, NONE}, NONE},
    {HY_OP_PRELU, {F32, F16, Q8, Q8S, NONE}, NONE},
    {HY_OP_EQUAL, {F32, F16, I32, Q8, Q8S, B8}, B8},
    {HY_OP_NOT_EQUAL, {F32, F16, I32, Q8, Q8S, B8}, B8},
    {HY_OP_LESS, {F32, F16, I32, Q8, Q8S, B8}, B8},
    {HY_OP_LESS_EQUAL, {F32, F16, I32, Q8, Q8S, B8}, B8},
    {HY_OP_GREATER, {F32, F16, I32, Q8, Q8S, B8}, B8},
    {HY_OP_GREATER_EQUAL, {F32, F16, I32, Q8, Q8S, B8}, B8},
    {HY_OP_LOGICAL_AND, {B8, NONE}, B8},
    {HY_OP_LOGICAL_OR, {B8, NONE}, B8},
};

static const struct row unary_rows[] = {
    {HY_OP_ABS, {F32, F16, I32, NONE}, NONE},
    {HY_OP_NEG, {F32, F16, I32, NONE}, NONE},
    {HY_OP_EXP, {F32, F16, NONE}, NONE},
    {HY_OP_LOG, {F32, F16, NONE}, NONE},
    {HY_OP_SIN, {F32, F16, NONE}, NONE},
    {HY_OP_SQRT, {F32, F16, NONE}, NONE},
    {HY_OP_RSQRT, {F32, F16, Q8, Q8S, NONE}, NONE},
    {HY_OP_FLOOR, {F32, F16, NONE}, NONE},
    {HY_OP_RELU, {F32, F16, Q8, Q8S, NONE}, NONE},
    {HY_OP_RELU1, {F32, F16, Q8, Q8S, NONE}, NONE},
    {HY_OP_RELU6, {F32, F16, Q8, Q8S, NONE}, NONE},
    {HY_OP_LOGISTIC, {F32, F16, Q8, Q8S, NONE}, NONE},
    {HY_OP_TANH, {F32, F16, Q8, Q8S, NONE}, NONE},
    {HY_OP_ELU, {F32, F16, NONE}, NONE},
    {HY_OP_HARD_SWISH, {F32, F16, Q8, Q8S, NONE}, NONE},
    {HY_OP_LOGICAL_NOT, {B8, NONE}, NONE},
};

static bool is_quantised(const struct hy_tensor *tensor)
{
    return hy_operand_type_is_quantised(tensor->type.type);
}

static bool is_arithmetic(int32_t operation)
{
    return operation == HY_OP_SUB || operation == HY_OP_MUL || operation == HY_OP_DIV;
}

static double evaluate_binary(int32_t operation, double a, double b)
{
    switch (operation) {
    case HY_OP_SUB:
        return a - b;
    case HY_OP_MUL:
        return a * b;
    case HY_OP_DIV:
        return a / b;
    case HY_OP_MAXIMUM:
        return fmax(a, b);
    case HY_OP_MINIMUM:
        return fmin(a, b);
    case HY_OP_POW:
        return pow(a, b);
    case HY_OP_PRELU:
        return a >= 0 ? a : a * b;
    case HY_OP_EQUAL:
        return a == b;
    case HY_OP_NOT_EQUAL:
        return a != b;
    case HY_OP_LESS:
        return a < b;
    case HY_OP_LESS_EQUAL:
        return a <= b;
    case HY_OP_GREATER:
        return a > b;
    case HY_OP_GREATER_EQUAL:
        return a >= b;
    case HY_OP_LOGICAL_AND:
        return a != 0 && b != 0;
    default: /* HY_OP_LOGICAL_OR */
        return a != 0 || b != 0;
    }
}

static double clamp(double x, double min, double max)
{
    return x < min ? min : x > max ? max : x;
}

static double evaluate_unary(const struct hy_tensor_call *call, double x)
{
    switch (call->operation) {
    case HY_OP_ABS:
        return fabs(x);
    case HY_OP_NEG:
        return -x;
    case HY_OP_EXP:
        return exp(x);
    case HY_OP_LOG:
        return log(x);
    case HY_OP_SIN:
        return sin(x);
    case HY_OP_SQRT:
        return sqrt(x);
    case HY_OP_RSQRT:
        return 1 / sqrt(x);
    case HY_OP_FLOOR:
        return floor(x);
    case HY_OP_RELU:
        return clamp(x, 0, INFINITY);
    case HY_OP_RELU1:
        return clamp(x, -1, 1);
    case HY_OP_RELU6:
        return clamp(x, 0, 6);
    case HY_OP_LOGISTIC:
        return 1 / (1 + exp(-x));
    case HY_OP_TANH:
        return tanh(x);
    case HY_OP_ELU:
        return x >= 0 ? x : (double)call->alpha * expm1(x);
    case HY_OP_HARD_SWISH:
        return x * clamp(x + 3, 0, 6) / 6;
    default: /* HY_OP_LOGICAL_NOT */
        return x == 0;
    }
}

static double activate(int32_t activation, double x)
{
    static const double bounds[][2] = {{-INFINITY, INFINITY}, {0, INFINITY}, {-1, 1}, {0, 6}};
    return clamp(x, bounds[activation][0], bounds[activation][1]);
}

/* How far a result may lie from `expected`, in stored numbers. */
static double tolerance(const struct hy_tensor *out, double expected)
{
    switch (out->type.type) {
    case F32:
        return 1e-6 + 2e-6 * fabs(expected);
    case F16:
        return 0x1p-11 + 0x1p-10 * fabs(expected);
    case Q8:
    case Q8S:
        return 1.001; /* the roundings of the fixed point */
    default:
        return 0;
    }
}

static void expect_element(const struct hy_tensor_call *call, uint32_t device, uint32_t i,
                           double real)
{
    const struct hy_tensor *out = call->output;
    double expected = hy_tensor_steps(out, real), actual = hy_tensor_stored(out, i);

    if (out->type.type == I32 && call->operation == HY_OP_DIV)
        expected = isfinite(real) ? floor(real) : 0;
    bool is_same = expected == actual || (isnan(expected) && isnan(actual));
    if (!is_same && !(fabs(expected - actual) <= tolerance(out, expected)))
        hy_test_fail(__FILE__, __LINE__, "%s of %s on device %u: element %u is %g, expected %g",
                     hy_operation_name(call->operation),
                     hy_operand_type_name(call->inputs[0]->type.type), device, i, actual, expected);
}

/* Which element of `in` meets element `index` of `out`. */
static uint32_t meets(const struct hy_tensor *in, const struct hy_tensor *out, uint32_t index)
{
    uint32_t result = 0, step = 1, missing = out->type.rank - in->type.rank;

    for (uint32_t i = out->type.rank; i-- > missing;) {
        uint32_t size = in->type.dims[i - missing];
        result += size == 1 ? 0 : index % out->type.dims[i] * step;
        step *= size;
        index /= out->type.dims[i];
    }
    return result;
}

static void choose_shapes(struct hy_tensor *a, struct hy_tensor *b, struct hy_tensor *out,
                          uint32_t most_rank, uint32_t *seed)
{
    uint32_t a_dims[RANK], b_dims[RANK], dims[RANK];
    uint32_t rank = 1 + hy_sample_random(seed) % most_rank, b_rank = 1;

    b_rank += hy_sample_random(seed) % rank;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t variant = i < rank - b_rank ? 1 : hy_sample_random(seed) % 4;
        a_dims[i] = b_dims[i] = dims[i] = 1 + hy_sample_random(seed) % 3;
        if (hy_sample_random(seed) % 40 == 0)
            a_dims[i] = b_dims[i] = dims[i] = 0;
        if (variant == 0)
            a_dims[i] = 1;
        if (variant == 1)
            b_dims[i] = 1;
    }
    hy_tensor_set_shape(a, rank, a_dims);
    hy_tensor_set_shape(b, b_rank, b_dims + rank - b_rank);
    hy_tensor_set_shape(out, rank, dims);
}

static void check_binary(const struct row *row, int32_t type, uint32_t *seed)
{
    struct hy_tensor a, b, out;
    struct hy_tensor_call call = {
        .operation = row->operation,
        .input_count = 2,
        .inputs = {&a, &b},
        .output = &out,
        .has_activation = is_arithmetic(row->operation),
        .activation = type == I32 ? 0 : (int32_t)(hy_sample_random(seed) % 4),
    };

    hy_tensor_init(&a, type, seed);
    hy_tensor_init(&b, type, seed);
    hy_tensor_init(&out, row->out_type == NONE ? type : row->out_type, seed);
    choose_shapes(&a, &b, &out, is_arithmetic(row->operation) ? 4 : RANK, seed);
    hy_tensor_fill(&a, seed);
    hy_tensor_fill(&b, seed);
    for (uint32_t device = 0; device < DEVICES; device++) {
        EXPECT_INT(hy_tensor_run(&call, device, NULL), HY_STATUS_OK);
        for (uint32_t i = 0; i < out.count; i++) {
            double real = evaluate_binary(row->operation, hy_tensor_real(&a, meets(&a, &out, i)),
                                          hy_tensor_real(&b, meets(&b, &out, i)));
            expect_element(&call, device, i,
                           call.has_activation ? activate(call.activation, real) : real);
        }
    }
}

TEST(elementwise, binary_operations_are_their_formulas_on_any_shapes)
{
    uint32_t seed = 1;

    for (size_t r = 0; r < sizeof binary_rows / sizeof *binary_rows; r++)
        for (int t = 0; t < 6 && binary_rows[r].types[t] != NONE; t++)
            for (int round = 0; round < ROUNDS; round++)
                check_binary(&binary_rows[r], binary_rows[r].types[t], &seed);
}

/* Some operations fix the quantisation of their output. */
static void set_output_quantisation(int32_t operation, const struct hy_tensor *in,
                                    struct hy_tensor *out)
{
    bool is_signed = in->type.type == Q8S;

    if (!is_quantised(in))
        return;
    if (operation == HY_OP_RELU || operation == HY_OP_RELU1 || operation == HY_OP_RELU6)
        out->type = in->type;
    if (operation == HY_OP_LOGISTIC) {
        out->type.scale = 1.0f / 256;
        out->type.zero_point = is_signed ? -128 : 0;
    }
    if (operation == HY_OP_TANH) {
        out->type.scale = 1.0f / 128;
        out->type.zero_point = is_signed ? 0 : 128;
    }
}

/* All 256 elements of an 8-bit type, and some of the others. */
static void check_unary(const struct row *row, int32_t type, uint32_t *seed)
{
    const uint32_t dims[] = {4, 2, 32};
    struct hy_tensor in, out;
    struct hy_tensor_call call = {
        .operation = row->operation,
        .input_count = 1,
        .inputs = {&in},
        .output = &out,
        .has_alpha = row->operation == HY_OP_ELU,
        .alpha = 0.75f,
    };

    hy_tensor_init(&in, type, seed);
    hy_tensor_init(&out, type, seed);
    set_output_quantisation(row->operation, &in, &out);
    hy_tensor_set_shape(&in, 3, dims);
    hy_tensor_set_shape(&out, 3, dims);
    hy_tensor_fill(&in, seed);
    for (uint32_t i = 0; i < in.count && hy_operand_type_bytes(type) == 1; i++)
        ((uint8_t *)in.data)[i] = (uint8_t)i;
    for (uint32_t device = 0; device < DEVICES; device++) {
        EXPECT_INT(hy_tensor_run(&call, device, NULL), HY_STATUS_OK);
        for (uint32_t i = 0; i < out.count; i++)
            expect_element(&call, device, i, evaluate_unary(&call, hy_tensor_real(&in, i)));
    }
}

TEST(elementwise, unary_operations_are_their_formulas_on_every_byte)
{
    uint32_t seed = 2;

    for (size_t r = 0; r < sizeof unary_rows / sizeof *unary_rows; r++)
        for (int t = 0; t < 6 && unary_rows[r].types[t] != NONE; t++)
            for (int round = 0; round < ROUNDS; round++)
                check_unary(&unary_rows[r], unary_rows[r].types[t], &seed);
}

TEST(elementwise, select_converts_what_it_takes)
{
    static const int32_t types[] = {F32, F16, I32, Q8, Q8S};
    const uint32_t dims[] = {3, 5, 7};
    struct hy_tensor condition, a, b, out;
    struct hy_tensor_call call = {
        .operation = HY_OP_SELECT,
        .input_count = 3,
        .inputs = {&condition, &a, &b},
        .output = &out,
    };
    uint32_t seed = 3;

    for (int t = 0; t < 5 * ROUNDS; t++) {
        struct hy_tensor *tensors[] = {&a, &b, &out};
        hy_tensor_init(&condition, B8, &seed);
        hy_tensor_set_shape(&condition, 3, dims);
        hy_tensor_fill(&condition, &seed);
        for (uint32_t i = 0; i < condition.count; i += 2)
            ((uint8_t *)condition.data)[i] = 0;
        for (int i = 0; i < 3; i++) {
            hy_tensor_init(tensors[i], types[t % 5], &seed);
            hy_tensor_set_shape(tensors[i], 3, dims);
            hy_tensor_fill(tensors[i], &seed);
        }
        for (uint32_t device = 0; device < DEVICES; device++) {
            EXPECT_INT(hy_tensor_run(&call, device, NULL), HY_STATUS_OK);
            for (uint32_t i = 0; i < out.count; i++)
                expect_element(&call, device, i,
                               hy_tensor_real(hy_tensor_stored(&condition, i) != 0 ? &a : &b, i));
        }
    }
}

/* `count` floats of `in` through one operation, to `type`. */
static void convert(int32_t operation, const float *in, uint32_t count, struct hy_tensor *out)
{
    struct hy_tensor tensor = {.type.type = F32};
    struct hy_tensor_call call = {
        .operation = operation, .input_count = 1, .inputs = {&tensor}, .output = out};

    hy_tensor_set_shape(&tensor, 1, &count);
    hy_tensor_set_shape(out, 1, &count);
    memcpy(tensor.data, in, count * sizeof *in);
    EXPECT_INT(hy_tensor_run(&call, 0, NULL), HY_STATUS_OK);
}

TEST(elementwise, cast_truncates_and_stays_within_the_type)
{
    const float in[] = {1.9f, -1.9f, 300, -300, 3e9f, -3e9f, INFINITY, -INFINITY, NAN};
    const int32_t ints[] = {1, -1, 300, -300, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN, 0};
    const uint8_t bytes[] = {1, 0, 255, 0, 255, 0, 255, 0, 0};
    struct hy_tensor as_ints = {.type.type = I32};
    struct hy_tensor as_bytes = {.type = {.type = Q8, .scale = 0.5f, .zero_point = 100}};

    convert(HY_OP_CAST, in, 9, &as_ints);
    convert(HY_OP_CAST, in, 9, &as_bytes);
    for (uint32_t i = 0; i < 9; i++) {
        EXPECT_INT(hy_tensor_stored(&as_ints, i), ints[i]);
        EXPECT_INT(hy_tensor_stored(&as_bytes, i), bytes[i]);
    }
}

TEST(elementwise, cast_between_any_two_numbers_keeps_small_integers)
{
    static const int32_t types[] = {F32, F16, I32, Q8};
    const uint32_t dims[] = {6, 7};
    struct hy_tensor in, out;
    struct hy_tensor_call call = {
        .operation = HY_OP_CAST, .input_count = 1, .inputs = {&in}, .output = &out};
    uint32_t seed = 4;

    for (int pair = 0; pair < 16; pair++) {
        struct hy_tensor bytes;
        hy_tensor_init(&bytes, Q8, &seed);
        hy_tensor_init(&in, types[pair / 4], &seed);
        hy_tensor_init(&out, types[pair % 4], &seed);
        hy_tensor_set_shape(&bytes, 2, dims);
        hy_tensor_set_shape(&in, 2, dims);
        hy_tensor_set_shape(&out, 2, dims);
        hy_tensor_fill(&bytes, &seed);
        struct hy_tensor_call first = {
            .operation = HY_OP_CAST, .input_count = 1, .inputs = {&bytes}, .output = &in};
        EXPECT_INT(hy_tensor_run(&first, 1, NULL), HY_STATUS_OK);
        EXPECT_INT(hy_tensor_run(&call, 0, NULL), HY_STATUS_OK);
        for (uint32_t i = 0; i < out.count; i++)
            EXPECT(hy_tensor_stored(&out, i) == hy_tensor_stored(&bytes, i));
    }
}

TEST(elementwise, quantize_rounds_halves_away_and_clamps)
{
    const float in[] = {0, 0.25f, -0.25f, 0.75f, 1e30f, -1e30f, INFINITY, -INFINITY, NAN};
    const uint8_t bytes[] = {100, 101, 99, 102, 255, 0, 255, 0, 255};
    const int8_t signed_bytes[] = {-28, -27, -29, -26, 127, -128, 127, -128, 127};
    struct hy_tensor out = {.type = {.type = Q8, .scale = 0.5f, .zero_point = 100}};
    struct hy_tensor signed_out = {.type = {.type = Q8S, .scale = 0.5f, .zero_point = -28}};

    convert(HY_OP_QUANTIZE, in, 9, &out);
    convert(HY_OP_QUANTIZE, in, 9, &signed_out);
    for (uint32_t i = 0; i < 9; i++) {
        EXPECT_INT(hy_tensor_stored(&out, i), bytes[i]);
        EXPECT_INT(hy_tensor_stored(&signed_out, i), signed_bytes[i]);
    }
}

static void expect_refusal(struct hy_tensor_call *call, const char *expected)
{
    char message[512];

    for (uint32_t device = 0; device < DEVICES; device++) {
        EXPECT(hy_tensor_run(call, device, message) != HY_STATUS_OK);
        EXPECT_CONTAINS(message, expected);
    }
}

TEST(elementwise, what_does_not_fit_is_refused_with_its_numbers)
{
    const uint32_t three = 3, four = 4, many[] = {1, 1, 1, 1, 3};
    struct hy_tensor a = {.type = {.type = F32}}, b = a, out = a, condition = {.type.type = B8};
    struct hy_tensor_call call = {
        .operation = HY_OP_POW, .input_count = 2, .inputs = {&a, &b}, .output = &out};

    hy_tensor_set_shape(&a, 1, &three);
    hy_tensor_set_shape(&b, 1, &four);
    hy_tensor_set_shape(&out, 1, &four);
    expect_refusal(&call, "POW: inputs of shapes [3] and [4] do not broadcast");

    hy_tensor_set_shape(&condition, 1, &three);
    call = (struct hy_tensor_call){.operation = HY_OP_SELECT,
                                   .input_count = 3,
                                   .inputs = {&condition, &a, &b},
                                   .output = &out};
    expect_refusal(&call, "SELECT: input 2 has shape [4], input 0 has [3]");

    hy_tensor_set_shape(&b, 5, many);
    hy_tensor_set_shape(&out, 5, many);
    call = (struct hy_tensor_call){.operation = HY_OP_MUL,
                                   .input_count = 2,
                                   .inputs = {&a, &b},
                                   .output = &out,
                                   .has_activation = true};
    expect_refusal(&call, "MUL");
}

TEST(elementwise, int32_without_a_scale_is_not_quantised_anew)
{
    const uint32_t one = 1;
    struct hy_tensor in = {.type = {.type = I32}}, out = {.type = {.type = Q8, .scale = 0.5f}};
    struct hy_tensor_call call = {
        .operation = HY_EXT_QUANTIZE, .input_count = 1, .inputs = {&in}, .output = &out};

    hy_tensor_set_shape(&in, 1, &one);
    hy_tensor_set_shape(&out, 1, &one);
    expect_refusal(&call, "QUANTIZE: the scales are 0 and 0.5, need to be above 0");
}

TEST(elementwise, int32_takes_no_activation_and_bytes_are_not_divided)
{
    const uint32_t one = 1;
    struct hy_tensor in = {.type = {.type = I32}}, out = in;
    struct hy_tensor_call call = {.operation = HY_OP_SUB,
                                  .input_count = 2,
                                  .inputs = {&in, &in},
                                  .output = &out,
                                  .has_activation = true,
                                  .activation = 1};

    hy_tensor_set_shape(&in, 1, &one);
    hy_tensor_set_shape(&out, 1, &one);
    expect_refusal(&call, "SUB: activation 1 is not allowed with int32");
    in.type.type = out.type.type = Q8S;
    in.type.scale = out.type.scale = 1;
    call.operation = HY_OP_DIV;
    call.activation = 0;
    expect_refusal(&call, "DIV: division of TENSOR_QUANT8_ASYMM_SIGNED is not defined");
}
