#include "libhalyard/session/file_kind.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "libhalyard/tflite/flatbuffer.h"
#include "libhalyard/tflite/metadata/zip_archive.h"

/* ---- Files that begin with bytes of their own ------------------------------------------------ */

#define PICTURE  "not a network; pictures are inputs of networks"
#define PACKED   "unpack the file, and open the .tflite file"
#define DOWNLOAD "the download has failed: fetch the file again"

static const struct start {
    size_t at, length;
    const char *bytes;
    const char *description;
} starts[] = {
    {0, 8, "\x89PNG\r\n\x1a\n", "a PNG picture, " PICTURE},
    {0, 3, "\xff\xd8\xff", "a JPEG picture, " PICTURE},
    {0, 4, "GIF8", "a GIF picture, " PICTURE},
    {0, 6, "\x93NUMPY", "a NumPy array, not a network; arrays are inputs of networks"},
    {0, 8, "\x89HDF\r\n\x1a\n",
     "an HDF5 file, as Keras writes; convert it to .tflite with tf.lite.TFLiteConverter"},
    {0, 4, "GGUF", "a GGUF file, a language model for llama.cpp, which has no .tflite form"},
    {0, 2, "\x1f\x8b", "a file compressed by gzip; " PACKED},
    {0, 6,
     "\xfd"
     "7zXZ",
     "a file compressed by xz; " PACKED},
    {0, 4, "\x28\xb5\x2f\xfd", "a file compressed by zstd; " PACKED},
    {0, 3, "BZh", "a file compressed by bzip2; " PACKED},
    {0, 6, "7z\xbc\xaf\x27\x1c", "a 7z archive; " PACKED},
    {257, 5, "ustar", "a tar archive; " PACKED},
    {0, 4,
     "\x7f"
     "ELF",
     "a program or library, not a network"},
    {4, 4, "TFL1", "a TensorFlow Lite file of version 1; convert the network again"},
    {4, 4, "TFL2", "a TensorFlow Lite file of version 2; convert the network again"},
    {4, 3, "TFL",
     "a TensorFlow Lite file of a newer format than TFL3; use a newer Halyard, or convert the "
     "network for TFL3"},
    {4, 4, "ORTM", "an ONNX Runtime file (.ort); convert the ONNX model behind it to .tflite"},
    {4, 2, "ET", "an ExecuTorch program (.pte); convert the PyTorch model behind it to .tflite"},
    {0, 42, "version https://git-lfs.github.com/spec/v1",
     "a pointer of Git LFS, not the file itself; \"git lfs pull\" fetches the file"},
    {0, 14, "<!DOCTYPE html", "a web page; " DOWNLOAD},
    {0, 14, "<!doctype html", "a web page; " DOWNLOAD},
    {0, 5, "<html", "a web page; " DOWNLOAD},
    {0, 5, "<?xml", "an XML file; Halyard opens .tflite files"},
};

static const char *describe_start(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        const struct start *start = &starts[i];
        if (length >= start->at + start->length &&
            memcmp(bytes + start->at, start->bytes, start->length) == 0)
            return start->description;
    }
    return NULL;
}

/* A pickle begins with its protocol number; files of weights continue with an EMPTY_DICT, a tuple
 * or a global. */
static bool is_pickle(const uint8_t *bytes, size_t length)
{
    return length > 2 && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5;
}

/* The length of a JSON header, then the header. */
static bool is_safetensors(const uint8_t *bytes, size_t length)
{
    return length > 10 && hy_load_u64(bytes) < length && bytes[8] == '{' && bytes[9] == '"';
}

static bool is_text(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length && i < 512; i++) {
        if (!isprint(bytes[i]) && !isspace(bytes[i]) && bytes[i] < 0x80)
            return false;
    }
    return true;
}

/* ---- ZIP ------------------------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name), wanted = strlen(end);
    return length >= wanted && strcmp(name + length - wanted, end) == 0;
}

struct contents {
    char network[128]; /* the first `.tflite` of the archive */
    bool has_files, has_pickle, has_keras, has_arrays;
};

static void add_name(const uint8_t *name_bytes, size_t name_length, void *context)
{
    struct contents *contents = context;
    char name[256];

    snprintf(name, sizeof name, "%.*s", (int)(name_length < 255 ? name_length : 255),
             (const char *)name_bytes);
    contents->has_files = true;
    if (!contents->network[0] &&
        (ends_with(name, ".tflite") || ends_with(name, "TF_LITE_PREFILL_DECODE")))
        snprintf(contents->network, sizeof contents->network, "%.127s", name);
    contents->has_pickle = contents->has_pickle || ends_with(name, "data.pkl");
    contents->has_keras = contents->has_keras || strcmp(name, "model.weights.h5") == 0;
    contents->has_arrays = contents->has_arrays || ends_with(name, ".npy");
}

/* False: the file is no archive. Some .task bundles have two zeros before the archive. */
static bool describe_zip(const uint8_t *bytes, size_t length, char *text, size_t size)
{
    struct contents contents = {0};
    struct hy_zip_archive archive;

    if (hy_zip_archive_open(bytes, length, &archive, NULL) == HY_OK)
        hy_zip_archive_list(&archive, add_name, &contents);
    if (!contents.has_files && !(length > 4 && memcmp(bytes, "PK\x03\x04", 4) == 0))
        return false;
    if (contents.network[0])
        snprintf(text, size,
                 "a ZIP archive (as .task bundles are) with %.120s; unpack the archive, and open "
                 "this file",
                 contents.network);
    else if (contents.has_pickle)
        snprintf(text, size,
                 "a PyTorch file; convert the network to .tflite, with ai-edge-torch "
                 "for example");
    else if (contents.has_keras)
        snprintf(text, size, "a Keras file; convert it to .tflite with tf.lite.TFLiteConverter");
    else if (contents.has_arrays)
        snprintf(text, size, "a NumPy archive, not a network");
    else
        snprintf(text, size, "a ZIP archive without a .tflite file");
    return true;
}

/* ---- Protocol buffers, which begin with no bytes of their own -------------------------------- */

struct field {
    unsigned number, wire_type;
    uint64_t value; /* a number, or the length of what follows */
    size_t at;      /* of what follows */
};

static bool read_varint(const uint8_t *bytes, size_t length, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < length; shift += 7) {
        const uint8_t byte = bytes[(*at)++];
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* Reads the field at `*at`, and advances `*at` to the next field. */
static bool read_field(const uint8_t *bytes, size_t length, size_t *at, struct field *field)
{
    uint64_t tag;

    if (!read_varint(bytes, length, at, &tag) || tag >> 3 == 0 || tag > UINT64_C(64) << 3)
        return false;
    field->number = (unsigned)(tag >> 3);
    field->wire_type = tag & 7;
    if ((field->wire_type != 0 && field->wire_type != 2) ||
        !read_varint(bytes, length, at, &field->value))
        return false;
    field->at = *at;
    if (field->wire_type == 2) {
        if (field->value > length - *at)
            return false;
        *at += (size_t)field->value;
    }
    return true;
}

/* ModelProto: ir_version, then strings and operator sets; graph is field 7. */
static bool is_onnx(const uint8_t *bytes, size_t length)
{
    struct field field;
    size_t at = 0;

    if (!read_field(bytes, length, &at, &field) || field.number != 1 || field.wire_type != 0 ||
        field.value == 0 || field.value > 100)
        return false;
    for (unsigned i = 0; i < 64 && at < length; i++) {
        if (!read_field(bytes, length, &at, &field))
            return false;
        if (field.number == 7)
            return field.wire_type == 2;
    }
    return false;
}

/* SavedModel: the version of its schema, 1, followed by a meta graph. */
static bool is_saved_model(const uint8_t *bytes, size_t length)
{
    return length > 4 && bytes[0] == 0x08 && bytes[1] == 1 && bytes[2] == 0x12;
}

/* GraphDef: nodes, each with a name and an operation. */
static bool is_graph_def(const uint8_t *bytes, size_t length)
{
    struct field node, name, operation;
    size_t at = 0;

    if (!read_field(bytes, length, &at, &node) || node.number != 1 || node.wire_type != 2)
        return false;
    const uint8_t *inside = bytes + node.at;
    at = 0;
    return read_field(inside, (size_t)node.value, &at, &name) && name.number == 1 &&
           name.wire_type == 2 && read_field(inside, (size_t)node.value, &at, &operation) &&
           operation.number == 2 && operation.wire_type == 2 &&
           is_text(inside + operation.at, (size_t)operation.value);
}

/* ---------------------------------------------------------------------------------------------- */

static const char *describe_form(const uint8_t *bytes, size_t length)
{
    if (is_pickle(bytes, length))
        return "a Python pickle, as PyTorch writes weights; convert the network to .tflite, with "
               "ai-edge-torch for example";
    if (is_safetensors(bytes, length))
        return "a safetensors file, weights without a network; convert the network to .tflite";
    if (is_onnx(bytes, length))
        return "an ONNX model; convert it to .tflite, with onnx2tf for example";
    if (is_saved_model(bytes, length))
        return "a TensorFlow SavedModel; convert its directory to .tflite with "
               "tf.lite.TFLiteConverter.from_saved_model";
    if (is_graph_def(bytes, length))
        return "a TensorFlow GraphDef; convert it to .tflite with "
               "tf.compat.v1.lite.TFLiteConverter.from_frozen_graph";
    if (is_text(bytes, length))
        return "a text file, not a network";
    return "not a .tflite file: bytes 4 to 7 are not \"TFL3\"";
}

bool hy_file_is_other(const void *bytes, size_t length, char *text, size_t size)
{
    const uint8_t *start = bytes;

    if (length >= 8 && memcmp(start + 4, "TFL3", 4) == 0)
        return false;
    const char *description = length == 0 ? "an empty file" : describe_start(start, length);
    if (!description && describe_zip(start, length, text, size))
        return true;
    if (!description && length < 8)
        snprintf(text, size, "too short for a network: %zu byte%s", length, length == 1 ? "" : "s");
    else
        snprintf(text, size, "%s", description ? description : describe_form(start, length));
    return true;
}
