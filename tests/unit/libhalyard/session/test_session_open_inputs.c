/* Inputs whose shape a network leaves open. */
#include "tests/kit/test.h"

#include <halyard/halyard.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/libhalyard/session/input_fixture.h"
#include "tests/unit/tools/kit/metadata_builder.h"

static void expect_extents(const struct halyard_session *session, int32_t height, int32_t width)
{
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    EXPECT_INT(halyard_session_get_input(session, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(info.extents[0], 1);
    EXPECT_INT(info.extents[1], height);
    EXPECT_INT(info.extents[2], width);
    EXPECT_INT(info.extents[3], 3);
}

TEST(session_open_inputs, an_open_input_gets_the_size_of_each_picture_until_the_caller_sets_one)
{
    struct input_fixture f;
    static const uint8_t pixels[6 * 4 * 3] = {255};
    static const int32_t fixed[] = {1, 2, 2, 3};
    size_t length;
    uint8_t *bytes = make_network_of_open_size(&length);
    REQUIRE(input_fixture_begin(&f, bytes, length));
    expect_extents(f.session, 1, 1);
    EXPECT_INT(halyard_session_set_pixels(f.session, 0, pixels, 6, 4, 3, 18, NULL),
               ANEURALNETWORKS_NO_ERROR);
    expect_extents(f.session, 4, 6);
    EXPECT(input_floats(f.session)[0] == 1 && input_floats(f.session)[3] == 0);
    EXPECT_INT(halyard_session_run(f.session), ANEURALNETWORKS_NO_ERROR);
    double values[6 * 4 * 3];
    EXPECT_INT(halyard_session_read_output(f.session, 0, values, 72), ANEURALNETWORKS_NO_ERROR);
    EXPECT(values[0] == 1 && values[71] == 0);

    EXPECT_INT(halyard_session_set_pixels(f.session, 0, pixels, 3, 2, 3, 9, NULL),
               ANEURALNETWORKS_NO_ERROR);
    expect_extents(f.session, 2, 3);
    EXPECT_INT(halyard_session_set_pixels(f.session, 0, pixels, 0, 2, 3, 9, NULL),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "picture of 0 x 2 pixels");
    expect_extents(f.session, 2, 3);
    EXPECT_INT(halyard_session_resize(f.session, 0, 4, fixed), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_set_pixels(f.session, 0, pixels, 6, 4, 3, 18, NULL),
               ANEURALNETWORKS_NO_ERROR);
    expect_extents(f.session, 2, 2);
    input_fixture_end(&f);
}

/* Two inputs, each with an output: float32[2], and float32[1,?,?,1]. */
static uint8_t *make_two_inputs(size_t *length)
{
    const struct hy_builder_tensor tensors[] = {
        {.name = "numbers", .type = HY_TFLITE_FLOAT32, .rank = 1, .dims = {2}},
        {.name = "picture",
         .type = HY_TFLITE_FLOAT32,
         .rank = 4,
         .dims = {1, 1, 1, 1},
         .signature_rank = 4,
         .signature = {1, -1, -1, 1}},
    };
    struct hy_builder *builder = hy_builder_create();
    for (unsigned i = 0; i < 2; i++) {
        const int32_t input = hy_builder_tensor(builder, &tensors[i]);
        const int32_t output = hy_builder_tensor(builder, &tensors[i]);
        hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_RELU,
                                                                   .input_count = 1,
                                                                   .inputs = {input},
                                                                   .output_count = 1,
                                                                   .outputs = {output}});
        hy_builder_input(builder, input);
        hy_builder_output(builder, output);
    }
    return hy_builder_finish(builder, length);
}

static void expect_numbers(struct halyard_session *session, double first, double second)
{
    double values[2] = {0};
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_read_output(session, 0, values, 2), ANEURALNETWORKS_NO_ERROR);
    EXPECT(values[0] == first && values[1] == second);
}

TEST(session_open_inputs, other_inputs_keep_their_contents_when_a_picture_chooses_a_shape)
{
    static const uint8_t pixels[12] = {255};
    static const float bound[2] = {7, 8};
    struct input_fixture f;
    size_t length;
    uint8_t *bytes = make_two_inputs(&length);
    REQUIRE(input_fixture_begin(&f, bytes, length));
    float *numbers = input_floats(f.session);
    numbers[0] = 5;
    numbers[1] = 6;
    EXPECT_INT(halyard_session_set_pixels(f.session, 1, pixels, 4, 3, 1, 4, NULL),
               ANEURALNETWORKS_NO_ERROR);
    expect_numbers(f.session, 5, 6);

    EXPECT_INT(halyard_session_bind_input(f.session, 0, bound, sizeof bound),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_set_pixels(f.session, 1, pixels, 3, 2, 1, 3, NULL),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT(input_floats(f.session) == bound);
    expect_numbers(f.session, 7, 8);
    input_fixture_end(&f);
}

TEST(session_open_inputs, an_open_input_gets_the_shape_of_an_array)
{
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4, 3), }\n";
    struct input_fixture f;
    size_t length;
    uint8_t *bytes = make_network_of_open_size(&length), file[10 + sizeof header - 1 + 96] = {0};
    char path[64];
    REQUIRE(input_fixture_begin(&f, bytes, length));
    memcpy(file, "\x93NUMPY\x01\0", 8);
    file[8] = sizeof header - 1;
    memcpy(file + 10, header, sizeof header - 1);
    const float last = 5;
    memcpy(file + sizeof file - 4, &last, 4);
    write_input_file(path, file, sizeof file);
    EXPECT_INT(halyard_session_read_input(f.session, 0, path, NULL, NULL, 0),
               ANEURALNETWORKS_NO_ERROR);
    expect_extents(f.session, 2, 4);
    EXPECT(input_floats(f.session)[23] == 5);
    unlink(path);

    memcpy(strstr((char *)file + 10, "4, 3"), "3, 4", 4); /* the network has 3 channels */
    write_input_file(path, file, sizeof file);
    EXPECT_INT(halyard_session_read_input(f.session, 0, path, NULL, NULL, 0),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "differs from the input");
    unlink(path);
    input_fixture_end(&f);
}

TEST(session_open_inputs, an_open_input_gets_the_size_that_the_metadata_propose)
{
    struct hy_builder_tensor tensor = {.name = "picture",
                                       .type = HY_TFLITE_UINT8,
                                       .rank = 4,
                                       .dims = {1, 1, 1, 1},
                                       .signature_rank = 4,
                                       .signature = {1, -1, -1, 1}};
    static const struct metadata_tensor sized = {.image_width = 5, .image_height = 3};
    static const struct metadata_spec from = {.input_count = 1, .inputs = &sized};
    struct hy_builder *builder = hy_builder_create();
    const int32_t input = hy_builder_tensor(builder, &tensor);
    tensor.name = "same";
    const int32_t output = hy_builder_tensor(builder, &tensor);
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_MAXIMUM,
                                                               .input_count = 2,
                                                               .inputs = {input, input},
                                                               .output_count = 1,
                                                               .outputs = {output}});
    hy_builder_input(builder, input);
    hy_builder_output(builder, output);
    size_t metadata_length, length;
    uint8_t *metadata = make_metadata(&from, &metadata_length);
    hy_builder_metadata(builder, "TFLITE_METADATA", metadata, (uint32_t)metadata_length);
    uint8_t *bytes = hy_builder_finish(builder, &length);
    free(metadata);

    struct input_fixture f;
    static const uint8_t pixels[10 * 10] = {7};
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    REQUIRE(input_fixture_begin(&f, bytes, length));
    EXPECT_INT(halyard_session_set_pixels(f.session, 0, pixels, 10, 10, 1, 10, NULL),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_get_input(f.session, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT(info.extents[1] == 3 && info.extents[2] == 5);
    input_fixture_end(&f);
}
