/* The signatures of a `.tflite` model. */
#include "tests/kit/test.h"

#include <stdlib.h>

#include "libhalyard/tflite/tflite_model.h"
#include "tests/unit/tools/kit/tflite_builder.h"

/* Two sub-graphs of one vector that goes in and comes out. */
static struct hy_builder *two_subgraphs(void)
{
    const struct hy_builder_tensor vector = {.name = "v", .rank = 1, .dims = {4}};
    struct hy_builder *builder = hy_builder_create();

    for (int i = 0; i < 2; i++) {
        if (i > 0)
            hy_builder_subgraph(builder);
        const int32_t tensor = hy_builder_tensor(builder, &vector);
        hy_builder_input(builder, tensor);
        hy_builder_output(builder, tensor);
    }
    return builder;
}

struct opened {
    uint8_t *bytes;
    struct hy_tflite_model *model;
    struct hy_error err;
};

static enum hy_code open_built(struct opened *opened, struct hy_builder *builder)
{
    size_t length;
    *opened = (struct opened){.bytes = hy_builder_finish(builder, &length)};
    return hy_tflite_open(opened->bytes, length, NULL, &opened->model, &opened->err);
}

static void close_built(struct opened *opened)
{
    hy_tflite_close(opened->model);
    free(opened->bytes);
}

TEST(tflite, signatures_name_subgraphs_and_tensors)
{
    struct hy_builder *builder = two_subgraphs();
    struct opened opened;

    hy_builder_signature(builder, &(struct hy_builder_signature){.key = "encode", .subgraph = 1});
    hy_builder_signature(builder, &(struct hy_builder_signature){.key = "decode\n",
                                                                 .input_names = {"text"},
                                                                 .inputs = {0},
                                                                 .output_names = {"sound"},
                                                                 .outputs = {0}});
    REQUIRE(open_built(&opened, builder) == HY_OK);
    const struct hy_tflite_model *model = opened.model;
    REQUIRE(model->signature_count == 2);
    EXPECT_STR(model->signatures[0].key, "encode");
    EXPECT_INT(model->signatures[0].subgraph, 1);
    EXPECT_INT(model->signatures[0].input_count, 0);
    const struct hy_tflite_signature *decode = &model->signatures[1];
    EXPECT_STR(decode->key, "decode?");
    EXPECT_STR(hy_tflite_signature_name(decode->inputs, decode->input_count, 0), "text");
    EXPECT_STR(hy_tflite_signature_name(decode->outputs, decode->output_count, 0), "sound");
    EXPECT(hy_tflite_signature_name(decode->inputs, decode->input_count, 1) == NULL);
    close_built(&opened);
}

TEST(tflite, a_file_without_signatures_has_one_of_the_first_subgraph)
{
    struct opened opened;

    REQUIRE(open_built(&opened, two_subgraphs()) == HY_OK);
    REQUIRE(opened.model->signature_count == 1);
    EXPECT_STR(opened.model->signatures[0].key, "");
    EXPECT_INT(opened.model->signatures[0].subgraph, 0);
    close_built(&opened);
}

static void expect_refused(const struct hy_builder_signature *signature, const char *expected)
{
    struct hy_builder *builder = two_subgraphs();
    struct opened opened;

    hy_builder_signature(builder, signature);
    EXPECT_INT(open_built(&opened, builder), HY_BAD_DATA);
    EXPECT_STR(opened.err.text, expected);
    close_built(&opened);
}

TEST(tflite, signatures_of_what_is_not_there_are_refused)
{
    expect_refused(&(struct hy_builder_signature){.key = "wild", .subgraph = 2},
                   "signature 0 (wild): subgraph 2 does not exist, the model has 2");
    expect_refused(
        &(struct hy_builder_signature){.key = "s", .input_names = {"x"}, .inputs = {UINT32_MAX}},
        "signature 0 (s): input 0: x is tensor 4294967295, the subgraph has 1");
    expect_refused(
        &(struct hy_builder_signature){.key = "s", .output_names = {"y"}, .outputs = {1}},
        "signature 0 (s): output 0: y is tensor 1, the subgraph has 1");
}
