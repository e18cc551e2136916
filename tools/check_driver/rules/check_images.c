/* Images as arguments, right or refused: B39. */
#include <android/NeuralNetworks.h>
#include <android/hardware_buffer.h>
#include <string.h>

#include "tools/check_driver/rules/check.h"

#define GAP_BYTE 0xc5

/* A request with an image as an argument. */
struct image_case {
    struct hy_sample sample;
    struct hy_memory memory;
    struct hy_image image;
    struct hy_pool pools[3];
};

/* An image of so many pixels of four bytes, with rows `stride` pixels apart. */
static bool make_image(struct image_case *test_case, const struct hy_image *image)
{
    const size_t bytes = (size_t)image->stride * image->height * 4;
    test_case->image = *image;
    if (hy_memory_create(HY_POOL_HARDWARE_BUFFER, bytes, &test_case->memory, NULL) != HY_OK)
        return false;
    memset(test_case->memory.bytes, GAP_BYTE, test_case->memory.size);
    test_case->pools[0] = test_case->sample.test_case.pools[0];
    test_case->pools[1] = test_case->sample.test_case.pools[1];
    test_case->pools[2] = hy_memory_pool(&test_case->memory, HY_POOL_HARDWARE_BUFFER,
                                         HY_PROTECT_READ | HY_PROTECT_WRITE);
    test_case->pools[2].size = bytes;
    test_case->pools[2].image = &test_case->image;
    test_case->sample.test_case.request.pools = test_case->pools;
    test_case->sample.test_case.request.pool_count = 3;
    return true;
}

static int32_t run(struct hy_check *check, struct image_case *test_case, uint32_t argument)
{
    struct hy_location *at = &test_case->sample.test_case.arguments[argument].location;
    const struct hy_location own = *at;
    *at = (struct hy_location){.pool = 2};
    const int32_t status =
        hy_call_execute(check, test_case->sample.prepared, &test_case->sample.test_case);
    *at = own;
    return status;
}

/* ---- Images that do not match the tensor ----------------------------------------------------- */

static void check_foreign(struct hy_check *check, const struct hy_vector *vector, bool is_output)
{
    static const struct hy_image image = {.width = 61,
                                          .height = 3,
                                          .layers = 1,
                                          .format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
                                          .stride = 64};
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    struct image_case test_case = {.memory = {.fd = -1}};
    if (hy_sample_make(check, HY_RULE_B39, vector, &form, &test_case.sample) &&
        make_image(&test_case, &image)) {
        hy_result_page_step(check->page, HY_RULE_B39, "executing %s with a foreign image as %s",
                            vector->name, is_output ? "output" : "input");
        const int32_t status =
            run(check, &test_case, is_output ? test_case.sample.test_case.input_count : 0);
        if (status != HY_STATUS_GENERAL_FAILURE && status != HY_STATUS_INVALID_ARGUMENT)
            hy_result_page_report(check->page, HY_RULE_B39,
                                  "%s with an image that does not match its %s: %s", vector->name,
                                  is_output ? "output" : "input", hy_status_text(status));
    }
    hy_memory_destroy(&test_case.memory);
    hy_sample_finish(check, &test_case.sample);
}

/* ---- An image that is the tensor ------------------------------------------------------------- */

/* A float32 tensor of rank 2 is an image of format D32_FLOAT. */
static bool is_picture(const struct hy_vector *vector)
{
    const struct hy_vector_model *model = &vector->models[0];
    const struct hy_vector_operand *input = &model->operands[model->inputs.items[0]];
    return input->type == ANEURALNETWORKS_TENSOR_FLOAT32 && input->rank == 2;
}

/* Rows lie `stride` pixels apart: a driver that assumes contiguous rows reads the gaps. */
static void check_own(struct hy_check *check, const struct hy_vector *vector, uint32_t gap)
{
    const struct hy_vector_model *model = &vector->models[0];
    const uint32_t *dims = model->operands[model->inputs.items[0]].dims;
    const struct hy_image image = {.width = dims[1],
                                   .height = dims[0],
                                   .layers = 1,
                                   .format = AHARDWAREBUFFER_FORMAT_D32_FLOAT,
                                   .stride = dims[1] + gap};
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    struct image_case test_case = {.memory = {.fd = -1}};
    struct hy_error reason;
    if (hy_sample_make(check, HY_RULE_B39, vector, &form, &test_case.sample) &&
        make_image(&test_case, &image)) {
        const uint8_t *rows = vector->examples[0].inputs[0].bytes;
        for (size_t row = 0; row < dims[0]; row++)
            memcpy(test_case.memory.bytes + row * image.stride * 4, rows + row * dims[1] * 4,
                   (size_t)dims[1] * 4);
        hy_result_page_step(check->page, HY_RULE_B39, "executing %s with an image", vector->name);
        const int32_t status = run(check, &test_case, 0);
        if (status != HY_STATUS_GENERAL_FAILURE &&
            hy_request_case_check(&test_case.sample.test_case, status, &reason) !=
                HY_REQUEST_CASE_OK)
            hy_result_page_report(check->page, HY_RULE_B39,
                                  "%s with an image, rows %u pixels apart: %s", vector->name,
                                  image.stride, reason.text);
    }
    hy_memory_destroy(&test_case.memory);
    hy_sample_finish(check, &test_case.sample);
}

void hy_check_images(struct hy_check *check)
{
    const struct hy_vector *vector;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        if (vector->models[0].inputs.count == 0 || vector->examples[0].inputs[0].length == 0)
            continue;
        check_foreign(check, vector, false);
        check_foreign(check, vector, true);
        if (is_picture(vector)) {
            check_own(check, vector, 0);
            check_own(check, vector, 13);
        }
    }
    hy_result_page_pass(check->page, HY_RULE_B39);
}
