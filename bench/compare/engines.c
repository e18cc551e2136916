#include "bench/compare/engines.h"

#include "bench/inference.h"
#include "bench/peers/onnx_peer.h"
#include "bench/peers/tflite_peer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct hy_engine_instance {
    enum hy_inference_mode mode;
    struct hy_inference *halyard; /* one of the three */
    struct hy_tflite_peer *tflite;
    struct hy_onnx_peer *onnx;
};

/* ---- Names ----------------------------------------------------------------------------------- */

static const struct {
    const char *word, *name;
} names[HY_ENGINE_COUNT] = {
    [HY_HALYARD] = {"halyard", "halyard-cpu"},
    [HY_BURST] = {"burst", "in a burst"},
    [HY_ISOLATED] = {"isolated", "isolated, in a burst"},
    [HY_BUILT_IN] = {"built-in", "TFLite built-in"},
    [HY_XNNPACK] = {"xnnpack", "TFLite XNNPACK"},
    [HY_ONNX] = {"onnx", "ONNX Runtime"},
    [HY_CLIENT] = {"client", "TFLite on Halyard"},
    [HY_REFERENCE] = {"reference", "nnapi-reference"},
};

const char *hy_engine_name(enum hy_engine who)
{
    return who < HY_ENGINE_COUNT ? names[who].name : "none";
}

const char *hy_engine_option(enum hy_engine who)
{
    return who < HY_ENGINE_COUNT ? names[who].word : "none";
}

bool hy_engine_find(const char *word, enum hy_engine *who)
{
    for (int i = 0; i < HY_ENGINE_COUNT; i++) {
        *who = (enum hy_engine)i;
        if (strcmp(names[i].word, word) == 0)
            return true;
    }
    return false;
}

bool hy_engine_is_peer(enum hy_engine who)
{
    return who == HY_BUILT_IN || who == HY_XNNPACK || who == HY_ONNX;
}

static bool is_halyard(enum hy_engine who)
{
    return who == HY_HALYARD || who == HY_BURST || who == HY_ISOLATED || who == HY_REFERENCE;
}

bool hy_engine_find_onnx(const char *path, char *out, size_t size)
{
    const char *end = strrchr(path, '.');
    const int length = end ? (int)(end - path) : (int)strlen(path);
    return snprintf(out, size, "%.*s.onnx", length, path) < (int)size && access(out, R_OK) == 0;
}

/* ---- Life ------------------------------------------------------------------------------------ */

enum hy_code hy_engine_prepare(enum hy_engine who, const struct hy_engine_model *model,
                               struct hy_error *err)
{
    uint32_t devices;

    if (is_halyard(who) || who == HY_CLIENT)
        (void)ANeuralNetworks_getDeviceCount(&devices);
    if (is_halyard(who))
        return HY_OK;
    /* The libraries stay: they were not written to be unloaded. */
    return dlopen(who == HY_ONNX ? model->onnx : model->tflite, RTLD_NOW | RTLD_LOCAL)
               ? HY_OK
               : hy_fail(err, HY_FAILED, "%s", dlerror());
}

static enum hy_code open_tflite(enum hy_engine who, const struct hy_engine_model *model,
                                struct hy_engine_instance *instance, struct hy_error *err)
{
    const enum hy_tflite_kernels kernels = who == HY_BUILT_IN  ? HY_TFLITE_BUILT_IN
                                           : who == HY_XNNPACK ? HY_TFLITE_XNNPACK
                                                               : HY_TFLITE_NNAPI;

    return hy_tflite_peer_open(model->tflite, model->path, kernels, model->threads,
                               &instance->tflite, err);
}

static enum hy_code open_onnx(const struct hy_engine_model *model,
                              struct hy_engine_instance *instance, struct hy_error *err)
{
    char path[4096];

    if (!hy_engine_find_onnx(model->path, path, sizeof path))
        return hy_fail(err, HY_FAILED, "%s: there is no .onnx file beside it", model->path);
    return hy_onnx_peer_open(model->onnx, path, model->threads, &instance->onnx, err);
}

static enum hy_code open_halyard(enum hy_engine who, const struct hy_engine_model *model,
                                 struct hy_engine_instance *instance, struct hy_error *err)
{
    const struct hy_inference_options options = {.device = who == HY_REFERENCE ? "nnapi-reference"
                                                                               : "halyard-cpu"};

    instance->mode =
        who == HY_BURST || who == HY_ISOLATED ? HY_INFERENCE_BURST : HY_INFERENCE_REUSED;
    return hy_inference_open(model->path, &options, &instance->halyard, err);
}

enum hy_code hy_engine_instance_open(enum hy_engine who, const struct hy_engine_model *model,
                                     struct hy_engine_instance **out, struct hy_error *err)
{
    struct hy_engine_instance *instance = calloc(1, sizeof *instance);
    enum hy_code code;

    if (!instance)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%s", hy_engine_name(who));
    if (is_halyard(who))
        code = open_halyard(who, model, instance, err);
    else if (who == HY_ONNX)
        code = open_onnx(model, instance, err);
    else
        code = open_tflite(who, model, instance, err);
    if (code != HY_OK) {
        hy_engine_instance_close(instance);
        return code;
    }
    *out = instance;
    return HY_OK;
}

void hy_engine_instance_close(struct hy_engine_instance *instance)
{
    if (!instance)
        return;
    hy_inference_destroy(instance->halyard);
    hy_tflite_peer_close(instance->tflite);
    hy_onnx_peer_close(instance->onnx);
    free(instance);
}

/* ---- Running --------------------------------------------------------------------------------- */

static enum hy_code check_length(size_t there, size_t here, uint32_t index, struct hy_error *err)
{
    return there == here ? HY_OK
                         : hy_fail(err, HY_FAILED, "tensor %u: %zu bytes there, %zu here", index,
                                   there, here);
}

enum hy_code hy_engine_instance_set_input(struct hy_engine_instance *instance, uint32_t index,
                                          const void *values, size_t bytes, struct hy_error *err)
{
    void *to;
    size_t there;

    if (instance->onnx)
        return hy_onnx_peer_set_input(instance->onnx, index, values, bytes, err);
    if (instance->tflite) {
        to = hy_tflite_peer_input(instance->tflite, (int)index, &there);
    } else {
        to = hy_inference_input(instance->halyard, index);
        there = (size_t)hy_inference_input_tensor(instance->halyard, index)->bytes;
    }
    enum hy_code code = check_length(there, bytes, index, err);
    if (code == HY_OK)
        memcpy(to, values, bytes);
    return code;
}

size_t hy_engine_instance_output_bytes(const struct hy_engine_instance *instance, uint32_t index,
                                       size_t in_file)
{
    size_t bytes;

    if (instance->onnx)
        return in_file;
    if (!instance->tflite)
        return hy_inference_output_bytes(instance->halyard, index);
    (void)hy_tflite_peer_output(instance->tflite, (int)index, &bytes);
    return bytes;
}

enum hy_code hy_engine_instance_get_output(const struct hy_engine_instance *instance,
                                           uint32_t index, void *values, size_t bytes,
                                           struct hy_error *err)
{
    size_t there;

    if (instance->onnx)
        return hy_onnx_peer_get_output(instance->onnx, index, values, bytes, err);
    const void *from = instance->tflite
                           ? hy_tflite_peer_output(instance->tflite, (int)index, &there)
                           : hy_inference_output(instance->halyard, index);
    if (!instance->tflite)
        there = hy_inference_output_bytes(instance->halyard, index);
    enum hy_code code = check_length(there, bytes, index, err);
    if (code == HY_OK)
        memcpy(values, from, bytes);
    return code;
}

enum hy_code hy_engine_instance_run(void *self, struct hy_error *err)
{
    struct hy_engine_instance *instance = self;

    if (instance->onnx)
        return hy_onnx_peer_run(instance->onnx, err);
    return instance->tflite ? hy_tflite_peer_run(instance->tflite, err)
                            : hy_inference_run(instance->halyard, instance->mode, err);
}
