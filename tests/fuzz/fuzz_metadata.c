#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/printable.h"
#include "libhalyard/tflite/metadata/tflite_metadata.h"
#include "tests/unit/tools/kit/metadata_builder.h"

enum { MOST_TEXT = 4 << 20 };

static const char *check_labels(const struct hy_label_list *labels)
{
    for (uint32_t i = 0; i < labels->count; i++)
        if (!hy_text_is_clean(labels->names[i]))
            return "a label that is not printable";
    return labels->count > MOST_TEXT ? "labels beyond the limit" : NULL;
}

static const char *check_tensor(const struct hy_tflite_tensor_metadata *tensor)
{
    if (!hy_text_is_clean(tensor->name) || !hy_text_is_clean(tensor->description))
        return "a text that is not printable";
    for (uint32_t i = 0; i < tensor->mean_count; i++)
        if (i >= HY_METADATA_MAX_CHANNELS || !isfinite(tensor->means[i]) ||
            !isfinite(tensor->stds[i]) || tensor->stds[i] == 0)
            return "a mean or std that is no number to divide by";
    const char *wrong = check_labels(&tensor->labels);
    return wrong ? wrong : check_labels(&tensor->value_labels);
}

/* Any file has metadata that keep the promises of their header. */
static const char *check(const struct hy_tflite_metadata *metadata)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; !wrong && i <= metadata->input_count; i++)
        wrong = check_tensor(hy_tflite_metadata_input(metadata, i));
    for (uint32_t i = 0; !wrong && i <= metadata->output_count; i++)
        wrong = check_tensor(hy_tflite_metadata_output(metadata, i));
    if (!hy_text_is_clean(metadata->name) || !hy_text_is_clean(metadata->description) ||
        !hy_text_is_clean(metadata->note))
        wrong = "a text that is not printable";
    return wrong;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hy_tflite_metadata metadata;
    hy_tflite_metadata_read(data, size, &metadata);
    const char *wrong = check(&metadata);
    hy_tflite_metadata_finish(&metadata);
    if (wrong) {
        fprintf(stderr, "fuzz_metadata: %s\n", wrong);
        abort();
    }
    return 0;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    static const float numbers[] = {127.5F, 1, 2};
    static const struct metadata_tensor inputs[] = {
        {"photo", "a photo", 1, 1, numbers, numbers, 224, 224, NULL, 0},
        {"", "", 3, 3, numbers, numbers, 0, 0, "vocabulary.txt", 5},
    };
    static const struct metadata_tensor outputs[] = {
        {.name = "scores", .file = "labels.txt", .file_type = FILE_IS_AXIS_LABELS},
        {.name = "classes", .file = "classes.txt", .file_type = FILE_IS_VALUE_LABELS},
    };
    static const struct metadata_spec spec = {"network", "of two outputs", 2, 2, inputs, outputs};
    static const struct zip_entry entries[] = {
        {"labels.txt", "cat\ndog\ndog\ndog\ndog\n", 20, true},
        {"classes.txt", "a\r\nb\r\n", 6, false},
    };
    if (index > 1)
        return NULL;
    return make_network_with_metadata(&spec, entries, index ? 2 : 0, length);
}
