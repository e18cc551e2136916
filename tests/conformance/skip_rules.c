#include "tests/conformance/skip_rules.h"

#include <fts.h>
#include <stdbool.h>

#include "halyard/operations.h"
#include "tests/kit/test.h"

#define EXTENSION(name) HALYARD_OPERATIONS_NAME "." #name

static bool is_among(const json_t *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(json_string_value(name), *names) == 0)
            return true;
    return false;
}

static bool model_has(const json_t *model, const char *const *operations)
{
    size_t i;
    json_t *operation;
    json_array_foreach(json_object_get(model, "operations"), i, operation)
    {
        if (is_among(json_object_get(operation, "op"), operations))
            return true;
    }
    return false;
}

static bool test_has(const json_t *test, const char *const *operations)
{
    size_t i;
    json_t *model;
    json_array_foreach(json_object_get(test, "referenced"), i, model)
    {
        if (model_has(model, operations))
            return true;
    }
    return model_has(json_object_get(test, "main"), operations);
}

static bool has_bytes(const json_t *model)
{
    static const char *const bytes[] = {"TENSOR_QUANT8_ASYMM", NULL};
    size_t i;
    json_t *operand;
    json_array_foreach(json_object_get(model, "operands"), i, operand)
    {
        if (is_among(json_object_get(operand, "type"), bytes))
            return true;
    }
    return false;
}

static const char *dynamic_rule(const json_t *test)
{
    static const char *const left_out[] = {"IF", "WHILE", "RANK", NULL};
    if (json_is_true(json_object_get(test, "expect_failure")))
        return "dynamic: the test expects a refusal";
    if (test_has(test, left_out))
        return "dynamic: the test has an IF, WHILE or RANK";
    return NULL;
}

static bool has_empty_output(const json_t *test)
{
    size_t i, k;
    json_t *example, *output;
    json_array_foreach(json_object_get(test, "examples"), i, example)
    {
        json_array_foreach(json_object_get(example, "outputs"), k, output)
        {
            if (json_array_size(output) == 0)
                return true;
        }
    }
    return false;
}

static const char *signed_rule(const json_t *test)
{
    static const char *const left_out[] = {"HASHTABLE_LOOKUP",
                                           "LSH_PROJECTION",
                                           "PAD_V2",
                                           "CAST",
                                           "QUANTIZED_16BIT_LSTM",
                                           EXTENSION(FLOOR_DIV),
                                           EXTENSION(FLOOR_MOD),
                                           EXTENSION(BITWISE_AND),
                                           EXTENSION(BITWISE_OR),
                                           EXTENSION(BITWISE_XOR),
                                           EXTENSION(LEFT_SHIFT),
                                           EXTENSION(RIGHT_SHIFT),
                                           EXTENSION(MATRIX_DIAG),
                                           EXTENSION(SCATTER_ND),
                                           EXTENSION(CAST),
                                           EXTENSION(BITCAST),
                                           EXTENSION(HASHTABLE_LOOKUP),
                                           NULL};
    const json_t *main = json_object_get(test, "main");
    if (json_is_true(json_object_get(test, "expect_failure")))
        return "signed: the test expects a refusal";
    if (json_array_size(json_object_get(test, "referenced")) > 0)
        return "signed: the test has subgraphs";
    if (json_array_size(json_object_get(main, "operations")) != 1)
        return "signed: the test has more than one operation";
    if (model_has(main, left_out))
        return "signed: the operation has no signed version";
    if (!has_bytes(main))
        return "signed: no operand is TENSOR_QUANT8_ASYMM";
    return NULL;
}

static void count(json_t *counts, const char *reason)
{
    const json_int_t before = json_integer_value(json_object_get(counts, reason));
    json_object_set_new(counts, reason, json_integer(before + 1));
}

static const char *rule(const json_t *test, const char *mode)
{
    if (strcmp(mode, "dynamic") == 0)
        return dynamic_rule(test);
    if (strcmp(mode, "signed:sync") == 0)
        return signed_rule(test);
    if (strcmp(mode, "fenced") == 0 && has_empty_output(test))
        return "fenced: an output is empty";
    if (strcmp(mode, "domain") == 0 && has_empty_output(test))
        return "domain: an output is empty";
    return NULL;
}

static void count_file(const char *path, const char *const *modes, json_t *counts)
{
    json_t *file = json_load_file(path, 0, NULL);
    EXPECT(file != NULL);
    size_t i, k;
    json_t *test, *of_mode;
    json_array_foreach(json_object_get(file, "tests"), i, test)
    {
        json_array_foreach(counts, k, of_mode)
        {
            const char *reason = rule(test, modes[k]);
            if (reason)
                count(of_mode, reason);
        }
    }
    json_decref(file);
}

json_t *hy_expected_skips(const char *dir, const char *const *modes, size_t count)
{
    json_t *counts = json_array();
    char *roots[] = {(char *)dir, NULL}; /* fts does not write to it */
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(counts, json_object());
    for (const FTSENT *entry; walk && (entry = fts_read(walk)) != NULL;) {
        const char *ending = strrchr(entry->fts_name, '.');
        if (entry->fts_info == FTS_F && ending && strcmp(ending, ".json") == 0)
            count_file(entry->fts_path, modes, counts);
    }
    if (walk)
        fts_close(walk);
    return counts;
}
