/* `halyard run` on a network whose file says how pictures become inputs and what its classes are.
 */
#include "tests/kit/test.h"

#include <png.h>
#include <stdlib.h>

#include "tests/unit/tools/kit/command_run.h"
#include "tests/unit/tools/kit/metadata_builder.h"
#include "tests/unit/tools/kit/png_writer.h"

static const float mean[] = {100}, std[] = {200};

/* RELU((pixel - 100) / 200) of the three channels. */
static const struct metadata_tensor image = {
    .mean_count = 1, .std_count = 1, .means = mean, .stds = std};
static const struct metadata_tensor scores = {
    .description = "shares", .file = "labels.txt", .file_type = FILE_IS_AXIS_LABELS};
static const struct metadata_spec spec = {"Colours", "Tells colours.", 1, 1, &image, &scores};
static const struct zip_entry labels = {"labels.txt", "red\ngreen\nblue\n", 15, true};

struct position {
    char dir[64];
    char model[96], picture[96], labels[96];
};

static void write_bytes(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
        hy_test_fail(__FILE__, __LINE__, "cannot write %s", path);
}

static void begin(struct position *position, const struct zip_entry *entry)
{
    static const uint8_t orange[3] = {200, 140, 50};
    make_dir(position->dir);
    snprintf(position->model, sizeof position->model, "%s/colours.tflite", position->dir);
    snprintf(position->picture, sizeof position->picture, "%s/orange.png", position->dir);
    snprintf(position->labels, sizeof position->labels, "%s/farben.txt", position->dir);
    write_whole_file(position->labels, "rot\r\ngelb\r\nblau\r\n");
    size_t length;
    uint8_t *model = make_network_with_metadata(&spec, entry, entry != NULL, &length);
    write_bytes(position->model, model, length);
    free(model);
    struct image_file picture = make_png(1, 1, PNG_FORMAT_RGB, orange);
    write_bytes(position->picture, picture.bytes, picture.length);
    free(picture.bytes);
}

TEST(cli_metadata, classes_are_ranked_by_their_names_without_an_option)
{
    struct position position;
    begin(&position, &labels);
    struct command_run run = RUN("run", position.model, "--input", position.picture);
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, "  red    50.00 %");
    EXPECT_CONTAINS(run.out, "\n  green  20.00 %");
    EXPECT_CONTAINS(run.out, "\n  blue    0.00 %");
    EXPECT_STR(run.err, "");
    command_run_finish(&run);

    run = RUN("run", position.model, "--input", position.picture, "--json");
    json_t *json = command_run_json(&run);
    const json_t *best = json_array_get(json_object_get(json, "labels"), 0);
    EXPECT_STR(json_string_value(json_object_get(best, "label")), "red");
    EXPECT(json_number_value(json_object_get(best, "value")) == 0.5);
    EXPECT(json_number_value(json_object_get(best, "percent")) == 50);
    const json_t *output = json_array_get(json_object_get(json, "outputs"), 0);
    EXPECT_STR(json_string_value(json_object_get(output, "description")), "shares");
    json_decref(json);
    command_run_finish(&run);
    remove_dir(position.dir);
}

TEST(cli_metadata, options_come_before_the_metadata)
{
    struct position position;
    begin(&position, &labels);
    struct command_run run =
        RUN("run", position.model, "--input", position.picture, "--labels", position.labels,
            "--mean", "0,100,50", "--std", "400", "--channels", "bgr");
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, "  blau  37.50 %"); /* (200 - 50) / 400: red is last */
    EXPECT_CONTAINS(run.out, "\n  rot   12.50 %");
    EXPECT_CONTAINS(run.out, "\n  gelb  10.00 %");
    command_run_finish(&run);
    remove_dir(position.dir);
}

/* An output of class indices, as detectors have. */
TEST(cli_metadata, numbers_that_stand_for_classes_have_names_beside_them)
{
    static const struct metadata_tensor classes = {.file = "labels.txt",
                                                   .file_type = FILE_IS_VALUE_LABELS};
    static const struct metadata_spec detector = {"", "", 1, 1, &image, &classes};
    struct position position;
    begin(&position, NULL);
    size_t length;
    uint8_t *model = make_network_with_metadata(&detector, &labels, 1, &length);
    write_bytes(position.model, model, length);
    free(model);
    struct command_run run =
        RUN("run", position.model, "--input", position.picture, "--mean", "0", "--std", "100");
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, "\n  2 blue, 1.4 0.5\n");
    command_run_finish(&run);
    remove_dir(position.dir);
}

/* A score above 1 is no share of anything. */
TEST(cli_metadata, scores_of_any_scale_are_printed_as_they_are)
{
    struct position position;
    begin(&position, &labels);
    struct command_run run =
        RUN("run", position.model, "--input", position.picture, "--mean", "0", "--std", "10");
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, "  red   20\n  green 14\n  blue  5\n");
    command_run_finish(&run);
    remove_dir(position.dir);
}

TEST(cli_metadata, what_is_wrong_with_them_is_told_and_the_model_runs)
{
    struct position position;
    begin(&position, NULL);
    struct command_run run = RUN("run", position.model, "--input", position.picture);
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(
        run.err,
        "ignored in the model's metadata: output 0: labels: labels.txt: no archive is appended");
    EXPECT_CONTAINS(run.out, "output 0  scores  float32[1,1,1,3]");
    command_run_finish(&run);
    remove_dir(position.dir);
}

TEST(cli_metadata, words_that_make_no_sense_are_usage_errors)
{
    static const struct {
        const char *option, *value, *expected;
    } cases[] = {
        {"--fit", "fill", "known: stretch, crop and letterbox"},
        {"--channels", "grb", "known: rgb and bgr"},
        {"--layout", "chwn", "known: nhwc and nchw"},
        {"--mean", "1,2,", "needs a number, or up to 4 numbers"},
        {"--mean", "nan", "needs a number, or up to 4 numbers"},
        {"--std", "1,2,3,4,5", "needs a number, or up to 4 numbers"},
        {"--std", "0", "0 cannot be a divisor"},
    };
    struct position position;
    begin(&position, &labels);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct command_run run = RUN("run", position.model, "--input", position.picture,
                                     cases[i].option, cases[i].value);
        EXPECT_INT(run.status, 2);
        EXPECT_CONTAINS(run.err, cases[i].expected);
        command_run_finish(&run);
    }
    remove_dir(position.dir);
}

TEST(cli_metadata, an_input_of_open_size_gets_the_size_of_the_picture)
{
    static const uint8_t pixels[6 * 4 * 3] = {255};
    struct position position;
    begin(&position, NULL);
    size_t length;
    uint8_t *model = make_network_of_open_size(&length);
    write_bytes(position.model, model, length);
    free(model);
    struct image_file picture = make_png(6, 4, PNG_FORMAT_RGB, pixels);
    write_bytes(position.picture, picture.bytes, picture.length);
    free(picture.bytes);
    struct command_run run = RUN("run", position.model, "--input", position.picture);
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, "float32[1,4,6,3]  min 0  max 1\n  1 0 0");
    command_run_finish(&run);

    run = RUN("run", position.model, "--input", position.picture, "--shape", "0=1x2x2x3");
    EXPECT_CONTAINS(run.out, "float32[1,2,2,3]");
    EXPECT_CONTAINS(run.err, "scaled from 6 x 4 to 2 x 2 pixels");
    command_run_finish(&run);
    remove_dir(position.dir);
}
