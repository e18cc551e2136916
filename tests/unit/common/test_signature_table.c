/* The table that compile_signatures.py makes of signatures.def. */
#include "common/operations/operand_type.h"
#include "common/operations/signature_table.h"
#include "tests/kit/test.h"

#define MOST 80

static const struct hy_signature *signature(int32_t operation, uint32_t index)
{
    return &hy_operation_rules[operation].signatures[index];
}

static char letter_of(uint8_t symbol)
{
    if (symbol == HY_SYMBOL_ANY)
        return '.';
    if (symbol >= HY_SYMBOL_FIRST)
        return (char)('1' + symbol - HY_SYMBOL_FIRST);
    return hy_operand_type_info(symbol)->letter;
}

/* The symbols of `count` operands as letters of signatures.def; "-" where the count does not fit.
 */
static const char *letters_of(const struct hy_operand_list *list, uint32_t count)
{
    static char letters[MOST + 1];

    if (count < list->least || count > list->most)
        return "-";
    for (uint32_t i = 0; i < count; i++)
        letters[i] = letter_of(hy_operand_list_symbol(list, count, i));
    letters[count] = '\0';
    return letters;
}

TEST(signature_table, every_quantifier_takes_what_it_may)
{
    const struct hy_operand_list *conv = &signature(HY_OP_CONV_2D, 0)->inputs; /* 123i{4}b? */
    const struct hy_operand_list *joined = &signature(HY_OP_CONCATENATION, 0)->inputs; /* 1+i */
    const struct hy_operand_list *branch = &signature(HY_OP_IF, 0)->inputs;            /* 1MM.* */

    EXPECT_STR(letters_of(conv, 6), "-");
    EXPECT_STR(letters_of(conv, 7), "123iiii");
    EXPECT_STR(letters_of(conv, 8), "123iiiib");
    EXPECT_STR(letters_of(conv, 9), "-");
    EXPECT_STR(letters_of(joined, 1), "-");
    EXPECT_STR(letters_of(joined, 2), "1i");
    EXPECT_STR(letters_of(joined, 5), "1111i");
    EXPECT_STR(letters_of(branch, 3), "1MM");
    EXPECT_STR(letters_of(branch, 5), "1MM..");
    EXPECT_STR(letters_of(&signature(HY_OP_QUANTIZED_16BIT_LSTM, 0)->inputs, 15),
               "111111111IIIIW1");
    EXPECT_STR(letters_of(&signature(HY_OP_SPLIT, 0)->outputs, 3), "111");
    EXPECT_STR(letters_of(&signature(HY_OP_SPLIT, 0)->outputs, 0), "-");
}

TEST(signature_table, a_variant_has_the_higher_level_of_row_and_variant)
{
    const struct hy_signature *add = signature(HY_OP_ADD, 0);   /* level 1, "F Q H 4:I S" */
    const struct hy_signature *cast = signature(HY_OP_CAST, 1); /* level 4, "B A W S Y" */

    EXPECT_INT(add->variant_count, 5);
    EXPECT_INT(add->variants[2].level, 1);
    EXPECT_INT(add->variants[3].level, 4);
    EXPECT_INT(add->variants[3].types[0], hy_operand_type_of_letter('I')->code);
    EXPECT_INT(cast->variants[0].level, 4);
}

TEST(signature_table, rules_are_those_of_their_operation)
{
    const struct hy_operation_rules *conv = &hy_operation_rules[HY_OP_CONV_2D];
    const struct hy_operation_rules *lstm = &hy_operation_rules[HY_OP_LSTM];
    const struct hy_operation_rules *add = &hy_operation_rules[HY_OP_ADD];
    const struct hy_operation_rules *norm = &hy_operation_rules[HY_OP_L2_NORMALIZATION];

    EXPECT_INT(conv->signature_count, 4);
    EXPECT(conv->channel && conv->channel->input == 1 && conv->channel->dimension == 0);
    EXPECT(lstm->optional >> 1 & 1 && lstm->optional >> 26 & 1 && !(lstm->optional >> 2 & 1));
    EXPECT(!add->channel && !add->same_rank && !add->same_scale && !add->optional);
    EXPECT_INT(add->ranks[0].most, 4);
    EXPECT_INT(norm->fixed_scale_count, 2);
    EXPECT(!norm->fixed_scales[1].is_input && norm->fixed_scales[1].zero_point == 0);
}

TEST(signature_table, every_operation_has_a_signature_within_its_counts)
{
    for (uint32_t row = 0; row < HY_OP_COUNT; row++) {
        const struct hy_operation_info *info = hy_operation_info(hy_op_code(row));

        EXPECT((hy_operation_rules[row].signature_count > 0) == (info != NULL));
        for (uint32_t i = 0; info && i < hy_operation_rules[row].signature_count; i++) {
            const struct hy_signature *form = &hy_operation_rules[row].signatures[i];
            EXPECT(form->inputs.least >= info->inputs_min && form->inputs.most <= info->inputs_max);
            EXPECT(form->outputs.least >= info->outputs_min &&
                   form->outputs.most <= info->outputs_max);
        }
    }
    EXPECT_INT(hy_operation_rules[HY_OP_COUNT].signature_count, 0);
}
