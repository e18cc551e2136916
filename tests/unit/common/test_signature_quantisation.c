/* Scales and zero points: which of them the form of an operation is held to, for all operations. */
#include "common/operations/operation.h"
#include "common/operations/signature.h"
#include "signature_use.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>

/* The operations whose scales Android looks at when they are added. */
static bool is_early(int32_t operation)
{
    return operation == HY_OP_MIRROR_PAD || operation == HY_OP_MUL || operation == HY_OP_PACK ||
           operation == HY_OP_REVERSE;
}

/* As few operands as the list takes, behind those that there are. */
static uint32_t set_types(struct signature_use *use, uint32_t first,
                          const struct hy_operand_list *list,
                          const struct hy_signature_variant *variant)
{
    for (uint32_t i = 0; i < list->least; i++) {
        const uint8_t symbol = hy_operand_list_symbol(list, list->least, i);

        if (symbol == HY_SYMBOL_ANY)
            use->operands[first + i].type = ANEURALNETWORKS_TENSOR_FLOAT32;
        else
            use->operands[first + i].type =
                symbol < HY_SYMBOL_FIRST ? symbol : variant->types[symbol - HY_SYMBOL_FIRST];
    }
    return list->least;
}

static void build(struct signature_use *use, int32_t operation,
                  const struct hy_signature *signature, const struct hy_signature_variant *variant)
{
    *use = (struct signature_use){0};
    const uint32_t inputs = set_types(use, 0, &signature->inputs, variant);
    const uint32_t outputs = set_types(use, inputs, &signature->outputs, variant);

    signature_use_complete(use, operation, inputs, outputs);
}

/* Whether another scale of this operand is refused by the whole check; the form is looked at. */
static bool is_demanded(struct signature_use *use, uint32_t index)
{
    const float scale = use->operands[index].scale;
    struct hy_error err, form_err;

    use->operands[index].scale = scale / 4;
    enum hy_code whole =
        hy_signature_check(use->operands, SIGNATURE_USE_MOST, &use->operation, NULL, &err);
    enum hy_code form = hy_signature_check_form(use->operands, SIGNATURE_USE_MOST, &use->operation,
                                                NULL, &form_err);
    use->operands[index].scale = scale;
    if (form != (is_early(use->operation.type) ? whole : HY_OK))
        hy_test_fail(__FILE__, __LINE__, "operand %u: code %d for the form (%s), %d for the whole",
                     index, form, form_err.text, whole);
    return whole == HY_BAD_DATA && strstr(err.text, "scale");
}

/* How many operands of the variant have a scale that is demanded. */
static uint32_t count_demanded(int32_t operation, const struct hy_signature *signature,
                               const struct hy_signature_variant *variant)
{
    struct signature_use use;
    struct hy_error err = {0};
    uint32_t count = 0;

    build(&use, operation, signature, variant);
    if (hy_signature_check(use.operands, SIGNATURE_USE_MOST, &use.operation, NULL, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", hy_operation_name(operation), err.text);
    for (uint32_t i = 0; i < use.operation.input_count + use.operation.output_count; i++)
        count += hy_operand_type_is_quantised(use.operands[i].type) && is_demanded(&use, i);
    return count;
}

TEST(signature_quantisation, form_is_held_to_no_scales_but_those_that_android_sees_early)
{
    for (int32_t code = 0; code < HY_OP_NNAPI_COUNT; code++) {
        const struct hy_operation_rules *rules = &hy_operation_rules[code];
        const bool has_rule = rules->same_scale || rules->fixed_scale_count > 0;
        uint32_t demanded = 0;

        for (uint32_t i = 0; i < rules->signature_count; i++)
            for (uint32_t j = 0; j < rules->signatures[i].variant_count; j++)
                demanded +=
                    count_demanded(code, &rules->signatures[i], &rules->signatures[i].variants[j]);
        if ((demanded > 0) == has_rule)
            hy_test_pass(__FILE__, __LINE__);
        else
            hy_test_fail(__FILE__, __LINE__, "%s: %u scales are demanded", hy_operation_name(code),
                         demanded);
    }
}
