/* Bytes change from rows to columns in squares, and one by one where no square is left. */
#include <string.h>

#include <android/NeuralNetworks.h>

#include "common/operations/operation.h"
#include "common/random.h"
#include "cpu_fallback/program/image_order.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"

enum { IMAGES = 2, MOST = 35 };

static uint8_t in[IMAGES * MOST * MOST], out[IMAGES * MOST * MOST + 1];

static void fill(void)
{
    struct hy_random random = {1};

    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)hy_random_next(&random);
    memset(out, 0x55, sizeof out);
}

/* out[image][column][row] = in[image][row][column] */
static void expect_turned(const char *what, size_t rows, size_t columns)
{
    size_t wrong = 0;

    for (size_t i = 0; i < IMAGES; i++)
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < columns; c++)
                wrong += out[(i * columns + c) * rows + r] != in[(i * rows + r) * columns + c];
    if (wrong > 0 || out[IMAGES * rows * columns] != 0x55)
        hy_test_fail(__FILE__, __LINE__, "%s of %zu rows, %zu columns: %zu bytes are wrong", what,
                     rows, columns, wrong);
}

TEST(turned_bytes, images_of_every_extent)
{
    for (uint32_t rows = 1; rows <= MOST; rows++)
        for (uint32_t columns = 1; columns <= MOST; columns++) {
            const struct hy_image_size size = {
                .batch = IMAGES, .height = 1, .width = columns, .channels = rows};

            fill();
            hy_cpu_nchw_to_nhwc(&size, 1, in, out);
            expect_turned("an image", rows, columns);
        }
}

static void transpose(uint32_t rows, uint32_t columns, uint32_t device)
{
    static const int32_t order[] = {0, 2, 1};
    const struct hy_builder_type type = hy_op_case_type(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 3,
                                                        (uint32_t[]){IMAGES, rows, columns});
    struct hy_op_case test;

    fill();
    hy_op_case_init(&test, HY_OP_TRANSPOSE);
    hy_op_case_tensor(&test, &type, in, false);
    hy_op_case_ints(&test, 1, (const uint32_t[]){3}, order, true);
    hy_op_case_output(&test, &type, out, (uint64_t)IMAGES * rows * columns);
    EXPECT_INT(hy_op_case_run(&test, device), HY_STATUS_OK);
    expect_turned("TRANSPOSE", rows, columns);
    hy_op_case_finish(&test);
}

TEST(turned_bytes, tensors_of_every_extent)
{
    for (uint32_t device = 0; device < 2; device++)
        for (uint32_t rows = 1; rows <= MOST; rows++)
            for (uint32_t columns = 1; columns <= MOST; columns++)
                transpose(rows, columns, device);
}
