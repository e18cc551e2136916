#include "tools/vectors/model_json.h"

static enum hy_code read_values(struct hy_reader *reader, const json_t *example, const char *key,
                                const struct hy_vector_model *model,
                                const struct hy_vector_indices *indices,
                                const struct hy_vector_value **out)
{
    json_t *array;
    enum hy_code code = hy_read_member(reader, example, key, JSON_ARRAY, &array);
    if (code != HY_OK)
        return code;
    if (json_array_size(array) != indices->count)
        return hy_fail(reader->err, HY_BAD_DATA, "%zu %s for a model of %u", json_array_size(array),
                       key, indices->count);

    struct hy_vector_value *values = hy_read_alloc(reader, indices->count, sizeof *values);
    if (!values)
        return HY_OUT_OF_MEMORY;
    for (uint32_t i = 0; code == HY_OK && i < indices->count; i++) {
        code = hy_read_value(reader, json_array_get(array, i),
                             model->operands[indices->items[i]].type, &values[i]);
        if (code != HY_OK)
            hy_error_prefix(reader->err, code, "%s[%u]", key, i);
    }
    *out = values;
    return code;
}

static enum hy_code read_examples(struct hy_reader *reader, const json_t *array,
                                  struct hy_vector *vector)
{
    const struct hy_vector_model *main = &vector->models[0];
    const size_t count = json_array_size(array);
    if (count == 0)
        return hy_fail(reader->err, HY_BAD_DATA, "the test has no example");
    struct hy_vector_example *examples = hy_read_alloc(reader, count, sizeof *examples);
    enum hy_code code = examples ? HY_OK : HY_OUT_OF_MEMORY;

    for (size_t i = 0; code == HY_OK && i < count; i++) {
        const json_t *example = json_array_get(array, i);
        code = read_values(reader, example, "inputs", main, &main->inputs, &examples[i].inputs);
        if (code == HY_OK)
            code =
                read_values(reader, example, "outputs", main, &main->outputs, &examples[i].outputs);
    }
    vector->examples = examples;
    vector->example_count = (uint32_t)count;
    return code;
}

/* The main model first, followed by its referenced models. */
static enum hy_code read_models(struct hy_reader *reader, const json_t *main,
                                const json_t *referenced, struct hy_vector *vector)
{
    const uint32_t count = (uint32_t)json_array_size(referenced);
    struct hy_vector_model *models = hy_read_alloc(reader, (size_t)count + 1, sizeof *models);
    if (!models)
        return HY_OUT_OF_MEMORY;
    vector->models = models;
    vector->model_count = count + 1;

    enum hy_code code = hy_read_model(reader, main, count, &models[0]);
    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        code = hy_read_model(reader, json_array_get(referenced, i), count, &models[i + 1]);
        if (code != HY_OK)
            hy_error_prefix(reader->err, code, "referenced model %u", i);
    }
    return code;
}

static enum hy_code read_vector(struct hy_reader *reader, const json_t *object,
                                struct hy_vector *out)
{
    json_t *main, *referenced, *examples;
    enum hy_code code = hy_read_bool(reader, object, "expect_failure", &out->expect_failure);
    if (code == HY_OK)
        code = hy_read_bool(reader, object, "is_relaxed", &out->is_relaxed);
    if (code == HY_OK)
        code = hy_read_number(reader, object, "expected_multinomial_distribution_tolerance",
                              &out->multinomial_tolerance);
    if (code == HY_OK)
        code = hy_read_member(reader, object, "main", JSON_OBJECT, &main);
    if (code == HY_OK)
        code = hy_read_member(reader, object, "referenced", JSON_ARRAY, &referenced);
    if (code == HY_OK)
        code = hy_read_member(reader, object, "examples", JSON_ARRAY, &examples);
    if (code == HY_OK)
        code = read_models(reader, main, referenced, out);
    if (code == HY_OK)
        code = read_examples(reader, examples, out);
    return code;
}

static enum hy_code read_file(struct hy_reader *reader, const json_t *root,
                              struct hy_vector_file *out)
{
    json_t *tests;
    enum hy_code code = hy_read_string(reader, root, "spec", &out->spec);
    if (code == HY_OK)
        code = hy_read_member(reader, root, "tests", JSON_ARRAY, &tests);
    if (code != HY_OK)
        return code;

    const size_t count = json_array_size(tests);
    struct hy_vector *vectors = hy_read_alloc(reader, count, sizeof *vectors);
    code = vectors ? HY_OK : HY_OUT_OF_MEMORY;
    for (size_t i = 0; code == HY_OK && i < count; i++) {
        const json_t *test = json_array_get(tests, i);
        code = hy_read_string(reader, test, "name", &vectors[i].name);
        if (code != HY_OK)
            return hy_error_prefix(reader->err, code, "test %zu", i);
        code = read_vector(reader, test, &vectors[i]);
        if (code != HY_OK)
            hy_error_prefix(reader->err, code, "test %s", vectors[i].name);
    }
    out->vectors = vectors;
    out->count = (uint32_t)count;
    return code;
}

enum hy_code hy_vector_file_load(const char *path, struct hy_vector_file *out, struct hy_error *err)
{
    json_error_t problem;
    json_t *root = json_load_file(path, 0, &problem);
    if (!root)
        return hy_fail(err, HY_BAD_DATA, "%s: line %d: %s", path, problem.line, problem.text);

    struct hy_reader reader = {.arena = &out->arena, .err = err};
    const enum hy_code code = read_file(&reader, root, out);
    json_decref(root);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "%s", path);
    return HY_OK;
}

void hy_vector_file_finish(struct hy_vector_file *file)
{
    hy_arena_finish(&file->arena);
    *file = (struct hy_vector_file){0};
}
