#include "tflite_peer.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* The peer's own objects, by the names of its public C API. */
struct api {
    void *(*model_create)(const void *bytes, size_t length);
    void *(*model_create_from_file)(const char *path);
    void (*model_delete)(void *model);
    void *(*options_create)(void);
    void (*options_delete)(void *options);
    void (*options_threads)(void *options, int32_t threads);
    void (*options_add_delegate)(void *options, void *delegate);
    void (*options_use_nnapi)(void *options, bool use);
    void *(*xnnpack_create)(const void *options);
    void (*xnnpack_delete)(void *delegate);
    void *(*interpreter_create)(const void *model, const void *options);
    void (*interpreter_delete)(void *interpreter);
    int (*allocate)(void *interpreter);
    int32_t (*input_count)(const void *interpreter);
    void *(*input)(const void *interpreter, int32_t index);
    const void *(*output)(const void *interpreter, int32_t index);
    void *(*tensor_data)(const void *tensor);
    size_t (*tensor_bytes)(const void *tensor);
    int (*invoke)(void *interpreter);
};

struct hy_tflite_peer {
    void *library;
    struct api api;
    void *model;
    void *options;
    void *delegate; /* NULL for the built-in kernels */
    void *interpreter;
};

/* The first members of the delegate's options in its public header; later members stay zero. */
struct xnnpack_options {
    int32_t thread_count;
    uint32_t flags;
    char more[248];
};

#define XNNPACK_FLAG_QS8 1u
#define XNNPACK_FLAG_QU8 2u

static enum hy_code load_api(struct hy_tflite_peer *peer, struct hy_error *err)
{
    const struct {
        const char *name;
        void *member;
    } symbols[] = {
        {"TfLiteModelCreate", &peer->api.model_create},
        {"TfLiteModelCreateFromFile", &peer->api.model_create_from_file},
        {"TfLiteModelDelete", &peer->api.model_delete},
        {"TfLiteInterpreterOptionsCreate", &peer->api.options_create},
        {"TfLiteInterpreterOptionsDelete", &peer->api.options_delete},
        {"TfLiteInterpreterOptionsSetNumThreads", &peer->api.options_threads},
        {"TfLiteInterpreterOptionsAddDelegate", &peer->api.options_add_delegate},
        {"TfLiteInterpreterOptionsSetUseNNAPI", &peer->api.options_use_nnapi},
        {"TfLiteXNNPackDelegateCreate", &peer->api.xnnpack_create},
        {"TfLiteXNNPackDelegateDelete", &peer->api.xnnpack_delete},
        {"TfLiteInterpreterCreate", &peer->api.interpreter_create},
        {"TfLiteInterpreterDelete", &peer->api.interpreter_delete},
        {"TfLiteInterpreterAllocateTensors", &peer->api.allocate},
        {"TfLiteInterpreterGetInputTensorCount", &peer->api.input_count},
        {"TfLiteInterpreterGetInputTensor", &peer->api.input},
        {"TfLiteInterpreterGetOutputTensor", &peer->api.output},
        {"TfLiteTensorData", &peer->api.tensor_data},
        {"TfLiteTensorByteSize", &peer->api.tensor_bytes},
        {"TfLiteInterpreterInvoke", &peer->api.invoke},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        /* POSIX promises that a function's address fits a void pointer. */
        void *address = dlsym(peer->library, symbols[i].name);
        if (!address)
            return hy_fail(err, HY_FAILED, "TensorFlow Lite: no symbol %s", symbols[i].name);
        *(void **)symbols[i].member = address;
    }
    return HY_OK;
}

static enum hy_code add_xnnpack(struct hy_tflite_peer *peer, int32_t threads, struct hy_error *err)
{
    /* Without these flags it leaves int8 models to the built-in kernels. */
    const struct xnnpack_options options = {
        .thread_count = threads,
        .flags = XNNPACK_FLAG_QS8 | XNNPACK_FLAG_QU8,
    };
    peer->delegate = peer->api.xnnpack_create(&options);
    if (!peer->delegate)
        return hy_fail(err, HY_FAILED, "TensorFlow Lite: no XNNPACK delegate");
    peer->api.options_add_delegate(peer->options, peer->delegate);
    return HY_OK;
}

/* Where the model comes from: a file, or memory. */
struct source {
    const char *path; /* NULL for memory */
    const void *bytes;
    size_t length;
};

static enum hy_code load_model(struct hy_tflite_peer *peer, const struct source *source,
                               struct hy_error *err)
{
    const char *name = source->path ? source->path : "the model in memory";

    peer->model = source->path ? peer->api.model_create_from_file(source->path)
                               : peer->api.model_create(source->bytes, source->length);
    if (!peer->model)
        return hy_fail(err, HY_FAILED, "TensorFlow Lite: cannot read %s", name);
    peer->interpreter = peer->api.interpreter_create(peer->model, peer->options);
    if (!peer->interpreter || peer->api.allocate(peer->interpreter) != 0)
        return hy_fail(err, HY_FAILED, "TensorFlow Lite: cannot prepare %s", name);
    return HY_OK;
}

static enum hy_code set_options(struct hy_tflite_peer *peer, enum hy_tflite_kernels kernels,
                                int32_t threads, struct hy_error *err)
{
    peer->options = peer->api.options_create();
    if (!peer->options)
        return hy_fail(err, HY_OUT_OF_MEMORY, "TensorFlow Lite: options");
    peer->api.options_threads(peer->options, threads);
    if (kernels == HY_TFLITE_NNAPI)
        peer->api.options_use_nnapi(peer->options, true);
    return kernels == HY_TFLITE_XNNPACK ? add_xnnpack(peer, threads, err) : HY_OK;
}

static enum hy_code open_source(const char *library, const struct source *source,
                                enum hy_tflite_kernels kernels, int32_t threads,
                                struct hy_tflite_peer **out, struct hy_error *err)
{
    struct hy_tflite_peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return hy_fail(err, HY_OUT_OF_MEMORY, "TensorFlow Lite");

    enum hy_code code = HY_OK;
    peer->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!peer->library)
        code = hy_fail(err, HY_FAILED, "%s", dlerror());
    if (code == HY_OK)
        code = load_api(peer, err);
    if (code == HY_OK)
        code = set_options(peer, kernels, threads, err);
    if (code == HY_OK)
        code = load_model(peer, source, err);
    if (code != HY_OK) {
        hy_tflite_peer_close(peer);
        return code;
    }
    *out = peer;
    return HY_OK;
}

enum hy_code hy_tflite_peer_open(const char *library, const char *model,
                                 enum hy_tflite_kernels kernels, int32_t threads,
                                 struct hy_tflite_peer **out, struct hy_error *err)
{
    return open_source(library, &(struct source){.path = model}, kernels, threads, out, err);
}

enum hy_code hy_tflite_peer_open_bytes(const char *library, const void *bytes, size_t length,
                                       enum hy_tflite_kernels kernels, struct hy_tflite_peer **out,
                                       struct hy_error *err)
{
    return open_source(library, &(struct source){.bytes = bytes, .length = length}, kernels, 1, out,
                       err);
}

void hy_tflite_peer_close(struct hy_tflite_peer *peer)
{
    if (!peer)
        return;
    if (peer->interpreter)
        peer->api.interpreter_delete(peer->interpreter);
    if (peer->delegate)
        peer->api.xnnpack_delete(peer->delegate); /* used by the interpreter to its end */
    if (peer->options)
        peer->api.options_delete(peer->options);
    if (peer->model)
        peer->api.model_delete(peer->model);
    /* The library stays: it was not written to be unloaded. */
    free(peer);
}

int hy_tflite_peer_input_count(const struct hy_tflite_peer *peer)
{
    return peer->api.input_count(peer->interpreter);
}

void *hy_tflite_peer_input(const struct hy_tflite_peer *peer, int index, size_t *bytes)
{
    void *tensor = peer->api.input(peer->interpreter, index);
    *bytes = peer->api.tensor_bytes(tensor);
    return peer->api.tensor_data(tensor);
}

const void *hy_tflite_peer_output(const struct hy_tflite_peer *peer, int index, size_t *bytes)
{
    const void *tensor = peer->api.output(peer->interpreter, index);
    *bytes = peer->api.tensor_bytes(tensor);
    return peer->api.tensor_data(tensor);
}

enum hy_code hy_tflite_peer_run(struct hy_tflite_peer *peer, struct hy_error *err)
{
    if (peer->api.invoke(peer->interpreter) != 0)
        return hy_fail(err, HY_FAILED, "TensorFlow Lite: invoke failed");
    return HY_OK;
}
