#include "tests/kit/test.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>

#include "libhalyard/preprocess/file_map.h"
#include "libhalyard/tflite/metadata/tflite_metadata.h"
#include "libhalyard/tflite/tflite_model.h"
#include "tests/unit/tools/kit/metadata_builder.h"

static const float half_range[] = {127.5F};
static const float three_means[] = {1, 2, 3}, three_stds[] = {4, 5, 6};

static const struct metadata_tensor picture = {.name = "photo",
                                               .description = "what to\nlook at",
                                               .mean_count = 1,
                                               .std_count = 1,
                                               .means = half_range,
                                               .stds = half_range,
                                               .image_width = 320,
                                               .image_height = 240};
static const struct metadata_tensor classes = {.name = "probability",
                                               .description = "of each class",
                                               .file = "labels.txt",
                                               .file_type = FILE_IS_AXIS_LABELS};
static const struct metadata_spec spec = {.name = "Classifier",
                                          .description = "Names what it sees.",
                                          .input_count = 1,
                                          .inputs = &picture,
                                          .output_count = 1,
                                          .outputs = &classes};
static const struct zip_entry labels = {"labels.txt", "red\r\ngreen\r\nblue", 16, true};

static struct hy_tflite_metadata read_spec(const struct metadata_spec *from,
                                           const struct zip_entry *entry)
{
    size_t length;
    uint8_t *file = make_network_with_metadata(from, entry, entry != NULL, &length);
    struct hy_tflite_metadata metadata;
    hy_tflite_metadata_read(file, length, &metadata);
    struct hy_tflite_model *model = NULL; /* runs, whatever the metadata are */
    EXPECT_INT(hy_tflite_open(file, length, NULL, &model, NULL), HY_OK);
    hy_tflite_close(model);
    free(file);
    return metadata;
}

TEST(tflite_metadata, texts_means_sizes_and_labels_are_read)
{
    struct hy_tflite_metadata metadata = read_spec(&spec, &labels);
    EXPECT_STR(metadata.note, "");
    EXPECT_STR(metadata.name, "Classifier");
    EXPECT_STR(metadata.description, "Names what it sees.");
    EXPECT_STR(metadata.version, "");

    const struct hy_tflite_tensor_metadata *input = hy_tflite_metadata_input(&metadata, 0);
    EXPECT_STR(input->name, "photo");
    EXPECT_STR(input->description, "what to look at");
    EXPECT_INT(input->mean_count, 1);
    EXPECT(input->means[0] == 127.5F && input->stds[0] == 127.5F);
    EXPECT(input->image_width == 320 && input->image_height == 240);
    EXPECT_INT(input->labels.count, 0);

    const struct hy_tflite_tensor_metadata *output = hy_tflite_metadata_output(&metadata, 0);
    EXPECT_INT(output->mean_count, 0);
    REQUIRE(output->labels.count == 3);
    EXPECT_STR(output->labels.names[0], "red");
    EXPECT_STR(output->labels.names[2], "blue");
    EXPECT_INT(output->value_labels.count, 0);
    hy_tflite_metadata_finish(&metadata);
}

TEST(tflite_metadata, a_file_without_any_has_empty_ones)
{
    struct hy_builder *builder = hy_builder_create();
    size_t length;
    uint8_t *file = hy_builder_finish(builder, &length);
    struct hy_tflite_metadata metadata;
    hy_tflite_metadata_read(file, length, &metadata);
    EXPECT_STR(metadata.note, "");
    EXPECT_STR(metadata.name, "");
    EXPECT_STR(hy_tflite_metadata_input(&metadata, 0)->description, "");
    EXPECT_STR(hy_tflite_metadata_output(&metadata, 7)->name, "");
    hy_tflite_metadata_finish(&metadata);
    free(file);
}

TEST(tflite_metadata, labels_of_values_are_no_labels_of_an_axis)
{
    struct metadata_tensor boxes = classes;
    struct metadata_spec detector = spec;
    boxes.file_type = FILE_IS_VALUE_LABELS;
    detector.outputs = &boxes;
    struct hy_tflite_metadata metadata = read_spec(&detector, &labels);
    EXPECT_INT(hy_tflite_metadata_output(&metadata, 0)->labels.count, 0);
    EXPECT_INT(hy_tflite_metadata_output(&metadata, 0)->value_labels.count, 3);
    hy_tflite_metadata_finish(&metadata);

    boxes.file_type = FILE_IS_DESCRIPTION;
    metadata = read_spec(&detector, &labels);
    EXPECT_INT(hy_tflite_metadata_output(&metadata, 0)->value_labels.count, 0);
    hy_tflite_metadata_finish(&metadata);
}

TEST(tflite_metadata, one_mean_or_std_stands_for_all_channels)
{
    struct metadata_tensor channels = picture;
    struct metadata_spec from = spec;
    from.inputs = &channels;
    channels.mean_count = 3;
    channels.means = three_means;
    struct hy_tflite_metadata metadata = read_spec(&from, &labels);
    const struct hy_tflite_tensor_metadata *input = hy_tflite_metadata_input(&metadata, 0);
    EXPECT_INT(input->mean_count, 3);
    EXPECT(input->means[1] == 2 && input->stds[2] == 127.5F);
    hy_tflite_metadata_finish(&metadata);

    channels.std_count = 3;
    channels.stds = three_stds;
    metadata = read_spec(&from, &labels);
    EXPECT(hy_tflite_metadata_input(&metadata, 0)->stds[1] == 5);
    hy_tflite_metadata_finish(&metadata);
}

TEST(tflite_metadata, means_that_make_no_sense_are_left_out_with_a_note)
{
    static const float zero[] = {0}, not_a_number[] = {NAN}, five[5] = {1, 1, 1, 1, 1};
    const struct {
        uint32_t mean_count, std_count;
        const float *means, *stds;
        const char *expected;
    } cases[] = {
        {1, 1, half_range, zero, "input 0: mean 127.5 and std 0"},
        {1, 1, not_a_number, half_range, "input 0: mean nan"},
        {3, 2, three_means, three_stds, "input 0: 3 means and 2 stds"},
        {5, 5, five, five, "input 0: 5 means and 5 stds"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct metadata_tensor wrong = picture;
        struct metadata_spec from = spec;
        from.inputs = &wrong;
        wrong.mean_count = cases[i].mean_count;
        wrong.std_count = cases[i].std_count;
        wrong.means = cases[i].means;
        wrong.stds = cases[i].stds;
        struct hy_tflite_metadata metadata = read_spec(&from, &labels);
        EXPECT_INT(hy_tflite_metadata_input(&metadata, 0)->mean_count, 0);
        EXPECT_CONTAINS(metadata.note, cases[i].expected);
        EXPECT_INT(hy_tflite_metadata_output(&metadata, 0)->labels.count, 3); /* all else stays */
        hy_tflite_metadata_finish(&metadata);
    }
}

TEST(tflite_metadata, missing_label_files_are_left_out_with_a_note)
{
    struct hy_tflite_metadata metadata = read_spec(&spec, NULL);
    EXPECT_CONTAINS(metadata.note, "output 0: labels: labels.txt: no archive is appended");
    EXPECT_INT(hy_tflite_metadata_input(&metadata, 0)->mean_count, 1);
    hy_tflite_metadata_finish(&metadata);

    const struct zip_entry other = {"other.txt", "", 0, false};
    metadata = read_spec(&spec, &other);
    EXPECT_CONTAINS(metadata.note, "labels.txt: the entry is not in the appended archive");
    hy_tflite_metadata_finish(&metadata);
}

TEST(tflite_metadata, label_files_beyond_the_limit_are_left_out_with_a_note)
{
    enum { BOMB = 5 << 20 };
    char *text = malloc(BOMB);
    REQUIRE(text);
    memset(text, '\n', BOMB);
    const struct zip_entry bomb = {"labels.txt", text, BOMB, true};
    struct hy_tflite_metadata metadata = read_spec(&spec, &bomb);
    EXPECT_CONTAINS(metadata.note, "labels.txt: the entry has 5242880 bytes, the limit is");
    hy_tflite_metadata_finish(&metadata);
    free(text);
}

/* The outputs of one file name the same labels: all texts together have a limit. */
TEST(tflite_metadata, many_outputs_share_one_limit)
{
    enum { OUTPUTS = 20, TEXT = 1 << 20 };
    struct metadata_tensor outputs[OUTPUTS];
    struct metadata_spec from = spec;
    char *text = malloc(TEXT);
    REQUIRE(text);
    memset(text, 'a', TEXT);
    for (unsigned i = 0; i < OUTPUTS; i++)
        outputs[i] = classes;
    from.outputs = outputs;
    from.output_count = OUTPUTS;
    const struct zip_entry large = {"labels.txt", text, TEXT, true};
    struct hy_tflite_metadata metadata = read_spec(&from, &large);
    EXPECT_INT(metadata.output_count, OUTPUTS);
    EXPECT_INT(hy_tflite_metadata_output(&metadata, 0)->labels.count, 1);
    EXPECT_INT(hy_tflite_metadata_output(&metadata, OUTPUTS - 1)->labels.count, 0);
    EXPECT_CONTAINS(metadata.note, "the limit is");
    hy_tflite_metadata_finish(&metadata);
    free(text);
}

TEST(tflite_metadata, a_broken_flatbuffer_is_left_out_whole)
{
    size_t length;
    uint8_t *file = make_network_with_metadata(&spec, &labels, 1, &length);
    size_t at = 0;
    while (at + 4 < length && memcmp(file + at, "M001", 4) != 0)
        at++;
    REQUIRE(at + 4 < length);
    memset(file + at - 4, 0x7f, 4); /* the root offset */
    struct hy_tflite_metadata metadata;
    hy_tflite_metadata_read(file, length, &metadata);
    EXPECT_CONTAINS(metadata.note, "all: table at byte");
    EXPECT_STR(metadata.name, "");
    EXPECT_INT(metadata.input_count + metadata.output_count, 0);
    hy_tflite_metadata_finish(&metadata);

    memcpy(file + at, "M002", 4);
    hy_tflite_metadata_read(file, length, &metadata);
    EXPECT_CONTAINS(metadata.note, "not the file identifier \"M001\"");
    hy_tflite_metadata_finish(&metadata);
    free(file);
}

/* A file whose only buffer, that of the metadata, lies behind the FlatBuffer; `reach` more bytes
 * than there are. */
static uint8_t *make_far_metadata(uint32_t reach, size_t *length)
{
    static const struct hy_fbw_field root_fields[] = {{4, 4, 0}, {6, 4, 0}};
    static const struct hy_fbw_field buffer_fields[] = {{1, 8, 0}, {2, 8, 0}};
    static const struct hy_fbw_field entry_fields[] = {{0, 4, 0}, {1, 4, 0}};
    struct hy_fbw writer;
    hy_fbw_start(&writer, "TFL3");
    const size_t root = hy_fbw_table(&writer, root_fields, 2);
    hy_fbw_link_at(&writer, 0, root);
    const size_t buffers = hy_fbw_vector(&writer, 4, 1, NULL);
    hy_fbw_link(&writer, root, 4, buffers);
    const size_t buffer = hy_fbw_table(&writer, buffer_fields, 2);
    hy_fbw_link_element(&writer, buffers, 0, buffer);
    const size_t entries = hy_fbw_vector(&writer, 4, 1, NULL);
    hy_fbw_link(&writer, root, 6, entries);
    const size_t entry = hy_fbw_table(&writer, entry_fields, 2);
    hy_fbw_link_element(&writer, entries, 0, entry);
    hy_fbw_link(&writer, entry, 0, hy_fbw_string(&writer, "TFLITE_METADATA"));

    size_t metadata_length;
    uint8_t *metadata = make_metadata(&spec, &metadata_length);
    const size_t at = hy_fbw_vector(&writer, 1, (uint32_t)metadata_length, metadata) + 4;
    hy_fbw_put(&writer, hy_fbw_position(&writer, buffer, 1), at, 8);
    hy_fbw_put(&writer, hy_fbw_position(&writer, buffer, 2), metadata_length + reach, 8);
    free(metadata);
    *length = writer.length;
    return writer.bytes;
}

TEST(tflite_metadata, a_buffer_behind_the_flatbuffer_is_read_as_far_as_the_file_goes)
{
    size_t length;
    uint8_t *file = make_far_metadata(0, &length);
    struct hy_tflite_metadata metadata;
    hy_tflite_metadata_read(file, length, &metadata);
    EXPECT_STR(metadata.name, "Classifier");
    hy_tflite_metadata_finish(&metadata);
    free(file);

    file = make_far_metadata(1, &length);
    hy_tflite_metadata_read(file, length, &metadata);
    EXPECT_STR(metadata.name, "");
    EXPECT_CONTAINS(metadata.note, "all: buffer 0 is empty, or not in the file");
    hy_tflite_metadata_finish(&metadata);
    free(file);
}

/* Files of other tools' makers: nothing of theirs is left out, and some name their classes. */
TEST(tflite_metadata, real_files_are_read_without_a_note)
{
    char path[512];
    if (!hy_test_shared_dir())
        return;
    snprintf(path, sizeof path, "%s/zoo/models", hy_test_shared_dir());
    DIR *dir = opendir(path);
    unsigned named = 0, with_labels = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct hy_file file = {0};
        snprintf(path, sizeof path, "%s/zoo/models/%s", hy_test_shared_dir(), entry->d_name);
        if (entry->d_name[0] == '.' || hy_file_map(path, UINT32_MAX, &file, NULL) != HY_OK)
            continue;
        struct hy_tflite_metadata metadata;
        hy_tflite_metadata_read(file.bytes, file.length, &metadata);
        EXPECT_STR(metadata.note, "");
        named += metadata.name[0] != '\0';
        with_labels += hy_tflite_metadata_output(&metadata, 0)->labels.count > 900;
        hy_tflite_metadata_finish(&metadata);
        hy_file_unmap(&file);
    }
    if (dir)
        closedir(dir);
    EXPECT(named >= 5 && with_labels >= 4);
}
