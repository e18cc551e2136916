#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#include "libhalyard/tflite/tflite_model.h"
#include "tests/unit/tools/kit/tflite_samples.h"
#include "tests/unit/tools/kit/tflite_walk.h"

/* Any bytes are either refused with words, or a model that keeps the promises of its header. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hy_tflite_model *model = NULL;
    struct hy_error err = {0};
    const enum hy_code code = hy_tflite_open(data, size, NULL, &model, &err);
    const char *wrong = NULL;
    if (code == HY_OK)
        wrong = hy_tflite_walk(model, 1 << 20);
    else if (err.text[0] == '\0' || model)
        wrong = "refused without words, or with a model";
    if (wrong) {
        fprintf(stderr, "fuzz_tflite: %s\n", wrong);
        abort();
    }
    hy_tflite_close(model);
    return 0;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    switch (index) {
    case 0:
        return hy_sample_convolution(length);
    case 1:
        return hy_sample_branches(length);
    case 2:
        return hy_sample_loop(length);
    default:
        return NULL;
    }
}
