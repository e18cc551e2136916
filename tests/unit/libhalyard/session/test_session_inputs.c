/* Inputs from pictures and pixels, and what outputs mean. */
#include "tests/kit/test.h"

#include <halyard/halyard.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/libhalyard/session/input_fixture.h"
#include "tests/unit/tools/kit/jpeg_writer.h"
#include "tests/unit/tools/kit/metadata_builder.h"

static const float mean[] = {100}, std[] = {10};

/* RELU((pixel - 100) / 10), with three classes. */
static const struct metadata_tensor image = {
    .description = "a picture", .mean_count = 1, .std_count = 1, .means = mean, .stds = std};
static const struct metadata_tensor scores = {
    .description = "how much of each", .file = "labels.txt", .file_type = FILE_IS_AXIS_LABELS};
static const struct metadata_spec spec = {"Colours", "Tells colours.", 1, 1, &image, &scores};
static const struct zip_entry labels = {"labels.txt", "red\ngreen\nblue\n", 15, true};

static const uint8_t orange[3] = {200, 130, 50};

static bool begin(struct input_fixture *f)
{
    size_t length;
    uint8_t *bytes = make_network_with_metadata(&spec, &labels, 1, &length);
    return input_fixture_begin(f, bytes, length);
}

TEST(session_inputs, tensors_tell_what_the_metadata_say)
{
    struct input_fixture f;
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    REQUIRE(begin(&f));
    EXPECT_STR(halyard_network_description(f.network), "Tells colours.");
    EXPECT_STR(halyard_network_metadata_note(f.network), "");
    EXPECT_INT(halyard_network_get_input(f.network, 0, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(info.description, "a picture");
    EXPECT(info.mean_count == 1 && info.means[0] == 100 && info.stds[0] == 10);
    EXPECT(info.label_count == 0 && !info.labels);
    EXPECT_INT(halyard_network_get_output(f.network, 0, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT(info.mean_count == 0 && !info.means);
    EXPECT(info.label_count == 3 && strcmp(info.labels[2], "blue") == 0);
    EXPECT_INT(halyard_session_get_output(f.session, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT(info.label_count == 3 && strcmp(info.labels[0], "red") == 0);
    input_fixture_end(&f);
}

TEST(session_inputs, a_picture_is_normalised_as_the_metadata_say_and_its_classes_are_named)
{
    struct input_fixture f;
    REQUIRE(begin(&f));
    char path[64], note[100];
    struct image_file png = make_png(1, 1, PNG_FORMAT_RGB, orange);
    write_input_file(path, png.bytes, png.length);
    EXPECT_INT(halyard_session_read_input(f.session, 0, path, NULL, note, sizeof note),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(note, "");
    EXPECT(input_floats(f.session)[0] == 10 && input_floats(f.session)[2] == -5);

    struct halyard_rank ranks[5];
    uint32_t count = 5;
    EXPECT_INT(halyard_session_run(f.session), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_top(f.session, 0, ranks, &count), ANEURALNETWORKS_NO_ERROR);
    REQUIRE(count == 3);
    EXPECT_STR(ranks[0].label, "red");
    EXPECT_STR(ranks[1].label, "green");
    EXPECT_STR(ranks[2].label, "blue");
    EXPECT(ranks[0].value == 10 && ranks[1].value == 3 && ranks[2].value == 0);
    EXPECT_INT(ranks[1].index, 1);

    double values[3];
    EXPECT_INT(halyard_session_read_output(f.session, 0, values, 3), ANEURALNETWORKS_NO_ERROR);
    EXPECT(values[0] == 10 && values[1] == 3);
    EXPECT_INT(halyard_session_read_output(f.session, 0, values, 2), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "output 0 has 3 elements, the array has 2");
    unlink(path);
    free(png.bytes);
    input_fixture_end(&f);
}

TEST(session_inputs, options_come_before_the_metadata)
{
    struct input_fixture f;
    struct halyard_image_options options = {.struct_size = sizeof options,
                                            .channels = HALYARD_CHANNELS_BGR,
                                            .mean_count = 3,
                                            .means = {50, 130, 0},
                                            .stds = {1, 1, 2}};
    REQUIRE(begin(&f));
    EXPECT_INT(halyard_session_set_pixels(f.session, 0, orange, 1, 1, 3, 3, &options),
               ANEURALNETWORKS_NO_ERROR);
    const float *input = input_floats(f.session);
    EXPECT(input[0] == 0 && input[1] == 0 && input[2] == 100);

    options.mean_count = 0; /* the metadata's, in the other order of channels */
    EXPECT_INT(halyard_session_set_pixels(f.session, 0, orange, 1, 1, 3, 3, &options),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT(input_floats(f.session)[0] == -5);

    options.mean_count = 5;
    EXPECT_INT(halyard_session_set_pixels(f.session, 0, orange, 1, 1, 3, 3, &options),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "5 means, at most 4");
    options.mean_count = 0;
    options.fit = -1;
    EXPECT_INT(halyard_session_set_pixels(f.session, 0, orange, 1, 1, 3, 3, &options),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "input 0 (image): fit -1 does not exist");
    options.struct_size = 0;
    EXPECT_INT(halyard_session_set_pixels(f.session, 0, orange, 1, 1, 3, 3, &options),
               ANEURALNETWORKS_BAD_DATA);
    input_fixture_end(&f);
}

/* Members that a caller built against an older header lacks. */
TEST(session_inputs, options_of_a_smaller_struct_have_the_defaults_for_the_rest)
{
    struct input_fixture f;
    struct halyard_image_options options = {
        .struct_size = offsetof(struct halyard_image_options, mean_count), .mean_count = 1};
    REQUIRE(begin(&f));
    EXPECT_INT(halyard_session_set_pixels(f.session, 0, orange, 1, 1, 3, 3, &options),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT(input_floats(f.session)[0] == 10);
    input_fixture_end(&f);
}

TEST(session_inputs, pictures_and_raw_bytes_are_told_apart)
{
    struct input_fixture f;
    static const float raw[3] = {1, 2, 3};
    uint8_t grey[64];
    char path[64], note[100];
    REQUIRE(begin(&f));
    write_input_file(path, raw, sizeof raw);
    EXPECT_INT(halyard_session_read_input(f.session, 0, path, NULL, NULL, 0),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT(input_floats(f.session)[1] == 2);
    unlink(path);

    memset(grey, 110, sizeof grey);
    struct image_file jpeg =
        make_jpeg(&(struct jpeg_spec){.width = 8, .height = 8, .channels = 1, .pixels = grey});
    write_input_file(path, jpeg.bytes, jpeg.length);
    EXPECT_INT(halyard_session_read_input(f.session, 0, path, NULL, note, sizeof note),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT(fabsf(input_floats(f.session)[2] - 1) < 0.3F);
    EXPECT_STR(note, "scaled from 8 x 8 to 1 x 1 pixels");
    unlink(path);
    EXPECT_INT(halyard_session_read_input(f.session, 0, path, NULL, NULL, 0),
               ANEURALNETWORKS_OP_FAILED);
    EXPECT_CONTAINS(halyard_last_error(), "No such file");
    EXPECT_CONTAINS(halyard_last_error(), path);

    write_input_file(path, jpeg.bytes, jpeg.length / 2);
    EXPECT_INT(halyard_session_read_input(f.session, 0, path, NULL, NULL, 0),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "JPEG");
    EXPECT_CONTAINS(halyard_last_error(), path);
    unlink(path);
    free(jpeg.bytes);
    input_fixture_end(&f);
}

TEST(session_inputs, other_labels_replace_those_of_the_metadata)
{
    struct input_fixture f;
    char path[64];
    struct halyard_rank rank;
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    uint32_t count = 1;
    REQUIRE(begin(&f));
    EXPECT_INT(halyard_session_set_pixels(f.session, 0, orange, 1, 1, 3, 3, NULL),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_run(f.session), ANEURALNETWORKS_NO_ERROR);
    write_input_file(path, "rot\r\ngr\xc3\xbcn\r\nblau", 16);
    EXPECT_INT(halyard_session_read_labels(f.session, 0, path), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_top(f.session, 0, &rank, &count), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(rank.label, "rot");
    EXPECT_INT(halyard_session_get_output(f.session, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(info.labels[1], "gr\xc3\xbcn");
    unlink(path);

    write_input_file(path, "rot\nblau\n", 9);
    EXPECT_INT(halyard_session_read_labels(f.session, 0, path), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "2 labels, but output 0 has 3 classes");
    EXPECT_INT(halyard_session_top(f.session, 0, &rank, &count), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(rank.label, "rot");
    unlink(path);
    input_fixture_end(&f);
}

TEST(session_inputs, nulls_and_wrong_indices_are_refused_in_words)
{
    struct input_fixture f;
    struct halyard_rank rank;
    double value;
    uint32_t count = 1;
    REQUIRE(begin(&f));
    EXPECT_INT(halyard_session_read_input(NULL, 0, "x", NULL, NULL, 0),
               ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_session_read_input(f.session, 0, NULL, NULL, NULL, 0),
               ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_CONTAINS(halyard_last_error(), "session_read_input: path is NULL");
    EXPECT_INT(halyard_session_set_pixels(f.session, 0, NULL, 1, 1, 3, 3, NULL),
               ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_session_top(f.session, 0, NULL, &count), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_session_top(f.session, 0, &rank, NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_session_read_output(f.session, 0, NULL, 1), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_session_read_labels(f.session, 0, NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT(halyard_network_metadata_note(NULL) == NULL);

    EXPECT_INT(halyard_session_set_pixels(f.session, 1, orange, 1, 1, 3, 3, NULL),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "input 1 does not exist, the session has 1");
    EXPECT_INT(halyard_session_top(f.session, 1, &rank, &count), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_session_read_output(f.session, 1, &value, 1), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_session_read_labels(f.session, 1, "/dev/null"), ANEURALNETWORKS_BAD_DATA);
    input_fixture_end(&f);
}

/* What converters from NCHW leave: [1,3,1,1]. */
TEST(session_inputs, classes_are_counted_by_the_last_dimension_that_is_not_1)
{
    static const float stored[3] = {1, 3, 2};
    const struct hy_builder_tensor tensor = {
        .name = "scores", .type = HY_TFLITE_FLOAT32, .rank = 4, .dims = {1, 3, 1, 1}};
    struct hy_builder *builder = hy_builder_create();
    const int32_t input = hy_builder_tensor(builder, &tensor);
    const int32_t output = hy_builder_tensor(builder, &tensor);
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_RELU,
                                                               .input_count = 1,
                                                               .inputs = {input},
                                                               .output_count = 1,
                                                               .outputs = {output}});
    hy_builder_input(builder, input);
    hy_builder_output(builder, output);
    struct input_fixture f;
    size_t length;
    uint8_t *bytes = hy_builder_finish(builder, &length);
    char path[64];
    struct halyard_rank ranks[2];
    uint32_t count = 2;
    REQUIRE(input_fixture_begin(&f, bytes, length));
    write_input_file(path, "a\nb\nc\n", 6);
    EXPECT_INT(halyard_session_read_labels(f.session, 0, path), ANEURALNETWORKS_NO_ERROR);
    unlink(path);
    memcpy(input_floats(f.session), stored, sizeof stored);
    EXPECT_INT(halyard_session_run(f.session), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_top(f.session, 0, ranks, &count), ANEURALNETWORKS_NO_ERROR);
    EXPECT(ranks[0].index == 1 && ranks[1].index == 2);
    EXPECT_STR(ranks[0].label, "b");
    input_fixture_end(&f);
}

/* RELU in a sub-graph of its own. */
static void add_relu(struct hy_builder *builder, const char *input_name, const char *output_name)
{
    struct hy_builder_tensor tensor = {
        .name = input_name, .type = HY_TFLITE_FLOAT32, .rank = 1, .dims = {2}};
    const int32_t input = hy_builder_tensor(builder, &tensor);
    tensor.name = output_name;
    const int32_t output = hy_builder_tensor(builder, &tensor);
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_RELU,
                                                               .input_count = 1,
                                                               .inputs = {input},
                                                               .output_count = 1,
                                                               .outputs = {output}});
    hy_builder_input(builder, input);
    hy_builder_output(builder, output);
}

TEST(session_inputs, metadata_belong_to_signatures_of_the_first_subgraph)
{
    struct hy_builder *builder = hy_builder_create();
    add_relu(builder, "a", "b");
    hy_builder_subgraph(builder);
    add_relu(builder, "c", "d");
    for (uint32_t subgraph = 2; subgraph-- > 0;)
        hy_builder_signature(builder, &(struct hy_builder_signature){
                                          .key = subgraph ? "second" : "first",
                                          .subgraph = subgraph,
                                          .input_names = {"x"},
                                          .inputs = {0},
                                          .output_names = {"y"},
                                          .outputs = {1},
                                      });
    size_t metadata_length, length;
    uint8_t *metadata = make_metadata(&spec, &metadata_length);
    hy_builder_metadata(builder, "TFLITE_METADATA", metadata, (uint32_t)metadata_length);
    uint8_t *bytes = hy_builder_finish(builder, &length);
    free(metadata);

    struct input_fixture f;
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    uint32_t first = 0, second = 0;
    REQUIRE(input_fixture_begin(&f, bytes, length));
    EXPECT_INT(halyard_network_find_signature(f.network, "first", &first), 0);
    EXPECT_INT(halyard_network_find_signature(f.network, "second", &second), 0);
    EXPECT_INT(halyard_network_get_input(f.network, first, 0, &info), 0);
    EXPECT_STR(info.description, "a picture");
    EXPECT_INT(halyard_network_get_output(f.network, first, 0, &info), 0);
    EXPECT_STR(info.description, "how much of each");
    EXPECT_INT(halyard_network_get_input(f.network, second, 0, &info), 0);
    EXPECT_STR(info.description, "");
    EXPECT_INT(halyard_network_get_output(f.network, second, 0, &info), 0);
    EXPECT_STR(info.description, "");
    input_fixture_end(&f);
}
