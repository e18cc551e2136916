#include "tests/kit/test.h"

#include <png.h>
#include <stdlib.h>

#include "libhalyard/graph/propagate.h"
#include "libhalyard/preprocess/image.h"
#include "libhalyard/tflite/metadata/tflite_metadata.h"
#include "libhalyard/tflite/tflite_graph.h"
#include "tests/unit/tools/kit/jpeg_writer.h"
#include "tests/unit/tools/kit/metadata_builder.h"
#include "tests/unit/tools/kit/tflite_samples.h"

/* The linker sends the allocations of this program's own code here (--wrap in meson.build); the one
 * that brings the count to 0 fails. */
static unsigned countdown;

void *__real_calloc(size_t count, size_t size);
void *__real_malloc(size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
    return countdown && --countdown == 0 ? NULL : __real_calloc(count, size);
}

void *__wrap_malloc(size_t size)
{
    return countdown && --countdown == 0 ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return countdown && --countdown == 0 ? NULL : __real_realloc(memory, size);
}

static void expect_out_of_memory(enum hy_code code, const struct hy_error *err, unsigned allocation)
{
    if (code != HY_OUT_OF_MEMORY || !err->text[0])
        hy_test_fail(__FILE__, __LINE__, "allocation %u: %s, \"%s\"", allocation,
                     hy_code_name(code), err->text);
    else
        CU_PASS("told");
}

TEST(out_of_memory, each_failing_allocation_of_a_model_is_told_and_undone)
{
    size_t length;
    uint8_t *bytes = hy_sample_convolution(&length);
    struct hy_tflite_model *model = NULL;
    unsigned failures = 0;
    for (enum hy_code code = HY_OUT_OF_MEMORY; code != HY_OK && failures < 1000;) {
        struct hy_error err = {0};
        countdown = ++failures;
        code = hy_tflite_open(bytes, length, NULL, &model, &err);
        countdown = 0;
        if (code != HY_OK)
            expect_out_of_memory(code, &err, failures);
    }
    EXPECT(failures > 20 && failures < 1000);
    hy_tflite_close(model);
    free(bytes);
}

TEST(out_of_memory, each_failing_allocation_of_a_graph_with_bodies_is_told_and_undone)
{
    size_t length;
    uint8_t *bytes = hy_sample_loop(&length);
    struct hy_tflite_model *model = NULL;
    unsigned failures = 0;
    REQUIRE(hy_tflite_open(bytes, length, NULL, &model, NULL) == HY_OK);
    for (enum hy_code code = HY_OUT_OF_MEMORY; code != HY_OK && failures < 1000;) {
        struct hy_graph graph = {0};
        struct hy_error err = {0};
        countdown = ++failures;
        code = hy_tflite_graph(model, 0, &graph, &err);
        if (code == HY_OK)
            code = hy_graph_propagate(&graph, &err);
        countdown = 0;
        if (code != HY_OK)
            expect_out_of_memory(code, &err, failures);
        hy_graph_finish(&graph);
    }
    EXPECT(failures > 20 && failures < 1000);
    hy_tflite_close(model);
    free(bytes);
}

static enum hy_code fill_from(const struct image_file *file, const struct hy_input_spec *spec,
                              uint8_t *out, struct hy_error *err)
{
    struct hy_picture picture = {0};
    struct hy_input_note note;
    enum hy_code code = hy_picture_decode(file->bytes, file->length, &picture, err);
    if (code != HY_OK)
        return code;
    const struct hy_pixels pixels = hy_picture_pixels(&picture);
    code = hy_image_fill(&pixels, spec, out, &note, err);
    hy_picture_finish(&picture);
    return code;
}

/* How many allocations failed, one after the other, until a picture of 2 x 2 pixels fills a tensor
 * of another size. */
static unsigned fail_each_allocation(const struct image_file *file)
{
    static const int32_t dims[] = {1, 1, 1, 3};
    const struct hy_input_spec spec = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = dims};
    uint8_t out[3];
    unsigned failures = 0;
    for (enum hy_code code = HY_OUT_OF_MEMORY; code != HY_OK && failures < 100;) {
        struct hy_error err = {0};
        countdown = ++failures;
        code = fill_from(file, &spec, out, &err);
        countdown = 0;
        if (code != HY_OK)
            expect_out_of_memory(code, &err, failures);
    }
    return failures - 1;
}

/* Pixels, pixels without alpha, the frame, two rows, the weights across and down, the windows. */
TEST(out_of_memory, each_failing_allocation_of_a_png_is_told_and_undone)
{
    static const uint8_t pixels[2 * 2 * 4];
    struct image_file file = make_png(2, 2, PNG_FORMAT_RGBA, pixels);
    EXPECT_INT(fail_each_allocation(&file), 8);
    free(file.bytes);
}

/* The reader, a row of inks, pixels and pixels turned, and what scaling needs. */
TEST(out_of_memory, each_failing_allocation_of_a_jpeg_is_told_and_undone)
{
    static const uint8_t pixels[2 * 2 * 4];
    struct image_file file = make_jpeg(&(struct jpeg_spec){
        .width = 2, .height = 2, .channels = 4, .pixels = pixels, .orientation = 6});
    EXPECT_INT(fail_each_allocation(&file), 10);
    free(file.bytes);
}

/* The texts and structs, the unpacked file, the labels. */
TEST(out_of_memory, each_failing_allocation_of_metadata_leaves_something_out_with_a_note)
{
    static const struct metadata_tensor scores = {
        .name = "scores", .file = "labels.txt", .file_type = FILE_IS_AXIS_LABELS};
    static const struct metadata_spec fields = {"name", "description", 0, 1, NULL, &scores};
    static const struct zip_entry labels = {"labels.txt", "cat\ndog\n", 8, true};
    size_t length;
    uint8_t *file = make_network_with_metadata(&fields, &labels, 1, &length);
    unsigned failures = 0;
    for (bool has_failed = true; has_failed && failures < 100;) {
        struct hy_tflite_metadata metadata;
        countdown = ++failures;
        hy_tflite_metadata_read(file, length, &metadata);
        has_failed = countdown == 0;
        countdown = 0;
        EXPECT((metadata.note[0] != '\0') == has_failed);
        hy_tflite_metadata_finish(&metadata);
    }
    EXPECT(failures >= 3 && failures < 100);
    free(file);
}
