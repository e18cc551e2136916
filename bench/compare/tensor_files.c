#include "bench/compare/tensor_files.h"

#include "common/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE_BYTES (UINT64_C(1) << 31)

static const struct hy_tflite_subgraph *main_graph(const struct hy_tensor_files *tensor_files)
{
    return &tensor_files->model->subgraphs[0];
}

static const struct hy_tflite_tensor *input_tensor(const struct hy_tensor_files *tensor_files,
                                                   uint32_t i)
{
    return &main_graph(tensor_files)->tensors[main_graph(tensor_files)->inputs.values[i]];
}

static const struct hy_tflite_tensor *output_tensor(const struct hy_tensor_files *tensor_files,
                                                    uint32_t i)
{
    return &main_graph(tensor_files)->tensors[main_graph(tensor_files)->outputs.values[i]];
}

enum hy_code hy_tensor_files_open(const char *dir, const char *model, struct hy_tensor_files *out,
                                  struct hy_error *err)
{
    *out = (struct hy_tensor_files){.dir = dir};
    enum hy_code code = hy_file_map(model, MAX_FILE_BYTES, &out->file, err);
    if (code == HY_OK)
        code = hy_tflite_open(out->file.bytes, out->file.length, NULL, &out->model, err);
    if (code != HY_OK)
        hy_tensor_files_close(out);
    return code;
}

void hy_tensor_files_close(struct hy_tensor_files *tensor_files)
{
    hy_tflite_close(tensor_files->model);
    hy_file_unmap(&tensor_files->file);
    tensor_files->model = NULL;
}

bool hy_tensor_files_is_float(const struct hy_tensor_files *tensor_files)
{
    return output_tensor(tensor_files, 0)->type == HY_TFLITE_FLOAT32;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void name_file(const struct hy_tensor_files *tensor_files, const char *whose, uint32_t index,
                      char path[4096])
{
    snprintf(path, 4096, "%s/%s.%u", tensor_files->dir, whose, index);
}

static enum hy_code move_file(const char *path, const char *mode, void *bytes, size_t size,
                              struct hy_error *err)
{
    FILE *file = fopen(path, mode);
    const size_t moved = !file            ? 0
                         : mode[0] == 'w' ? fwrite(bytes, 1, size, file)
                                          : fread(bytes, 1, size, file);

    if ((file && fclose(file) != 0) || moved != size)
        return hy_fail(err, HY_FAILED, "%s: %zu bytes of %zu", path, moved, size);
    return HY_OK;
}

/* The bytes of a tensor, for the caller to free. */
static enum hy_code read_tensor(const struct hy_tensor_files *tensor_files, const char *whose,
                                uint32_t index, size_t size, void **out, struct hy_error *err)
{
    char path[4096];
    void *bytes = malloc(size + 1);

    if (!bytes)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%zu bytes", size);
    name_file(tensor_files, whose, index, path);
    enum hy_code code = move_file(path, "r", bytes, size, err);
    if (code == HY_OK)
        *out = bytes;
    else
        free(bytes);
    return code;
}

static enum hy_code write_tensor(const struct hy_tensor_files *tensor_files, const char *whose,
                                 uint32_t index, void *bytes, size_t size, struct hy_error *err)
{
    char path[4096];

    name_file(tensor_files, whose, index, path);
    return move_file(path, "w", bytes, size, err);
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* Waves in both directions of an image, and a quarter of noise; from -1 to 1. */
static double wave(const struct hy_tflite_tensor *tensor, uint64_t index, struct hy_random *random)
{
    const bool is_image = tensor->rank > 2;
    const uint64_t channels = is_image ? (uint64_t)tensor->dims[tensor->rank - 1] : 1;
    const uint64_t width = is_image ? (uint64_t)tensor->dims[tensor->rank - 2] : tensor->bytes;
    const uint64_t pixel = index / channels, row = pixel / width;
    const double channel = (double)(index % channels), x = (double)(pixel % width), y = (double)row;
    const double noise = (double)(hy_random_next(random) >> 11) * 0x1p-52 - 1;

    return 0.5 * sin(0.11 * x + 0.07 * y + 2 * channel) + 0.25 * sin(0.03 * x - 0.05 * y) +
           0.25 * noise;
}

/* Tensors of other types than these are compared byte by byte. */
static uint64_t count_elements(enum hy_tflite_type type, uint64_t bytes)
{
    switch (type) {
    case HY_TFLITE_FLOAT32:
    case HY_TFLITE_INT32:
        return bytes / sizeof(int32_t);
    case HY_TFLITE_INT64:
        return bytes / sizeof(int64_t);
    default:
        return bytes;
    }
}

/* Integers are indices as a rule, of tables whose length is not known here. */
static int small_integer(struct hy_random *random)
{
    return (int)(hy_random_next(random) >> 61);
}

static void fill(const struct hy_tflite_tensor *tensor, void *buffer, struct hy_random *random)
{
    const uint64_t count = count_elements(tensor->type, tensor->bytes);

    for (uint64_t i = 0; i < count; i++) {
        switch (tensor->type) {
        case HY_TFLITE_FLOAT32:
            ((float *)buffer)[i] = (float)wave(tensor, i, random);
            break;
        case HY_TFLITE_INT8:
            ((int8_t *)buffer)[i] = (int8_t)lrint(127 * wave(tensor, i, random));
            break;
        case HY_TFLITE_UINT8:
            ((uint8_t *)buffer)[i] = (uint8_t)lrint(127.5 + 127.5 * wave(tensor, i, random));
            break;
        case HY_TFLITE_INT32:
            ((int32_t *)buffer)[i] = small_integer(random);
            break;
        case HY_TFLITE_INT64:
            ((int64_t *)buffer)[i] = small_integer(random);
            break;
        case HY_TFLITE_BOOL:
            ((uint8_t *)buffer)[i] = small_integer(random) & 1;
            break;
        default:
            ((uint8_t *)buffer)[i] = (uint8_t)(hy_random_next(random) >> 56);
        }
    }
}

enum hy_code hy_tensor_files_make_inputs(const struct hy_tensor_files *tensor_files,
                                         struct hy_error *err)
{
    struct hy_random random = {0x68616c79617264};
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < main_graph(tensor_files)->inputs.count; i++) {
        const struct hy_tflite_tensor *tensor = input_tensor(tensor_files, i);
        void *bytes = malloc((size_t)tensor->bytes + 1);
        if (!bytes)
            return hy_fail(err, HY_OUT_OF_MEMORY, "input %u", i);
        fill(tensor, bytes, &random);
        code = write_tensor(tensor_files, "input", i, bytes, (size_t)tensor->bytes, err);
        free(bytes);
    }
    return code;
}

enum hy_code hy_tensor_files_set_inputs(const struct hy_tensor_files *tensor_files,
                                        struct hy_engine_instance *instance, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < main_graph(tensor_files)->inputs.count; i++) {
        const size_t size = (size_t)input_tensor(tensor_files, i)->bytes;
        void *bytes = NULL;
        code = read_tensor(tensor_files, "input", i, size, &bytes, err);
        if (code == HY_OK)
            code = hy_engine_instance_set_input(instance, i, bytes, size, err);
        free(bytes);
    }
    return code;
}

/* ---- Outputs --------------------------------------------------------------------------------- */

enum hy_code hy_tensor_files_save_outputs(const struct hy_tensor_files *tensor_files,
                                          const struct hy_engine_instance *instance,
                                          enum hy_engine who, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < main_graph(tensor_files)->outputs.count; i++) {
        const size_t size = hy_engine_instance_output_bytes(
            instance, i, (size_t)output_tensor(tensor_files, i)->bytes);
        void *bytes = malloc(size + 1);
        if (!bytes)
            return hy_fail(err, HY_OUT_OF_MEMORY, "output %u", i);
        code = hy_engine_instance_get_output(instance, i, bytes, size, err);
        if (code == HY_OK)
            code = write_tensor(tensor_files, hy_engine_option(who), i, bytes, size, err);
        free(bytes);
    }
    return code;
}

static double element(const struct hy_tflite_tensor *tensor, const void *values, uint64_t index)
{
    switch (tensor->type) {
    case HY_TFLITE_FLOAT32:
        return ((const float *)values)[index];
    case HY_TFLITE_INT32:
        return ((const int32_t *)values)[index];
    case HY_TFLITE_INT64:
        return (double)((const int64_t *)values)[index];
    case HY_TFLITE_INT8:
        return ((const int8_t *)values)[index];
    default:
        return ((const uint8_t *)values)[index];
    }
}

static double distance(const struct hy_tflite_tensor *tensor, const struct hy_file *own,
                       const struct hy_file *theirs)
{
    const bool is_float = tensor->type == HY_TFLITE_FLOAT32;
    const uint64_t count = count_elements(tensor->type, theirs->length);
    double largest = 0, apart = 0;

    for (uint64_t i = 0; i < count; i++) {
        const double value = element(tensor, theirs->bytes, i);
        largest = fmax(largest, fabs(value));
        apart = fmax(apart, fabs(element(tensor, own->bytes, i) - value));
    }
    return is_float && largest > 0 ? apart / largest : apart;
}

static enum hy_code compare_output(const struct hy_tensor_files *tensor_files, uint32_t index,
                                   enum hy_engine own, enum hy_engine other, double *difference,
                                   struct hy_error *err)
{
    struct hy_file ours = {0}, theirs = {0};
    char path[4096];

    name_file(tensor_files, hy_engine_option(own), index, path);
    enum hy_code code = hy_file_map(path, MAX_FILE_BYTES, &ours, err);
    name_file(tensor_files, hy_engine_option(other), index, path);
    if (code == HY_OK)
        code = hy_file_map(path, MAX_FILE_BYTES, &theirs, err);
    if (code == HY_OK && ours.length != theirs.length)
        code = hy_fail(err, HY_FAILED, "output %u: %zu bytes, %zu of %s", index, ours.length,
                       theirs.length, hy_engine_name(other));
    if (code == HY_OK)
        *difference =
            fmax(*difference, distance(output_tensor(tensor_files, index), &ours, &theirs));
    hy_file_unmap(&ours);
    hy_file_unmap(&theirs);
    return code;
}

enum hy_code hy_tensor_files_compare(const struct hy_tensor_files *tensor_files, enum hy_engine own,
                                     enum hy_engine other, double *difference, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    *difference = 0;
    for (uint32_t i = 0; code == HY_OK && i < main_graph(tensor_files)->outputs.count; i++)
        code = compare_output(tensor_files, i, own, other, difference, err);
    return code;
}
