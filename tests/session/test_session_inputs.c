/* Inputs from pictures and pixels, and what outputs mean. */
#include "tests/test.h"

#include <halyard/halyard.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/session/networks.h"
#include "tests/tools/jpeg_writer.h"
#include "tests/tools/metadata_builder.h"

static const float mean[] = {100}, std[] = {10};

/* RELU((pixel - 100) / 10), with three classes. */
static const struct metadata_tensor image = {
    .description = "a picture", .mean_count = 1, .std_count = 1, .means = mean, .stds = std};
static const struct metadata_tensor scores = {
    .description = "how much of each", .file = "labels.txt", .file_type = FILE_IS_AXIS_LABELS};
static const struct metadata_draft draft = {"Colours", "Tells colours.", 1, 1, &image, &scores};
static const struct zip_entry labels = {"labels.txt", "red\ngreen\nblue\n", 15, true};

static const uint8_t orange[3] = {200, 130, 50};

struct fixture {
    uint8_t *bytes;
    struct halyard_network *network;
    struct halyard_session *session;
};

static bool begin_with(struct fixture *f, uint8_t *bytes, size_t length)
{
    *f = (struct fixture){.bytes = bytes};
    const bool made =
        halyard_network_open_memory(bytes, length, NULL, &f->network) == ANEURALNETWORKS_NO_ERROR &&
        halyard_session_create(f->network, NULL, &f->session) == ANEURALNETWORKS_NO_ERROR;
    if (!made)
        hy_test_fail(__FILE__, __LINE__, "%s", halyard_last_error());
    return made;
}

static bool begin(struct fixture *f)
{
    size_t length;
    uint8_t *bytes = make_network_with_metadata(&draft, &labels, 1, &length);
    return begin_with(f, bytes, length);
}

static void end(struct fixture *f)
{
    halyard_session_free(f->session);
    halyard_network_close(f->network);
    free(f->bytes);
}

/* A file of these bytes; the caller unlinks it. */
static void write_file(char path[64], const void *bytes, size_t length)
{
    strcpy(path, "/tmp/halyard-test-XXXXXX");
    const int fd = mkstemp(path);
    if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
        hy_test_fail(__FILE__, __LINE__, "cannot write %s", path);
    close(fd);
}

static const float *input_floats(struct halyard_session *session)
{
    void *bytes = NULL;
    size_t length;
    EXPECT_INT(halyard_session_input_buffer(session, 0, &bytes, &length), ANEURALNETWORKS_NO_ERROR);
    return bytes;
}

TEST(session_inputs, tensors_tell_what_the_metadata_say)
{
    struct fixture f;
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
    end(&f);
}

TEST(session_inputs, a_picture_is_normalised_as_the_metadata_say_and_its_classes_are_named)
{
    struct fixture f;
    REQUIRE(begin(&f));
    char path[64], note[100];
    struct image_file png = make_png(1, 1, PNG_FORMAT_RGB, orange);
    write_file(path, png.bytes, png.length);
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
    EXPECT_CONTAINS(halyard_last_error(), "output 0 has 3 elements, room is given for 2");
    unlink(path);
    free(png.bytes);
    end(&f);
}

TEST(session_inputs, options_come_before_the_metadata)
{
    struct fixture f;
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
    end(&f);
}

/* Members that a caller built against an older header lacks. */
TEST(session_inputs, options_of_a_smaller_struct_have_the_defaults_for_the_rest)
{
    struct fixture f;
    struct halyard_image_options options = {
        .struct_size = offsetof(struct halyard_image_options, mean_count), .mean_count = 1};
    REQUIRE(begin(&f));
    EXPECT_INT(halyard_session_set_pixels(f.session, 0, orange, 1, 1, 3, 3, &options),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT(input_floats(f.session)[0] == 10);
    end(&f);
}

TEST(session_inputs, pictures_and_raw_bytes_are_told_apart)
{
    struct fixture f;
    static const float raw[3] = {1, 2, 3};
    uint8_t grey[64];
    char path[64], note[100];
    REQUIRE(begin(&f));
    write_file(path, raw, sizeof raw);
    EXPECT_INT(halyard_session_read_input(f.session, 0, path, NULL, NULL, 0),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT(input_floats(f.session)[1] == 2);
    unlink(path);

    memset(grey, 110, sizeof grey);
    struct image_file jpeg =
        make_jpeg(&(struct jpeg_draft){.width = 8, .height = 8, .channels = 1, .pixels = grey});
    write_file(path, jpeg.bytes, jpeg.length);
    EXPECT_INT(halyard_session_read_input(f.session, 0, path, NULL, note, sizeof note),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT(fabsf(input_floats(f.session)[2] - 1) < 0.3F);
    EXPECT_STR(note, "scaled from 8 x 8 to 1 x 1 pixels");
    unlink(path);
    EXPECT_INT(halyard_session_read_input(f.session, 0, path, NULL, NULL, 0),
               ANEURALNETWORKS_OP_FAILED);
    EXPECT_CONTAINS(halyard_last_error(), "No such file");
    EXPECT_CONTAINS(halyard_last_error(), path);

    write_file(path, jpeg.bytes, jpeg.length / 2);
    EXPECT_INT(halyard_session_read_input(f.session, 0, path, NULL, NULL, 0),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "JPEG");
    EXPECT_CONTAINS(halyard_last_error(), path);
    unlink(path);
    free(jpeg.bytes);
    end(&f);
}

TEST(session_inputs, other_labels_replace_those_of_the_metadata)
{
    struct fixture f;
    char path[64];
    struct halyard_rank rank;
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    uint32_t count = 1;
    REQUIRE(begin(&f));
    EXPECT_INT(halyard_session_set_pixels(f.session, 0, orange, 1, 1, 3, 3, NULL),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_run(f.session), ANEURALNETWORKS_NO_ERROR);
    write_file(path, "rot\r\ngr\xc3\xbcn\r\nblau", 16);
    EXPECT_INT(halyard_session_read_labels(f.session, 0, path), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_top(f.session, 0, &rank, &count), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(rank.label, "rot");
    EXPECT_INT(halyard_session_get_output(f.session, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(info.labels[1], "gr\xc3\xbcn");
    unlink(path);

    write_file(path, "rot\nblau\n", 9);
    EXPECT_INT(halyard_session_read_labels(f.session, 0, path), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "there are 2 labels, output 0 has 3 classes");
    EXPECT_INT(halyard_session_top(f.session, 0, &rank, &count), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(rank.label, "rot");
    unlink(path);
    end(&f);
}

static void expect_extents(const struct halyard_session *session, int32_t height, int32_t width)
{
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    EXPECT_INT(halyard_session_get_input(session, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(info.extents[0], 1);
    EXPECT_INT(info.extents[1], height);
    EXPECT_INT(info.extents[2], width);
    EXPECT_INT(info.extents[3], 3);
}

TEST(session_inputs, an_open_input_gets_the_size_of_each_picture_until_the_caller_sets_one)
{
    struct fixture f;
    static const uint8_t pixels[6 * 4 * 3] = {255};
    static const int32_t fixed[] = {1, 2, 2, 3};
    size_t length;
    uint8_t *bytes = make_network_of_open_size(&length);
    REQUIRE(begin_with(&f, bytes, length));
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
    end(&f);
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

TEST(session_inputs, other_inputs_keep_their_contents_when_a_picture_chooses_a_shape)
{
    static const uint8_t pixels[12] = {255};
    static const float bound[2] = {7, 8};
    struct fixture f;
    size_t length;
    uint8_t *bytes = make_two_inputs(&length);
    REQUIRE(begin_with(&f, bytes, length));
    float *numbers = (float *)(uintptr_t)input_floats(f.session);
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
    end(&f);
}

TEST(session_inputs, an_open_input_gets_the_shape_of_an_array)
{
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4, 3), }\n";
    struct fixture f;
    size_t length;
    uint8_t *bytes = make_network_of_open_size(&length), file[10 + sizeof header - 1 + 96] = {0};
    char path[64];
    REQUIRE(begin_with(&f, bytes, length));
    memcpy(file, "\x93NUMPY\x01\0", 8);
    file[8] = sizeof header - 1;
    memcpy(file + 10, header, sizeof header - 1);
    const float last = 5;
    memcpy(file + sizeof file - 4, &last, 4);
    write_file(path, file, sizeof file);
    EXPECT_INT(halyard_session_read_input(f.session, 0, path, NULL, NULL, 0),
               ANEURALNETWORKS_NO_ERROR);
    expect_extents(f.session, 2, 4);
    EXPECT(input_floats(f.session)[23] == 5);
    unlink(path);

    memcpy(strstr((char *)file + 10, "4, 3"), "3, 4", 4); /* the network has 3 channels */
    write_file(path, file, sizeof file);
    EXPECT_INT(halyard_session_read_input(f.session, 0, path, NULL, NULL, 0),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "another shape");
    unlink(path);
    end(&f);
}

TEST(session_inputs, an_open_input_gets_the_size_that_the_metadata_propose)
{
    struct hy_builder_tensor tensor = {.name = "picture",
                                       .type = HY_TFLITE_UINT8,
                                       .rank = 4,
                                       .dims = {1, 1, 1, 1},
                                       .signature_rank = 4,
                                       .signature = {1, -1, -1, 1}};
    static const struct metadata_tensor sized = {.image_width = 5, .image_height = 3};
    static const struct metadata_draft from = {.input_count = 1, .inputs = &sized};
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

    struct fixture f;
    static const uint8_t pixels[10 * 10] = {7};
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    REQUIRE(begin_with(&f, bytes, length));
    EXPECT_INT(halyard_session_set_pixels(f.session, 0, pixels, 10, 10, 1, 10, NULL),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_get_input(f.session, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT(info.extents[1] == 3 && info.extents[2] == 5);
    end(&f);
}

TEST(session_inputs, nulls_and_wrong_indices_are_refused_in_words)
{
    struct fixture f;
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
    EXPECT_CONTAINS(halyard_last_error(), "input 1, the session has 1");
    EXPECT_INT(halyard_session_top(f.session, 1, &rank, &count), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_session_read_output(f.session, 1, &value, 1), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_session_read_labels(f.session, 1, "/dev/null"), ANEURALNETWORKS_BAD_DATA);
    end(&f);
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
    struct fixture f;
    size_t length;
    uint8_t *bytes = hy_builder_finish(builder, &length);
    char path[64];
    struct halyard_rank ranks[2];
    uint32_t count = 2;
    REQUIRE(begin_with(&f, bytes, length));
    write_file(path, "a\nb\nc\n", 6);
    EXPECT_INT(halyard_session_read_labels(f.session, 0, path), ANEURALNETWORKS_NO_ERROR);
    unlink(path);
    memcpy((void *)(uintptr_t)input_floats(f.session), stored, sizeof stored);
    EXPECT_INT(halyard_session_run(f.session), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_top(f.session, 0, ranks, &count), ANEURALNETWORKS_NO_ERROR);
    EXPECT(ranks[0].index == 1 && ranks[1].index == 2);
    EXPECT_STR(ranks[0].label, "b");
    end(&f);
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
    uint8_t *metadata = make_metadata(&draft, &metadata_length);
    hy_builder_metadata(builder, "TFLITE_METADATA", metadata, (uint32_t)metadata_length);
    uint8_t *bytes = hy_builder_finish(builder, &length);
    free(metadata);

    struct fixture f;
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    uint32_t first = 0, second = 0;
    REQUIRE(begin_with(&f, bytes, length));
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
    end(&f);
}
