/* Tables of texts and numbers: HASHTABLE, HASHTABLE_IMPORT, HASHTABLE_FIND, HASHTABLE_SIZE. */
#include "tests/kit/test.h"

#include <halyard/halyard.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/texts.h"
#include "tests/unit/libhalyard/session/input_fixture.h"
#include "tests/unit/tools/kit/tflite_builder.h"

enum { BLOB_CAPACITY = 256, MOST = 4 };

/* ---- Texts ----------------------------------------------------------------------------------- */

struct blob {
    uint8_t bytes[BLOB_CAPACITY];
    uint32_t length;
};

static struct blob blob_of(uint32_t count, const char *const *texts)
{
    struct blob blob = {.length = (uint32_t)hy_texts_head(count)};

    hy_texts_set_number(blob.bytes, 0, count);
    for (uint32_t i = 0; i < count; i++) {
        hy_texts_set_number(blob.bytes, i + 1, blob.length);
        memcpy(blob.bytes + blob.length, texts[i], strlen(texts[i]));
        blob.length += (uint32_t)strlen(texts[i]);
    }
    hy_texts_set_number(blob.bytes, count + 1, blob.length);
    return blob;
}

#define TEXTS(...) \
    blob_of(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

/* ---- Models ---------------------------------------------------------------------------------- */

/* A constant of a table's element type. */
struct column {
    int type;
    uint32_t count;
    const void *data;
    uint32_t bytes;
};

static int32_t tensor(struct hy_builder *builder, const char *name, struct column column)
{
    return hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = name,
                                                                  .type = column.type,
                                                                  .rank = 1,
                                                                  .dims = {(int32_t)column.count},
                                                                  .data = column.data,
                                                                  .bytes = column.bytes});
}

static int32_t add(struct hy_builder *builder, int op, uint32_t count, const int32_t *inputs,
                   int32_t output)
{
    struct hy_builder_operator operator_ = {
        .op = op, .input_count = count, .output_count = output >= 0, .outputs = {output}};

    memcpy(operator_.inputs, inputs, count * sizeof *inputs);
    hy_builder_operator(builder, &operator_);
    return output;
}

static int32_t handle(struct hy_builder *builder, uint32_t number)
{
    const int32_t table = hy_builder_tensor(
        builder, &(struct hy_builder_tensor){.name = "table", .type = HY_TFLITE_RESOURCE});

    hy_builder_operator(builder,
                        &(struct hy_builder_operator){.op = HY_TFLITE_OP_HASHTABLE,
                                                      .output_count = 1,
                                                      .outputs = {table},
                                                      .options_kind = HY_TFLITE_OPTIONS_HASHTABLE,
                                                      .option_count = 1,
                                                      .options = {{0, 4, number}}});
    return table;
}

/* x -> the values of x, and the number of rows, of a table that sub-graph 1 fills. */
static struct hy_builder *lookup(uint32_t queries, struct column keys, struct column values,
                                 struct column otherwise)
{
    struct hy_builder *builder = hy_builder_create();
    const struct column found = {.type = values.type, .count = queries};
    const int32_t x = tensor(builder, "x", (struct column){.type = keys.type, .count = queries});

    hy_builder_operator(builder,
                        &(struct hy_builder_operator){.op = HY_TFLITE_OP_CALL_ONCE,
                                                      .options_kind = HY_TFLITE_OPTIONS_CALL_ONCE,
                                                      .option_count = 1,
                                                      .options = {{0, 4, 1}}});
    const int32_t table = handle(builder, 7);
    const int32_t find[] = {table, x, tensor(builder, "default", otherwise)};
    hy_builder_input(builder, x);
    hy_builder_output(builder, add(builder, HY_TFLITE_OP_HASHTABLE_FIND, 3, find,
                                   tensor(builder, "found", found)));
    hy_builder_output(builder,
                      add(builder, HY_TFLITE_OP_HASHTABLE_SIZE, 1, &table,
                          tensor(builder, "rows", (struct column){HY_TFLITE_INT64, 1, NULL, 0})));
    hy_builder_subgraph(builder);
    const int32_t import[] = {handle(builder, 7), tensor(builder, "keys", keys),
                              tensor(builder, "values", values)};
    add(builder, HY_TFLITE_OP_HASHTABLE_IMPORT, 3, import, -1);
    return builder;
}

static struct column numbers(uint32_t count, const int64_t *data)
{
    return (struct column){HY_TFLITE_INT64, count, data, count * (uint32_t)sizeof *data};
}

static struct column texts(uint32_t count, const struct blob *blob)
{
    return (struct column){HY_TFLITE_STRING, count, blob->bytes, blob->length};
}

static bool begin(struct input_fixture *f, struct hy_builder *builder)
{
    size_t length;
    uint8_t *bytes = hy_builder_finish(builder, &length);

    return input_fixture_begin(f, bytes, length);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static void read_texts(const struct input_fixture *f, const struct blob *queries)
{
    char path[64];

    write_input_file(path, queries->bytes, queries->length);
    EXPECT_INT(halyard_session_read_input(f->session, 0, path, NULL, NULL, 0), 0);
    unlink(path);
}

static void expect_numbers(const struct input_fixture *f, uint32_t output, uint32_t count,
                           const double *expected)
{
    double found[MOST] = {0};

    EXPECT_INT(halyard_session_read_output(f->session, output, found, count), 0);
    for (uint32_t i = 0; i < count; i++)
        EXPECT(found[i] == expected[i]);
}

TEST(session_tables, a_text_has_the_number_of_its_first_key_or_the_default)
{
    static const int64_t values[] = {5, 6, 7, 8}, none[] = {-1};
    const struct blob keys = TEXTS("pear", "apple", "pear", "");
    const struct blob first = TEXTS("apple", "kiwi", "pear"), second = TEXTS("", "pear", "pears");
    struct input_fixture f;

    REQUIRE(begin(&f, lookup(3, texts(4, &keys), numbers(4, values), numbers(1, none))));
    read_texts(&f, &first);
    EXPECT_INT(halyard_session_run(f.session), 0);
    expect_numbers(&f, 0, 3, (const double[]){6, -1, 5});
    expect_numbers(&f, 1, 1, (const double[]){3});
    read_texts(&f, &second);
    EXPECT_INT(halyard_session_run(f.session), 0);
    expect_numbers(&f, 0, 3, (const double[]){8, 5, -1});
    input_fixture_end(&f);
}

TEST(session_tables, texts_that_are_not_as_many_as_the_network_says_fail)
{
    static const int64_t values[] = {5}, none[] = {-1};
    const struct blob keys = TEXTS("a"), two = TEXTS("a", "b");
    struct input_fixture f;

    REQUIRE(begin(&f, lookup(3, texts(1, &keys), numbers(1, values), numbers(1, none))));
    EXPECT(halyard_session_run(f.session) != 0);
    EXPECT_CONTAINS(halyard_last_error(), "input 0 has 0 strings, input 4 (shape) needs 3");
    read_texts(&f, &two);
    EXPECT(halyard_session_run(f.session) != 0);
    EXPECT_CONTAINS(halyard_last_error(), "input 0 has 2 strings, input 4 (shape) needs 3");
    input_fixture_end(&f);
}

TEST(session_tables, a_number_has_its_text_or_the_default)
{
    static const int64_t keys[] = {300, -1, 2};
    static const char *const expected[] = {"two", "none", "minus one"};
    const struct blob values = TEXTS("three hundred", "minus one", "two"), none = TEXTS("none");
    struct hy_texts found = {0};
    struct input_fixture f;
    struct hy_text text;
    size_t length = 0;
    void *bytes;

    REQUIRE(begin(&f, lookup(3, numbers(3, keys), texts(3, &values), texts(1, &none))));
    EXPECT_INT(halyard_session_input_buffer(f.session, 0, &bytes, &length), 0);
    REQUIRE(length == 3 * sizeof(int64_t));
    memcpy(bytes, (const int64_t[]){2, 5, -1}, length);
    EXPECT_INT(halyard_session_run(f.session), 0);
    EXPECT_INT(halyard_session_output_buffer(f.session, 0, &bytes, &length), 0);
    REQUIRE(hy_texts_open(bytes, length, &found) && found.count == 3);
    for (uint32_t i = 0; i < 3; i++)
        EXPECT(hy_texts_at(&found, i, &text) && text.length == strlen(expected[i]) &&
               memcmp(text.bytes, expected[i], text.length) == 0);
    input_fixture_end(&f);
}

/* Keys that differ in the upper 32 bits alone. */
TEST(session_tables, a_number_of_64_bits_has_the_number_of_its_key)
{
    static const int64_t keys[] = {INT64_C(5) << 32 | 1, 1, -(INT64_C(7) << 40)};
    static const int64_t values[] = {INT64_C(1) << 40, 2, 3}, none[] = {-1};
    struct input_fixture f;
    size_t length = 0;
    void *bytes;

    REQUIRE(begin(&f, lookup(4, numbers(3, keys), numbers(3, values), numbers(1, none))));
    EXPECT_INT(halyard_session_input_buffer(f.session, 0, &bytes, &length), 0);
    REQUIRE(length == 4 * sizeof(int64_t));
    memcpy(bytes, (const int64_t[]){1, keys[0], INT64_C(6) << 32 | 1, keys[2]}, length);
    EXPECT_INT(halyard_session_run(f.session), 0);
    expect_numbers(&f, 0, 4, (const double[]){2, (double)values[0], -1, 3});
    input_fixture_end(&f);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void expect_refusal(struct hy_builder *builder, const char *expected, int line)
{
    struct halyard_network *network = NULL;
    size_t length;
    uint8_t *bytes = hy_builder_finish(builder, &length);

    if (halyard_network_open_memory(bytes, length, NULL, &network) != ANEURALNETWORKS_BAD_DATA)
        hy_test_fail(__FILE__, line, "not refused");
    else if (!strstr(halyard_last_error(), expected))
        hy_test_fail(__FILE__, line, "%s", halyard_last_error());
    else
        hy_test_pass(__FILE__, line);
    halyard_network_close(network);
    free(bytes);
}

TEST(session_tables, a_table_that_is_no_table_is_refused)
{
    static const int64_t two[] = {1, 2}, none[] = {-1};
    static const float real[] = {1, 2};
    const struct column reals = {HY_TFLITE_FLOAT32, 2, real, sizeof real};
    const struct column unknown = {HY_TFLITE_INT64, 2, NULL, 0};
    const struct blob one = TEXTS("a"), pair = TEXTS("a", "b");
    struct blob truncated = pair, outside = pair;

    truncated.length = 7;
    hy_texts_set_number(outside.bytes, 2, 99);
    expect_refusal(lookup(1, texts(1, &one), numbers(2, two), numbers(1, none)),
                   "1 keys for 2 values", __LINE__);
    expect_refusal(lookup(1, texts(2, &truncated), numbers(2, two), numbers(1, none)),
                   "the keys of a table are not strings", __LINE__);
    expect_refusal(lookup(1, texts(2, &outside), numbers(2, two), numbers(1, none)),
                   "outside of its constant", __LINE__);
    expect_refusal(lookup(1, reals, numbers(2, two), numbers(1, none)),
                   "keys of type float32 are not supported", __LINE__);
    expect_refusal(lookup(1, unknown, numbers(2, two), numbers(1, none)),
                   "the keys of a table are not constant", __LINE__);
    expect_refusal(lookup(1, texts(2, &pair), numbers(2, two), texts(1, &one)),
                   "a default of type string cannot be used with a table of int64", __LINE__);
}

TEST(session_tables, a_table_without_rows_from_the_file_is_refused)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t table = handle(builder, 3);

    hy_builder_output(builder,
                      add(builder, HY_TFLITE_OP_HASHTABLE_SIZE, 1, &table,
                          tensor(builder, "rows", (struct column){HY_TFLITE_INT64, 1, NULL, 0})));
    expect_refusal(builder, "table 3 is empty: keys were not imported", __LINE__);
}

TEST(session_tables, the_handle_of_a_table_is_no_variable)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t table = handle(builder, 3);

    hy_builder_output(builder,
                      add(builder, HY_TFLITE_OP_READ_VARIABLE, 1, &table,
                          tensor(builder, "rows", (struct column){HY_TFLITE_INT64, 1, NULL, 0})));
    expect_refusal(builder, "input 0 is not the handle of a variable", __LINE__);
}
