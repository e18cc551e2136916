/* A model that halyard-cpu refuses, compiled with a cache: the device is asked only if the cache
 * does not have the model. */
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/cached_add.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>

enum { REFUSED = 3, ACCEPTED = 4 }; /* elements of the output */

/* ADD of two tensors of 4 elements. */
static ANeuralNetworksModel *make_model(uint32_t output_elements)
{
    static const uint32_t elements = 4;
    static const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    const ANeuralNetworksOperandType integer = {.type = ANEURALNETWORKS_INT32};
    ANeuralNetworksOperandType tensor = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &elements};
    ANeuralNetworksModel *model = NULL;

    ANeuralNetworksModel_create(&model);
    ANeuralNetworksModel_addOperand(model, &tensor);
    ANeuralNetworksModel_addOperand(model, &tensor);
    ANeuralNetworksModel_addOperand(model, &integer);
    tensor.dimensions = &output_elements;
    ANeuralNetworksModel_addOperand(model, &tensor);
    ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof none);
    ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, (const uint32_t[]){0, 1, 2}, 1,
                                      (const uint32_t[]){3});
    ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, (const uint32_t[]){0, 1}, 1,
                                                  (const uint32_t[]){3});
    EXPECT_INT(ANeuralNetworksModel_finish(model), ANEURALNETWORKS_NO_ERROR);
    return model;
}

/* Returns the code; `folder` NULL: without a cache. */
static int compile(uint32_t output_elements, const char *dir, char message[1024])
{
    static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {7};
    const ANeuralNetworksDevice *cpu = device_named("halyard-cpu");
    ANeuralNetworksModel *model = make_model(output_elements);
    ANeuralNetworksCompilation *compilation = NULL;

    halyard_clear_last_error();
    ANeuralNetworksCompilation_createForDevices(model, &cpu, 1, &compilation);
    if (dir)
        ANeuralNetworksCompilation_setCaching(compilation, dir, token);
    const int code = ANeuralNetworksCompilation_finish(compilation);
    snprintf(message, 1024, "%s", halyard_last_error());
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return code;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

TEST(caching_refusals, a_refusal_has_the_words_that_it_has_without_a_cache)
{
    char dir[] = "/tmp/halyard-test-XXXXXX", plain[1024], cached[1024];

    REQUIRE(mkdtemp(dir) != NULL);
    EXPECT_INT(compile(REFUSED, NULL, plain), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(plain, "no device supports the operation: halyard-cpu: ");
    for (int i = 0; i < 2; i++) { /* the first leaves nothing that the second would find */
        EXPECT_INT(compile(REFUSED, dir, cached), ANEURALNETWORKS_BAD_DATA);
        EXPECT_STR(cached, plain);
    }
    nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

TEST(caching_refusals, a_model_in_the_cache_does_not_let_another_in)
{
    char dir[] = "/tmp/halyard-test-XXXXXX", message[1024];

    REQUIRE(mkdtemp(dir) != NULL);
    EXPECT_INT(compile(ACCEPTED, dir, message), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(compile(ACCEPTED, dir, message), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(compile(REFUSED, dir, message), ANEURALNETWORKS_BAD_DATA);
    nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
