#include "tests/test.h"

#include <png.h>
#include <stdlib.h>

#include "libhalyard/graph/propagate.h"
#include "libhalyard/preprocess/input.h"
#include "libhalyard/tflite/tflite_graph.h"
#include "tests/tools/tflite_samples.h"

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

static void expect_told(enum hy_code code, const struct hy_error *err, unsigned allocation)
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
            expect_told(code, &err, failures);
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
            expect_told(code, &err, failures);
        hy_graph_finish(&graph);
    }
    EXPECT(failures > 20 && failures < 1000);
    hy_tflite_close(model);
    free(bytes);
}

TEST(out_of_memory, each_failing_allocation_of_an_image_is_told_and_undone)
{
    static const int32_t dims[] = {1, 1, 1, 3};
    static const uint8_t pixels[2 * 2 * 3];
    const struct hy_input_spec spec = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = dims};
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = 2, .height = 2, .format = PNG_FORMAT_RGB};
    uint8_t file[1024], out[3];
    png_alloc_size_t length = sizeof file;
    REQUIRE(png_image_write_to_memory(&image, file, &length, 0, pixels, 0, NULL));

    unsigned failures = 0;
    for (enum hy_code code = HY_OUT_OF_MEMORY; code != HY_OK && failures < 100;) {
        struct hy_error err = {0};
        countdown = ++failures;
        code = hy_input_decode("x.png", file, length, &spec, out, sizeof out, NULL, &err);
        countdown = 0;
        if (code != HY_OK)
            expect_told(code, &err, failures);
    }
    EXPECT_INT(failures, 4); /* pixels, scaled pixels, a row; then all is well */
}
