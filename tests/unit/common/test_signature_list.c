#include "common/operations/operation.h"
#include "common/operations/signature.h"
#include "signature_use.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <jansson.h>

/*
 * signatures.def and ops.def against the facts of the API (nnapi/ops.json): the same signatures, no
 * fewer and no more, at the same levels, with the same optional operands and ranks.
 */

static json_t *load_operations(void)
{
    const char *shared = hy_test_shared_dir();
    char path[1024];
    json_error_t error;

    if (!shared)
        return NULL;
    snprintf(path, sizeof path, "%s/nnapi/ops.json", shared);
    json_t *root = json_load_file(path, 0, &error);
    if (!root)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", path, error.text);
    return root;
}

static int32_t type_of_name(const char *name)
{
    if (strcmp(name, "SUBGRAPH") == 0)
        return ANEURALNETWORKS_MODEL;
    if (strcmp(name, "ANY") == 0)
        return ANEURALNETWORKS_TENSOR_FLOAT32;
    for (int32_t code = 0; code <= ANEURALNETWORKS_MODEL; code++)
        if (strcmp(hy_operand_type_name(code), name) == 0)
            return code;
    hy_test_fail(__FILE__, __LINE__, "no type is called %s", name);
    return 0;
}

/* Adds operands for a list of type names; "..." repeats the one before `repeats` times. */
static uint32_t add_operands(struct signature_use *use, uint32_t count, json_t *names,
                             uint32_t repeats)
{
    size_t i;
    json_t *value;

    json_array_foreach(names, i, value)
    {
        const char *name = json_string_value(value);
        uint32_t times = 1;

        if (strcmp(name, "...") == 0) {
            times = repeats;
            name = json_string_value(json_array_get(names, i - 1));
        }
        for (; times && count < SIGNATURE_USE_MOST; times--, count++)
            use->operands[count].type = type_of_name(name);
    }
    return count;
}

static void build(struct signature_use *use, json_t *operation, json_t *signature, uint32_t repeats)
{
    *use = (struct signature_use){0};
    uint32_t inputs = add_operands(use, 0, json_object_get(signature, "inputs"), repeats);
    uint32_t all = add_operands(use, inputs, json_object_get(signature, "outputs"), repeats);

    signature_use_complete(use, (int32_t)json_integer_value(json_object_get(operation, "code")),
                           inputs, all - inputs);
}

static void expect_level(json_t *operation, json_t *signature, uint32_t repeats)
{
    struct signature_use use;
    struct hy_error err = {0};
    uint32_t level = 0;

    build(&use, operation, signature, repeats);
    if (hy_signature_check(use.operands, SIGNATURE_USE_MOST, &use.operation, &level, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    else if (level != json_integer_value(json_object_get(signature, "since")))
        hy_test_fail(__FILE__, __LINE__, "%s with %s: level %u, expected %d",
                     hy_operation_name(use.operation.type),
                     hy_operand_type_name(use.operands[0].type), level,
                     (int)json_integer_value(json_object_get(signature, "since")));
}

/* Lists of operands that there are, a repeated operand counting once. */
static uint32_t count_lists(const struct hy_operand_list *list)
{
    return list->most == list->least + 1u ? 2 : 1;
}

static uint32_t count_signatures(int32_t operation)
{
    const struct hy_operation_rules *rules = &hy_operation_rules[operation];
    uint32_t count = 0;

    for (uint32_t i = 0; i < rules->signature_count; i++)
        count += rules->signatures[i].variant_count * count_lists(&rules->signatures[i].inputs) *
                 count_lists(&rules->signatures[i].outputs);
    return count;
}

TEST(signature_list, holds_exactly_the_signatures_of_the_api)
{
    json_t *root = load_operations();
    uint32_t listed = 0, signature_count = 0;
    size_t i, j;
    json_t *operation, *signature;

    if (!root)
        return;
    json_array_foreach(json_object_get(root, "operations"), i, operation)
    {
        json_array_foreach(json_object_get(operation, "signatures"), j, signature)
        {
            signature_count++;
            expect_level(operation, signature, 0);
            expect_level(operation, signature, 3);
        }
    }
    for (int32_t code = 0; code < HY_OP_NNAPI_COUNT; code++)
        listed += count_signatures(code);
    EXPECT_INT(signature_count, 613);
    EXPECT_INT(listed, signature_count);
    json_decref(root);
}

static void expect_omittable(json_t *operation, json_t *signature, json_t *names)
{
    struct signature_use use;
    size_t i;
    json_t *value;

    build(&use, operation, signature, 0);
    json_array_foreach(names, i, value)
    {
        const char *name = json_string_value(value);
        bool is_optional = name[strlen(name) - 1] == '?';
        struct hy_error err;

        use.operands[i].lifetime = HY_LIFETIME_NO_VALUE;
        enum hy_code code =
            hy_signature_check(use.operands, SIGNATURE_USE_MOST, &use.operation, NULL, &err);
        use.operands[i].lifetime = HY_LIFETIME_TEMPORARY;
        if ((code == HY_OK) != is_optional)
            hy_test_fail(__FILE__, __LINE__, "%s: input %zu (%s) without a value: code %d",
                         hy_operation_name(use.operation.type), i, name, code);
    }
}

/* The names of the form that has as many inputs as the signature. */
static json_t *find_form(json_t *operation, json_t *signature)
{
    size_t i, count = json_array_size(json_object_get(signature, "inputs"));
    json_t *form;

    json_array_foreach(json_object_get(operation, "input_forms"), i,
                       form) if ((size_t)json_integer_value(json_object_get(form, "count")) ==
                                 count) return json_object_get(form, "operands");
    return NULL;
}

TEST(signature_list, lets_exactly_the_optional_operands_be_omitted)
{
    json_t *root = load_operations();
    size_t i, j;
    json_t *operation, *signature;

    if (!root)
        return;
    json_array_foreach(json_object_get(root, "operations"), i, operation)
    {
        json_array_foreach(json_object_get(operation, "signatures"), j, signature)
        {
            json_t *names = find_form(operation, signature);
            if (names)
                expect_omittable(operation, signature, names);
        }
    }
    json_decref(root);
}

static void expect_rank(json_t *operation, json_t *signature, uint32_t rank, enum hy_code expected)
{
    struct signature_use use;
    struct hy_error err;

    build(&use, operation, signature, 0);
    signature_use_set_rank(&use, 0, rank);
    signature_use_set_rank(&use, use.operation.outputs[0], 0); /* of whatever fits */
    enum hy_code code =
        hy_signature_check(use.operands, SIGNATURE_USE_MOST, &use.operation, NULL, &err);
    if (code != expected)
        hy_test_fail(__FILE__, __LINE__, "%s with rank %u: code %d, expected %d",
                     hy_operation_name(use.operation.type), rank, code, expected);
}

TEST(signature_list, limits_the_rank_of_the_first_operand)
{
    json_t *root = load_operations();
    size_t i;
    json_t *operation;

    if (!root)
        return;
    json_array_foreach(json_object_get(root, "operations"), i, operation)
    {
        json_t *signature = json_array_get(json_object_get(operation, "signatures"), 0);
        json_t *least = json_object_get(json_object_get(operation, "rank"), "min");
        json_t *most = json_object_get(json_object_get(operation, "rank"), "max");

        if (json_integer_value(least) > 1)
            expect_rank(operation, signature, (uint32_t)json_integer_value(least) - 1, HY_BAD_DATA);
        if (json_is_integer(least) && json_is_integer(most)) {
            expect_rank(operation, signature, (uint32_t)json_integer_value(least), HY_OK);
            expect_rank(operation, signature, (uint32_t)json_integer_value(most), HY_OK);
            expect_rank(operation, signature, (uint32_t)json_integer_value(most) + 1, HY_BAD_DATA);
        }
    }
    json_decref(root);
}

/* Operands of a list, and whether the last may repeat. */
static uint32_t count_types(json_t *names, bool *has_more)
{
    uint32_t count = 0;
    size_t i;
    json_t *value;

    json_array_foreach(names, i, value)
    {
        bool is_more = strcmp(json_string_value(value), "...") == 0;
        *has_more |= is_more;
        count += !is_more;
    }
    return count;
}

TEST(signature_list, operand_counts_are_those_of_ops_def)
{
    json_t *root = load_operations();
    size_t i, j;
    json_t *operation, *signature;

    if (!root)
        return;
    json_array_foreach(json_object_get(root, "operations"), i, operation)
    {
        const struct hy_operation_info *info =
            hy_operation_find(json_string_value(json_object_get(operation, "name")));
        uint32_t most_in = 0, most_out = 0;
        bool many_in = false, many_out = false;

        REQUIRE(info);
        EXPECT_INT(info->code, json_integer_value(json_object_get(operation, "code")));
        EXPECT_INT(info->feature_level, json_integer_value(json_object_get(operation, "since")));
        json_array_foreach(json_object_get(operation, "signatures"), j, signature)
        {
            uint32_t in = count_types(json_object_get(signature, "inputs"), &many_in);
            uint32_t out = count_types(json_object_get(signature, "outputs"), &many_out);
            EXPECT(in >= info->inputs_min && out >= info->outputs_min);
            most_in = in > most_in ? in : most_in;
            most_out = out > most_out ? out : most_out;
        }
        EXPECT_INT(info->inputs_max, many_in ? HY_OP_MANY : most_in);
        EXPECT_INT(info->outputs_max, many_out ? HY_OP_MANY : most_out);
    }
    json_decref(root);
}
