#include "bench/peers/onnx_peer.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Indices in the table of functions, which never change: its first version ends with number 101. */
enum {
    GET_ERROR_MESSAGE = 2,
    CREATE_ENV = 3,
    CREATE_SESSION = 7,
    RUN = 9,
    CREATE_SESSION_OPTIONS = 10,
    SET_SESSION_GRAPH_OPTIMIZATION_LEVEL = 23,
    SET_INTRA_OP_NUM_THREADS = 24,
    SET_INTER_OP_NUM_THREADS = 25,
    SESSION_GET_INPUT_COUNT = 30,
    SESSION_GET_OUTPUT_COUNT = 31,
    SESSION_GET_INPUT_TYPE_INFO = 33,
    SESSION_GET_OUTPUT_TYPE_INFO = 34,
    SESSION_GET_INPUT_NAME = 36,
    SESSION_GET_OUTPUT_NAME = 37,
    CREATE_TENSOR_WITH_DATA_AS_ORT_VALUE = 49,
    CAST_TYPE_INFO_TO_TENSOR_INFO = 55,
    GET_TENSOR_ELEMENT_TYPE = 60,
    GET_DIMENSIONS_COUNT = 61,
    GET_DIMENSIONS = 62,
    CREATE_CPU_MEMORY_INFO = 69,
    GET_ALLOCATOR_WITH_DEFAULT_OPTIONS = 78,
    RELEASE_ENV = 92,
    RELEASE_STATUS = 93,
    RELEASE_MEMORY_INFO = 94,
    RELEASE_SESSION = 95,
    RELEASE_VALUE = 96,
    RELEASE_TYPE_INFO = 98,
    RELEASE_SESSION_OPTIONS = 100,
};

enum { API_VERSION = 1, WARNINGS = 2, ALL_OPTIMISATIONS = 99, ARENA = 1, DEFAULT_MEMORY = 0 };
enum { ELEMENT_FLOAT = 1, ELEMENT_UINT8 = 2, MAX_TENSORS = 8, IMAGE_RANK = 4 };

typedef void (*function)(void);

struct api_base {
    const function *(*get_api)(uint32_t version);
    const char *(*version)(void);
};

struct tensor {
    char *name;
    void *value; /* OrtValue over `data` */
    void *data;
    size_t bytes;
    int type;       /* number of the element type */
    size_t element; /* bytes of one */
    size_t rank;
    int64_t dims[IMAGE_RANK];
};

struct hy_onnx_peer {
    const function *api;
    void *env, *options, *session, *memory, *allocator;
    size_t input_count, output_count;
    struct tensor inputs[MAX_TENSORS], outputs[MAX_TENSORS];
    const char *input_names[MAX_TENSORS], *output_names[MAX_TENSORS];
    void *input_values[MAX_TENSORS], *output_values[MAX_TENSORS];
};

/* A function of the table, cast to its type. */
#define CALL(peer, number, ...)       ((void *(*)(__VA_ARGS__))(peer)->api[number])
#define RELEASE(peer, number, object) ((void (*)(void *))(peer)->api[number])(object)

/* Checks and releases the status of a function: NULL is success. */
static enum hy_code check(const struct hy_onnx_peer *peer, void *status, const char *what,
                          struct hy_error *err)
{
    if (!status)
        return HY_OK;
    const char *message = ((const char *(*)(const void *))peer->api[GET_ERROR_MESSAGE])(status);
    enum hy_code code = hy_fail(err, HY_FAILED, "ONNX Runtime: %s: %s", what, message);
    RELEASE(peer, RELEASE_STATUS, status);
    return code;
}

static enum hy_code load(struct hy_onnx_peer *peer, const char *library, struct hy_error *err)
{
    /* else ONNX Runtime reports every session to its vendor, and leaves files behind */
    if (setenv("ORT_DISABLE_TELEMETRY", "1", 0) != 0)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the environment of ONNX Runtime");
    /* The library stays: it was not written to be unloaded. */
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return hy_fail(err, HY_FAILED, "%s", dlerror());
    const struct api_base *(*get_base)(void);
    *(void **)&get_base = dlsym(handle, "OrtGetApiBase");
    if (!get_base)
        return hy_fail(err, HY_FAILED, "%s: no OrtGetApiBase", library);
    peer->api = get_base()->get_api(API_VERSION);
    return peer->api ? HY_OK : hy_fail(err, HY_FAILED, "%s: no API of version 1", library);
}

static enum hy_code create_session(struct hy_onnx_peer *peer, const char *model, int32_t threads,
                                   struct hy_error *err)
{
    enum hy_code code = check(
        peer, CALL(peer, CREATE_ENV, int, const char *, void **)(WARNINGS, "bench", &peer->env),
        "environment", err);
    if (code == HY_OK)
        code = check(peer, CALL(peer, CREATE_SESSION_OPTIONS, void **)(&peer->options), "options",
                     err);
    if (code == HY_OK)
        code =
            check(peer, CALL(peer, SET_INTRA_OP_NUM_THREADS, void *, int)(peer->options, threads),
                  "threads", err);
    if (code == HY_OK)
        code = check(peer, CALL(peer, SET_INTER_OP_NUM_THREADS, void *, int)(peer->options, 1),
                     "threads", err);
    if (code == HY_OK)
        code = check(peer,
                     CALL(peer, SET_SESSION_GRAPH_OPTIMIZATION_LEVEL, void *,
                          int)(peer->options, ALL_OPTIMISATIONS),
                     "optimisation", err);
    if (code == HY_OK)
        code = check(peer,
                     CALL(peer, CREATE_SESSION, void *, const char *, void *,
                          void **)(peer->env, model, peer->options, &peer->session),
                     model, err);
    if (code == HY_OK)
        code = check(peer,
                     CALL(peer, CREATE_CPU_MEMORY_INFO, int, int, void **)(ARENA, DEFAULT_MEMORY,
                                                                           &peer->memory),
                     "memory", err);
    if (code == HY_OK)
        code =
            check(peer, CALL(peer, GET_ALLOCATOR_WITH_DEFAULT_OPTIONS, void **)(&peer->allocator),
                  "allocator", err);
    return code;
}

static enum hy_code describe(struct hy_onnx_peer *peer, const void *info, struct tensor *tensor,
                             struct hy_error *err)
{
    enum hy_code code =
        check(peer, CALL(peer, GET_TENSOR_ELEMENT_TYPE, const void *, int *)(info, &tensor->type),
              "element type", err);
    if (code == HY_OK)
        code = check(peer,
                     CALL(peer, GET_DIMENSIONS_COUNT, const void *, size_t *)(info, &tensor->rank),
                     "rank", err);
    if (code == HY_OK && tensor->rank > IMAGE_RANK)
        code = hy_fail(err, HY_FAILED, "ONNX Runtime: a tensor of rank %zu", tensor->rank);
    if (code == HY_OK)
        code = check(peer,
                     CALL(peer, GET_DIMENSIONS, const void *, int64_t *, size_t)(info, tensor->dims,
                                                                                 tensor->rank),
                     "dimensions", err);
    tensor->element = tensor->type == ELEMENT_FLOAT ? sizeof(float) : 1;
    tensor->bytes = tensor->element;
    for (size_t i = 0; i < tensor->rank; i++)
        tensor->bytes *= (size_t)tensor->dims[i];
    return code;
}

/* `direction`: 0 for inputs, 1 for outputs, whose functions come next in the table. */
static enum hy_code add_tensor(struct hy_onnx_peer *peer, int direction, size_t index,
                               struct tensor *tensor, struct hy_error *err)
{
    void *type = NULL;
    const void *info = NULL;
    enum hy_code code = check(peer,
                              CALL(peer, SESSION_GET_INPUT_NAME + direction, void *, size_t, void *,
                                   char **)(peer->session, index, peer->allocator, &tensor->name),
                              "name", err);
    if (code == HY_OK)
        code = check(peer,
                     CALL(peer, SESSION_GET_INPUT_TYPE_INFO + direction, void *, size_t,
                          void **)(peer->session, index, &type),
                     "type", err);
    if (code == HY_OK)
        code = check(peer,
                     CALL(peer, CAST_TYPE_INFO_TO_TENSOR_INFO, void *, const void **)(type, &info),
                     "type", err);
    if (code == HY_OK)
        code = describe(peer, info, tensor, err);
    if (code == HY_OK) {
        tensor->data = calloc(1, tensor->bytes + 1);
        if (!tensor->data)
            code = hy_fail(err, HY_OUT_OF_MEMORY, "%zu bytes", tensor->bytes);
    }
    if (code == HY_OK)
        code = check(peer,
                     CALL(peer, CREATE_TENSOR_WITH_DATA_AS_ORT_VALUE, void *, void *, size_t,
                          const int64_t *, size_t, int,
                          void **)(peer->memory, tensor->data, tensor->bytes, tensor->dims,
                                   tensor->rank, tensor->type, &tensor->value),
                     "tensor", err);
    if (type)
        RELEASE(peer, RELEASE_TYPE_INFO, type);
    return code;
}

static enum hy_code add_tensors(struct hy_onnx_peer *peer, int direction, size_t *count,
                                struct tensor *tensors, const char **names, void **values,
                                struct hy_error *err)
{
    enum hy_code code = check(
        peer,
        CALL(peer, SESSION_GET_INPUT_COUNT + direction, void *, size_t *)(peer->session, count),
        "count", err);
    if (code == HY_OK && *count > MAX_TENSORS)
        code = hy_fail(err, HY_FAILED, "ONNX Runtime: %zu inputs or outputs", *count);
    for (size_t i = 0; code == HY_OK && i < *count; i++) {
        code = add_tensor(peer, direction, i, &tensors[i], err);
        names[i] = tensors[i].name;
        values[i] = tensors[i].value;
    }
    return code;
}

enum hy_code hy_onnx_peer_open(const char *library, const char *model, int32_t threads,
                               struct hy_onnx_peer **out, struct hy_error *err)
{
    struct hy_onnx_peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return hy_fail(err, HY_OUT_OF_MEMORY, "ONNX Runtime");
    enum hy_code code = load(peer, library, err);
    if (code == HY_OK)
        code = create_session(peer, model, threads, err);
    if (code == HY_OK)
        code = add_tensors(peer, 0, &peer->input_count, peer->inputs, peer->input_names,
                           peer->input_values, err);
    if (code == HY_OK)
        code = add_tensors(peer, 1, &peer->output_count, peer->outputs, peer->output_names,
                           peer->output_values, err);
    if (code != HY_OK) {
        hy_onnx_peer_close(peer);
        return code;
    }
    *out = peer;
    return HY_OK;
}

static void release(const struct hy_onnx_peer *peer, int number, void *object)
{
    if (object)
        RELEASE(peer, number, object);
}

static void drop_tensors(const struct hy_onnx_peer *peer, struct tensor *tensors)
{
    for (size_t i = 0; i < MAX_TENSORS; i++) {
        release(peer, RELEASE_VALUE, tensors[i].value);
        free(tensors[i].data);
    }
}

void hy_onnx_peer_close(struct hy_onnx_peer *peer)
{
    if (!peer)
        return;
    if (peer->api) {
        /* The names stay: a few bytes of an allocator that has no end either. */
        drop_tensors(peer, peer->inputs);
        drop_tensors(peer, peer->outputs);
        release(peer, RELEASE_MEMORY_INFO, peer->memory);
        release(peer, RELEASE_SESSION, peer->session);
        release(peer, RELEASE_SESSION_OPTIONS, peer->options);
        release(peer, RELEASE_ENV, peer->env);
    }
    free(peer);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Between [outer, a, b] and [outer, b, a]. */
static void transpose_last_axes(const char *from, char *to, size_t outer, size_t a, size_t b,
                                size_t element)
{
    for (size_t n = 0; n < outer; n++)
        for (size_t i = 0; i < a; i++)
            for (size_t k = 0; k < b; k++)
                memcpy(to + ((n * b + k) * a + i) * element, from + ((n * a + i) * b + k) * element,
                       element);
}

static enum hy_code check_length(const struct tensor *tensor, size_t bytes, struct hy_error *err)
{
    if (tensor->bytes == bytes)
        return HY_OK;
    return hy_fail(err, HY_FAILED, "ONNX Runtime: %s has %zu bytes, not %zu", tensor->name,
                   tensor->bytes, bytes);
}

/* Between int8 and uint8. */
static void flip(const struct tensor *tensor, unsigned char *values)
{
    if (tensor->type != ELEMENT_UINT8)
        return;
    for (size_t i = 0; i < tensor->bytes; i++)
        values[i] ^= 0x80;
}

enum hy_code hy_onnx_peer_set_input(struct hy_onnx_peer *peer, uint32_t index, const void *values,
                                    size_t bytes, struct hy_error *err)
{
    const struct tensor *tensor = &peer->inputs[index];
    enum hy_code code = check_length(tensor, bytes, err);
    if (code != HY_OK)
        return code;
    if (tensor->rank == IMAGE_RANK)
        transpose_last_axes(values, tensor->data, (size_t)tensor->dims[0],
                            (size_t)(tensor->dims[2] * tensor->dims[3]), (size_t)tensor->dims[1],
                            tensor->element);
    else
        memcpy(tensor->data, values, bytes);
    flip(tensor, tensor->data);
    return HY_OK;
}

enum hy_code hy_onnx_peer_get_output(const struct hy_onnx_peer *peer, uint32_t index, void *values,
                                     size_t bytes, struct hy_error *err)
{
    const struct tensor *tensor = &peer->outputs[index];
    enum hy_code code = check_length(tensor, bytes, err);
    if (code != HY_OK)
        return code;
    if (tensor->rank == IMAGE_RANK)
        transpose_last_axes(tensor->data, values, (size_t)tensor->dims[0], (size_t)tensor->dims[1],
                            (size_t)(tensor->dims[2] * tensor->dims[3]), tensor->element);
    else
        memcpy(values, tensor->data, bytes);
    flip(tensor, values);
    return HY_OK;
}

enum hy_code hy_onnx_peer_run(struct hy_onnx_peer *peer, struct hy_error *err)
{
    void *status = CALL(peer, RUN, void *, const void *, const char *const *, void *const *, size_t,
                        const char *const *, size_t, void **)(
        peer->session, NULL, peer->input_names, peer->input_values, peer->input_count,
        peer->output_names, peer->output_count, peer->output_values);
    return check(peer, status, "run", err);
}
