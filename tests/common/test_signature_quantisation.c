/* Scales and zero points: which of them the form of an operation is held to, for all operations. */
#include "common/operand_type.h"
#include "common/operation.h"
#include "common/signature.h"
#include "common/signature_pattern.h"
#include "test.h"

#define MOST 80
#define LAST UINT32_MAX
#define IN   true
#define OUT  false

struct use {
    struct hy_operand operands[MOST];
    uint32_t indices[MOST];
    struct hy_operation operation;
};

static const uint32_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};

/* What a row of signatures.def says of an operation. */
static const struct row {
    int32_t operation;
    const char *inputs;
    const char *outputs;
    const char *variants;
} rows[] = {
#define SIG(operation, level, inputs, outputs, variants) \
    {HY_OP_##operation, inputs, outputs, variants},
#include "common/signatures.def"
};

/* The operations whose scales Android looks at when they are added. */
static bool is_early(int32_t operation)
{
    return operation == HY_OP_MIRROR_PAD || operation == HY_OP_MUL || operation == HY_OP_PACK ||
           operation == HY_OP_REVERSE;
}

static void set_rank(struct hy_operand *operand, uint32_t rank)
{
    if (hy_operand_type_info(operand->type)->is_scalar)
        return;
    operand->rank = rank;
    operand->dims = ones;
}

/* As few operands as the pattern takes, behind those that there are. */
static uint32_t add_operands(struct use *use, uint32_t first, const char *text, const char *letters)
{
    struct hy_pattern pattern;
    uint32_t count = 0;

    while (!hy_pattern_init(&pattern, text, count))
        count++;
    for (uint32_t i = first; i < first + count; i++) {
        char symbol = hy_pattern_next(&pattern);
        if (symbol >= '1' && symbol <= '3')
            symbol = letters[symbol - '1'];
        use->indices[i] = i;
        use->operands[i].type = hy_operand_type_of_letter(symbol == '.' ? 'F' : symbol)->code;
        set_rank(&use->operands[i], 4);
        if (hy_operand_type_is_quantised(use->operands[i].type))
            use->operands[i].scale = 0.5f;
    }
    return count;
}

/* Gives operands the ranks and scales that the rules of the operation want. */
static void satisfy_rules(struct use *use)
{
    struct hy_operation *operation = &use->operation;

    if (operation->type == HY_OP_IF)
        set_rank(&use->operands[0], 1);
#define RANK(op, first, last, least, most) \
    if (operation->type == HY_OP_##op) \
        for (uint32_t i = first; i <= last && i < operation->input_count; i++) \
            set_rank(&use->operands[i], most);
#define RANKS(op, first, last, more) \
    if (operation->type == HY_OP_##op) \
        set_rank(&use->operands[operation->outputs[0]], \
                 use->operands[operation->inputs[first]].rank + more);
#define FIXED(op, side, index, type_letter, fixed_scale, fixed_zero) \
    if (operation->type == HY_OP_##op) { \
        struct hy_operand *operand = \
            &use->operands[side ? operation->inputs[index] : operation->outputs[index]]; \
        if (operand->type == hy_operand_type_of_letter(type_letter)->code) { \
            operand->scale = fixed_scale; \
            operand->zero_point = fixed_zero; \
        } \
    }
#include "common/signatures.def"
}

static void build(struct use *use, const struct row *row, const char *letters)
{
    *use = (struct use){0};
    const uint32_t inputs = add_operands(use, 0, row->inputs, letters);
    const uint32_t outputs = add_operands(use, inputs, row->outputs, letters);

    use->operation = (struct hy_operation){.type = row->operation,
                                           .input_count = inputs,
                                           .output_count = outputs,
                                           .inputs = use->indices,
                                           .outputs = use->indices + inputs};
    satisfy_rules(use);
}

/* Whether another scale of this operand is refused by the whole check; the form is looked at. */
static bool is_demanded(struct use *use, uint32_t index)
{
    const float scale = use->operands[index].scale;
    struct hy_error err, form_err;

    use->operands[index].scale = scale / 4;
    enum hy_code whole = hy_signature_check(use->operands, MOST, &use->operation, NULL, &err);
    enum hy_code form =
        hy_signature_check_form(use->operands, MOST, &use->operation, NULL, &form_err);
    use->operands[index].scale = scale;
    if (form != (is_early(use->operation.type) ? whole : HY_OK))
        hy_test_fail(__FILE__, __LINE__, "operand %u: code %d for the form (%s), %d for the whole",
                     index, form, form_err.text, whole);
    return whole == HY_BAD_DATA && strstr(err.text, "scale");
}

/* How many operands of the signature have a scale that is demanded. */
static uint32_t count_demanded(const struct row *row, const char *letters)
{
    struct use use;
    struct hy_error err = {0};
    uint32_t count = 0;

    build(&use, row, letters);
    if (hy_signature_check(use.operands, MOST, &use.operation, NULL, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", hy_operation_name(row->operation), err.text);
    for (uint32_t i = 0; i < use.operation.input_count + use.operation.output_count; i++)
        count += hy_operand_type_is_quantised(use.operands[i].type) && is_demanded(&use, i);
    return count;
}

TEST(signature_quantisation, form_is_held_to_no_scales_but_those_that_android_sees_early)
{
    uint32_t demanded[HY_OP_COUNT] = {0};
    bool has_rule[HY_OP_COUNT] = {false};

#define SAME(op, ...)  has_rule[HY_OP_##op] = true;
#define FIXED(op, ...) has_rule[HY_OP_##op] = true;
#include "common/signatures.def"
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (const char *at = rows[i].variants; *at; at += strcspn(at, " ")) {
            at += strspn(at, " ");
            demanded[rows[i].operation] += count_demanded(&rows[i], at[1] == ':' ? at + 2 : at);
        }
    }
    for (int32_t i = 0; i < HY_OP_COUNT; i++) {
        if ((demanded[i] > 0) == has_rule[i])
            hy_test_pass(__FILE__, __LINE__);
        else
            hy_test_fail(__FILE__, __LINE__, "%s: %u scales are demanded", hy_operation_name(i),
                         demanded[i]);
    }
}
