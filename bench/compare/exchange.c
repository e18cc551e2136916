#include "bench/compare/exchange.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE_BYTES (UINT64_C(1) << 31)

static const struct hy_tflite_subgraph *main_graph(const struct hy_exchange *exchange)
{
    return &exchange->model->subgraphs[0];
}

static const struct hy_tflite_tensor *input_tensor(const struct hy_exchange *exchange, uint32_t i)
{
    return &main_graph(exchange)->tensors[main_graph(exchange)->inputs.values[i]];
}

static const struct hy_tflite_tensor *output_tensor(const struct hy_exchange *exchange, uint32_t i)
{
    return &main_graph(exchange)->tensors[main_graph(exchange)->outputs.values[i]];
}

enum hy_code hy_exchange_open(const char *folder, const char *model, struct hy_exchange *out,
                              struct hy_error *err)
{
    *out = (struct hy_exchange){.folder = folder};
    enum hy_code code = hy_file_map(model, MAX_FILE_BYTES, &out->file, err);
    if (code == HY_OK)
        code = hy_tflite_open(out->file.bytes, out->file.length, NULL, &out->model, err);
    if (code != HY_OK)
        hy_exchange_close(out);
    return code;
}

void hy_exchange_close(struct hy_exchange *exchange)
{
    hy_tflite_close(exchange->model);
    hy_file_unmap(&exchange->file);
    exchange->model = NULL;
}

bool hy_exchange_is_float(const struct hy_exchange *exchange)
{
    return output_tensor(exchange, 0)->type == HY_TFLITE_FLOAT32;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void name_file(const struct hy_exchange *exchange, const char *whose, uint32_t index,
                      char path[4096])
{
    snprintf(path, 4096, "%s/%s.%u", exchange->folder, whose, index);
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
static enum hy_code read_tensor(const struct hy_exchange *exchange, const char *whose,
                                uint32_t index, size_t size, void **out, struct hy_error *err)
{
    char path[4096];
    void *bytes = malloc(size + 1);

    if (!bytes)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%zu bytes", size);
    name_file(exchange, whose, index, path);
    enum hy_code code = move_file(path, "r", bytes, size, err);
    if (code == HY_OK)
        *out = bytes;
    else
        free(bytes);
    return code;
}

static enum hy_code write_tensor(const struct hy_exchange *exchange, const char *whose,
                                 uint32_t index, void *bytes, size_t size, struct hy_error *err)
{
    char path[4096];

    name_file(exchange, whose, index, path);
    return move_file(path, "w", bytes, size, err);
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void fill_random(const struct hy_tflite_tensor *tensor, void *buffer, uint64_t *state)
{
    if (tensor->type == HY_TFLITE_FLOAT32) {
        float *values = buffer;
        for (uint64_t i = 0; i < tensor->bytes / sizeof *values; i++)
            values[i] = (float)(next_random(state) >> 40) * 0x1p-24f;
    } else {
        uint8_t *values = buffer;
        for (uint64_t i = 0; i < tensor->bytes; i++)
            values[i] = (uint8_t)(next_random(state) >> 56);
    }
}

enum hy_code hy_exchange_make_inputs(const struct hy_exchange *exchange, struct hy_error *err)
{
    uint64_t state = 0x68616c79617264;
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < main_graph(exchange)->inputs.count; i++) {
        const struct hy_tflite_tensor *tensor = input_tensor(exchange, i);
        void *bytes = malloc((size_t)tensor->bytes + 1);
        if (!bytes)
            return hy_fail(err, HY_OUT_OF_MEMORY, "input %u", i);
        fill_random(tensor, bytes, &state);
        code = write_tensor(exchange, "input", i, bytes, (size_t)tensor->bytes, err);
        free(bytes);
    }
    return code;
}

enum hy_code hy_exchange_give(const struct hy_exchange *exchange, struct hy_entrant *entrant,
                              struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < main_graph(exchange)->inputs.count; i++) {
        const size_t size = (size_t)input_tensor(exchange, i)->bytes;
        void *bytes = NULL;
        code = read_tensor(exchange, "input", i, size, &bytes, err);
        if (code == HY_OK)
            code = hy_entrant_set_input(entrant, i, bytes, size, err);
        free(bytes);
    }
    return code;
}

/* ---- Outputs --------------------------------------------------------------------------------- */

enum hy_code hy_exchange_take(const struct hy_exchange *exchange, const struct hy_entrant *entrant,
                              enum hy_contestant who, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < main_graph(exchange)->outputs.count; i++) {
        const size_t size = (size_t)output_tensor(exchange, i)->bytes;
        void *bytes = malloc(size + 1);
        if (!bytes)
            return hy_fail(err, HY_OUT_OF_MEMORY, "output %u", i);
        code = hy_entrant_get_output(entrant, i, bytes, size, err);
        if (code == HY_OK)
            code = write_tensor(exchange, hy_contestant_word(who), i, bytes, size, err);
        free(bytes);
    }
    return code;
}

static double element(const struct hy_tflite_tensor *tensor, const void *values, uint64_t index)
{
    switch (tensor->type) {
    case HY_TFLITE_FLOAT32:
        return ((const float *)values)[index];
    case HY_TFLITE_INT8:
        return ((const int8_t *)values)[index];
    default:
        return ((const uint8_t *)values)[index];
    }
}

static double distance(const struct hy_tflite_tensor *tensor, const void *own, const void *theirs)
{
    const bool is_float = tensor->type == HY_TFLITE_FLOAT32;
    double largest = 0, apart = 0;

    for (uint64_t i = 0; i < tensor->bytes / (is_float ? sizeof(float) : 1); i++) {
        const double value = element(tensor, theirs, i);
        largest = fmax(largest, fabs(value));
        apart = fmax(apart, fabs(element(tensor, own, i) - value));
    }
    return is_float && largest > 0 ? apart / largest : apart;
}

enum hy_code hy_exchange_compare(const struct hy_exchange *exchange, enum hy_contestant own,
                                 enum hy_contestant other, double *difference, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    *difference = 0;
    for (uint32_t i = 0; code == HY_OK && i < main_graph(exchange)->outputs.count; i++) {
        const struct hy_tflite_tensor *tensor = output_tensor(exchange, i);
        const size_t size = (size_t)tensor->bytes;
        void *ours = NULL, *theirs = NULL;
        code = read_tensor(exchange, hy_contestant_word(own), i, size, &ours, err);
        if (code == HY_OK)
            code = read_tensor(exchange, hy_contestant_word(other), i, size, &theirs, err);
        if (code == HY_OK)
            *difference = fmax(*difference, distance(tensor, ours, theirs));
        free(ours);
        free(theirs);
    }
    return code;
}
