#include "tests/kit/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/tools/kit/command_run.h"
#include "tests/unit/tools/kit/tflite_builder.h"

#define IMAGE_BYTES  784
#define OUTPUT_BYTES 10

/* Runs the digits network on the grey levels of a test image. */
static void expect_output(const char *dir, const char *image, const char *expected,
                          const char *mode)
{
    char stored[IMAGE_BYTES]; /* grey level g is the int8 g - 128 */
    for (size_t i = 0; i < IMAGE_BYTES; i++)
        stored[i] = (char)(image[i] ^ 0x80);

    char input[128], output[128];
    snprintf(input, sizeof input, "%s/image.bin", dir);
    snprintf(output, sizeof output, "%s/new/results/out0.bin", dir);
    FILE *file = fopen(input, "wb");
    REQUIRE(file && fwrite(stored, 1, IMAGE_BYTES, file) == IMAGE_BYTES && fclose(file) == 0);

    char results[128];
    snprintf(results, sizeof results, "%s/new/results", dir); /* folders are made */
    struct command_run run = RUN("run", example_path("digits/digits.tflite"), "--input", input,
                                 "--output-dir", results, "--mode", mode);
    EXPECT_INT(run.status, 0);
    command_run_finish(&run);

    size_t length = 0;
    char *actual = read_whole_file(output, &length);
    EXPECT(actual && length == OUTPUT_BYTES && memcmp(actual, expected, OUTPUT_BYTES) == 0);
    free(actual);
}

TEST(cli_run, output_files_have_the_bytes_that_the_network_is_known_to_give)
{
    size_t image_bytes = 0, output_bytes = 0;
    char *images = read_whole_file(example_path("digits/test_images.bin"), &image_bytes);
    char *outputs = read_whole_file(example_path("digits/test_outputs.bin"), &output_bytes);
    REQUIRE(images && outputs);
    char dir[64];
    make_dir(dir);
    static const char *const modes[] = {"sync", "async", "burst", "fenced"};
    for (size_t i = 0; i < image_bytes / IMAGE_BYTES; i += 50)
        expect_output(dir, images + i * IMAGE_BYTES, outputs + i * OUTPUT_BYTES, modes[i / 50 % 4]);
    remove_dir(dir);
    free(images);
    free(outputs);
}

TEST(cli_run, labels_rank_the_outputs_of_a_picture)
{
    struct command_run run = RUN("run", example_path("digits/digits.tflite"), "--input",
                                 example_path("digits/seven.png"), "--labels",
                                 example_path("digits/labels.txt"), "--json");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    const json_t *labels = json_object_get(json, "labels");
    EXPECT_INT(json_array_size(labels), 5);
    const json_t *best = json_array_get(labels, 0);
    EXPECT_STR(json_string_value(json_object_get(best, "label")), "7");
    EXPECT(json_number_value(json_object_get(best, "percent")) > 90);
    json_decref(json);
    command_run_finish(&run);
}

TEST(cli_run, labels_of_another_count_are_an_error_with_both_numbers)
{
    struct command_run run =
        RUN("run", example_path("digits/digits.tflite"), "--input",
            example_path("digits/seven.png"), "--labels", example_path("digits/README.md"));
    EXPECT_INT(run.status, 1);
    EXPECT_CONTAINS(run.err, "output 0 has 10");
    command_run_finish(&run);
}

TEST(cli_run, every_device_gives_the_same_bytes_for_a_quantised_model)
{
    char dir[64], results[128], path[160];
    make_dir(dir);
    size_t length = 0;
    char *first = NULL;
    static const char *const devices[] = {"halyard-cpu", "nnapi-reference"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(results, sizeof results, "%s/%s", dir, devices[i]);
        snprintf(path, sizeof path, "%s/out0.bin", results);
        struct command_run run =
            RUN("run", example_path("digits/digits.tflite"), "--input",
                example_path("digits/four.png"), "--output-dir", results, "--device", devices[i]);
        EXPECT_INT(run.status, 0);
        command_run_finish(&run);
        char *bytes = read_whole_file(path, &length);
        EXPECT(bytes && length == OUTPUT_BYTES);
        if (first && bytes)
            EXPECT(memcmp(first, bytes, OUTPUT_BYTES) == 0);
        free(first);
        first = bytes;
    }
    free(first);
    remove_dir(dir);
}

/* Only its end is padding. */
TEST(cli_run, a_truncated_model_is_refused)
{
    char dir[64], path[128];
    make_dir(dir);
    snprintf(path, sizeof path, "%s/cut.tflite", dir);
    size_t length = 0;
    char *model = read_whole_file(example_path("digits/digits.tflite"), &length);
    REQUIRE(model);
    for (size_t cut = 1; cut < length * 9 / 10; cut += length / 9) {
        FILE *file = fopen(path, "wb");
        REQUIRE(file && fwrite(model, 1, cut, file) == cut && fclose(file) == 0);
        struct command_run run = RUN("explain", path);
        EXPECT_INT(run.status, 1);
        EXPECT_CONTAINS(run.err, path);
        command_run_finish(&run);
    }
    free(model);
    remove_dir(dir);
}

static void write_bytes(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");

    REQUIRE(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
}

TEST(cli_run, a_file_of_texts_is_an_input_and_texts_are_lines)
{
    static const uint8_t texts[] = {2, 0,  0, 0, 16, 0,   0,   0,   20,  0, 0,
                                    0, 21, 0, 0, 0,  'p', 'e', 'a', 'r', 27};
    struct hy_builder *builder = hy_builder_create();
    const int32_t x = hy_builder_tensor(
        builder,
        &(struct hy_builder_tensor){.name = "x", .type = HY_TFLITE_STRING, .rank = 1, .dims = {2}});
    char dir[64], model[128], input[128];
    size_t length;

    hy_builder_input(builder, x);
    hy_builder_output(builder, x);
    uint8_t *bytes = hy_builder_finish(builder, &length);
    make_dir(dir);
    snprintf(model, sizeof model, "%s/texts.tflite", dir);
    snprintf(input, sizeof input, "%s/texts.bin", dir);
    write_bytes(model, bytes, length);
    write_bytes(input, texts, sizeof texts);
    free(bytes);
    struct command_run run = RUN("run", model, "--input", input);
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, "string[21]  2 texts\n  pear\n   \n"); /* an escape is a blank */
    command_run_finish(&run);
    remove_dir(dir);
}
