#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "common/operations/signature.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <fts.h>
#include <jansson.h>
#include <stdlib.h>

/* Every model of the conformance vectors that must run is one whose operations must be accepted. */

struct model {
    json_t *json_operands;
    struct hy_operand *operands;
    uint32_t operand_count;
};

struct tally {
    bool as_signed; /* unsigned 8-bit operands are turned into signed ones first */
    uint32_t tests;
    uint32_t operations;
    uint32_t refused_as_expected; /* tests that must fail and are refused here already */
};

static int32_t type_of_name(const char *name)
{
    for (int32_t code = 0; code <= ANEURALNETWORKS_MODEL; code++)
        if (strcmp(hy_operand_type_name(code), name) == 0)
            return code;
    return -1;
}

static uint32_t *read_indices(json_t *array, uint32_t *count)
{
    uint32_t *values = calloc(json_array_size(array) + 1, sizeof *values);

    *count = (uint32_t)json_array_size(array);
    for (uint32_t i = 0; values && i < *count; i++)
        values[i] = (uint32_t)json_integer_value(json_array_get(array, i));
    return values;
}

static void read_operand(json_t *json, struct hy_operand *operand)
{
    static const float some_scales[1] = {1};
    json_t *channel_quant = json_object_get(json, "channel_quant");

    operand->type = type_of_name(json_string_value(json_object_get(json, "type")));
    operand->dims = read_indices(json_object_get(json, "dims"), &operand->rank);
    operand->scale = (float)json_number_value(json_object_get(json, "scale"));
    operand->zero_point = (int32_t)json_integer_value(json_object_get(json, "zero_point"));
    if (strcmp(json_string_value(json_object_get(json, "lifetime")), "NO_VALUE") == 0)
        operand->lifetime = HY_LIFETIME_NO_VALUE;
    if (channel_quant) {
        operand->channel_dim =
            (uint32_t)json_integer_value(json_object_get(channel_quant, "channel_dim"));
        operand->channel_scales = some_scales;
    }
}

/* The same values, one hundred and twenty-eight lower. */
static void make_signed(struct hy_operand *operand)
{
    if (operand->type != ANEURALNETWORKS_TENSOR_QUANT8_ASYMM)
        return;
    operand->type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    operand->zero_point -= 128;
}

static bool read_model(json_t *json, bool as_signed, struct model *model)
{
    json_t *operands = json_object_get(json, "operands");

    model->json_operands = operands;
    model->operand_count = (uint32_t)json_array_size(operands);
    model->operands = calloc(model->operand_count + 1, sizeof *model->operands);
    if (!model->operands)
        return false;
    for (uint32_t i = 0; i < model->operand_count; i++) {
        read_operand(json_array_get(operands, i), &model->operands[i]);
        if (as_signed)
            make_signed(&model->operands[i]);
    }
    return true;
}

static void finish_model(struct model *model)
{
    for (uint32_t i = 0; i < model->operand_count; i++)
        free((void *)model->operands[i].dims);
    free(model->operands);
}

/* True for a constant that says what leaving it off says: a flag that is off, the last axis. */
static bool is_default(const struct model *model, uint32_t index)
{
    json_t *value = json_object_get(json_array_get(model->json_operands, index), "value");
    json_t *first = json_array_get(value, 0);

    switch (model->operands[index].type) {
    case ANEURALNETWORKS_BOOL:
        return json_is_integer(first) && json_integer_value(first) == 0;
    case ANEURALNETWORKS_INT32:
        return json_is_integer(first) && json_integer_value(first) == -1;
    default:
        return false;
    }
}

/*
 * The vectors state the level of a model without those of its trailing arguments that hold their
 * default, so the level here is the lowest of the shorter forms.
 */
static void lower_level(const struct model *model, struct hy_operation operation, uint32_t *level)
{
    while (operation.input_count > 1 &&
           is_default(model, operation.inputs[operation.input_count - 1])) {
        operation.input_count--;
        if (hy_signature_check(model->operands, model->operand_count, &operation, level, NULL) !=
            HY_OK)
            return;
    }
}

static enum hy_code check_operation(const struct model *model, json_t *json, uint32_t *level,
                                    struct hy_error *err)
{
    struct hy_operation operation = {0};
    uint32_t *inputs = read_indices(json_object_get(json, "inputs"), &operation.input_count);
    uint32_t *outputs = read_indices(json_object_get(json, "outputs"), &operation.output_count);

    operation.type = hy_operation_find(json_string_value(json_object_get(json, "op")))->code;
    operation.inputs = inputs;
    operation.outputs = outputs;
    enum hy_code code =
        hy_signature_check(model->operands, model->operand_count, &operation, level, err);
    if (code == HY_OK)
        lower_level(model, operation, level);
    free(inputs);
    free(outputs);
    return code;
}

/* The first refusal of a model's operations, or the highest level that they need. */
static enum hy_code check_model(json_t *json, uint32_t *highest, struct tally *tally,
                                struct hy_error *err)
{
    struct model model;
    enum hy_code code = HY_OK;
    size_t i;
    json_t *operation;

    if (!read_model(json, tally->as_signed, &model))
        return HY_OUT_OF_MEMORY;
    json_array_foreach(json_object_get(json, "operations"), i, operation)
    {
        uint32_t level = 0;

        if (code != HY_OK)
            break;
        code = check_operation(&model, operation, &level, err);
        *highest = level > *highest ? level : *highest;
        tally->operations++;
    }
    finish_model(&model);
    return code;
}

/* True where signed operands are to give the same results: single operations, but for some. */
static bool has_signed_variant(json_t *test)
{
    static const char *const without[] = {"HASHTABLE_LOOKUP", "LSH_PROJECTION", "PAD_V2", "CAST",
                                          "QUANTIZED_16BIT_LSTM"};
    json_t *operations = json_object_get(json_object_get(test, "main"), "operations");

    if (json_array_size(operations) != 1 || json_array_size(json_object_get(test, "referenced")) ||
        json_is_true(json_object_get(test, "expect_failure")))
        return false;
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(operations, 0), "op")),
                   without[i]) == 0)
            return false;
    return true;
}

static void check_test(json_t *test, struct tally *tally)
{
    if (tally->as_signed && !has_signed_variant(test))
        return;

    struct hy_error err = {0};
    uint32_t level = 0,
             stated = (uint32_t)json_integer_value(json_object_get(test, "feature_level"));
    const char *name = json_string_value(json_object_get(test, "name"));
    enum hy_code code = check_model(json_object_get(test, "main"), &level, tally, &err);
    size_t i;
    json_t *model;

    json_array_foreach(json_object_get(test, "referenced"), i, model) if (code == HY_OK) code =
        check_model(model, &level, tally, &err);
    tally->tests++;
    if (json_is_true(json_object_get(test, "expect_failure")))
        tally->refused_as_expected += code != HY_OK;
    else if (code != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", name, err.text);
    else if (level > stated && !tally->as_signed)
        hy_test_fail(__FILE__, __LINE__, "%s: needs level %u, expected %u", name, level, stated);
}

static void check_file(const char *path, struct tally *tally)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error), *test;
    size_t i;

    if (!root) {
        hy_test_fail(__FILE__, __LINE__, "%s: %s", path, error.text);
        return;
    }
    json_array_foreach(json_object_get(root, "tests"), i, test) check_test(test, tally);
    json_decref(root);
}

static void check_dir(struct tally *tally)
{
    const char *shared = hy_test_shared_dir();
    char dir[1024];

    if (!shared)
        return;
    snprintf(dir, sizeof dir, "%s/conformance", shared);
    FTS *walk = fts_open((char *[]){dir, NULL}, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    REQUIRE(walk);
    for (FTSENT *entry = fts_read(walk); entry; entry = fts_read(walk)) {
        const char *dot = strrchr(entry->fts_name, '.');
        if (entry->fts_info == FTS_F && dot && strcmp(dot, ".json") == 0)
            check_file(entry->fts_path, tally);
    }
    fts_close(walk);
    printf("(%u tests, %u operations, %u refused as they must be) ", tally->tests,
           tally->operations, tally->refused_as_expected);
    EXPECT(tally->tests > 0);
}

TEST(signature_vectors, every_operation_that_must_run_is_accepted_at_its_level)
{
    check_dir(&(struct tally){0});
}

TEST(signature_vectors, signed_operands_are_accepted_where_unsigned_ones_are)
{
    check_dir(&(struct tally){.as_signed = true});
}
