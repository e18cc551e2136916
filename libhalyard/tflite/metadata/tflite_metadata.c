#include "libhalyard/tflite/metadata/tflite_metadata.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked.h"
#include "common/printable.h"
#include "libhalyard/tflite/metadata/zip_archive.h"
#include "libhalyard/tflite/tflite_reader.h"

/* A FlatBuffer can name one large object a million times: each list is read up to a limit, and all
 * texts together are. */
enum {
    MAX_ENTRIES = 64,    /* of the file's list of metadata */
    MAX_TENSORS = 256,   /* inputs; outputs */
    MAX_PER_TENSOR = 16, /* files; process units */
    MAX_TEXT_BYTES = 4 << 20,
};

/* Field numbers, and values of enums and unions. */
enum {
    FILE_METADATA = 6, /* of the `.tflite` file's root table */

    ENTRY_NAME = 0,
    ENTRY_BUFFER = 1,

    MODEL_INFO_NAME = 0,
    MODEL_INFO_DESCRIPTION = 1,
    MODEL_INFO_VERSION = 2,
    MODEL_INFO_SUBGRAPHS = 3,
    MODEL_INFO_AUTHOR = 4,
    MODEL_INFO_LICENSE = 5,

    SUBGRAPH_INFO_INPUTS = 2,
    SUBGRAPH_INFO_OUTPUTS = 3,

    TENSOR_INFO_NAME = 0,
    TENSOR_INFO_DESCRIPTION = 1,
    TENSOR_INFO_CONTENT = 3,
    TENSOR_INFO_PROCESS_UNITS = 4,
    TENSOR_INFO_FILES = 6,

    CONTENT_PROPERTIES_TYPE = 0,
    CONTENT_PROPERTIES = 1,
    CONTENT_IS_IMAGE = 2,
    IMAGE_DEFAULT_SIZE = 1,
    IMAGE_SIZE_WIDTH = 0,
    IMAGE_SIZE_HEIGHT = 1,

    UNIT_OPTIONS_TYPE = 0,
    UNIT_OPTIONS = 1,
    UNIT_IS_NORMALISATION = 1,
    NORMALISATION_MEAN = 0,
    NORMALISATION_STD = 1,

    FILE_NAME = 0,
    FILE_TYPE = 2,
    FILE_HAS_AXIS_LABELS = 2,
    FILE_HAS_VALUE_LABELS = 3,
};

struct metadata_reader {
    const void *file;
    size_t length;
    struct hy_fb fb;
    struct hy_tflite_metadata *out;
    size_t text_budget;
    bool has_archive; /* `archive` has been opened */
    struct hy_zip_archive archive;
};

/* Keeps the first note. */
#define note(reader, ...) \
    do { \
        if (!(reader)->out->note[0]) \
            snprintf((reader)->out->note, sizeof(reader)->out->note, __VA_ARGS__); \
    } while (0)

static const char *read_text(struct metadata_reader *reader, const struct hy_fb_table *table,
                             unsigned slot)
{
    const struct hy_fb_vector string = hy_fb_string(&reader->fb, table, slot);
    if (string.count == 0)
        return "";
    if (string.count > reader->text_budget) {
        note(reader, "texts beyond %d bytes", MAX_TEXT_BYTES);
        return "";
    }
    char *text = hy_arena_alloc(&reader->out->arena, (size_t)string.count + 1);
    if (!text) {
        note(reader, "a text: out of memory");
        return "";
    }
    reader->text_budget -= string.count;
    memcpy(text, string.data, string.count);
    text[string.count] = '\0';
    hy_text_clean(text);
    return text;
}

static uint32_t at_most(uint32_t count, uint32_t limit)
{
    return count < limit ? count : limit;
}

static float number_at(const struct hy_fb_vector *numbers, uint32_t index)
{
    return hy_load_f32(numbers->data + 4 * (size_t)(numbers->count == 1 ? 0 : index));
}

/* A single mean applies to all channels, as does a single std. */
static void read_normalisation(struct metadata_reader *reader, const struct hy_fb_table *options,
                               const char *what, struct hy_tflite_tensor_metadata *out)
{
    const struct hy_fb_vector means = hy_fb_vector(&reader->fb, options, NORMALISATION_MEAN, 4);
    const struct hy_fb_vector stds = hy_fb_vector(&reader->fb, options, NORMALISATION_STD, 4);
    const uint32_t count = means.count > stds.count ? means.count : stds.count;
    if (means.count == 0 || stds.count == 0)
        return;
    if ((means.count != 1 && means.count != count) || (stds.count != 1 && stds.count != count) ||
        count > HY_METADATA_MAX_CHANNELS) {
        note(reader, "%s: %" PRIu32 " means and %" PRIu32 " stds", what, means.count, stds.count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        out->means[i] = number_at(&means, i);
        out->stds[i] = number_at(&stds, i);
        if (!isfinite(out->means[i]) || !isfinite(out->stds[i]) || out->stds[i] == 0) {
            note(reader, "%s: mean %g and std %g", what, (double)out->means[i],
                 (double)out->stds[i]);
            return;
        }
    }
    out->mean_count = count;
}

static void read_process_units(struct metadata_reader *reader, const struct hy_fb_table *tensor,
                               const char *what, struct hy_tflite_tensor_metadata *out)
{
    const struct hy_fb_vector units =
        hy_fb_vector(&reader->fb, tensor, TENSOR_INFO_PROCESS_UNITS, 4);
    for (uint32_t i = 0; i < at_most(units.count, MAX_PER_TENSOR) && !out->mean_count; i++) {
        const struct hy_fb_table unit = hy_fb_table_at(&reader->fb, &units, i);
        if (hy_fb_u8(&reader->fb, &unit, UNIT_OPTIONS_TYPE, 0) != UNIT_IS_NORMALISATION)
            continue;
        const struct hy_fb_table options = hy_fb_child(&reader->fb, &unit, UNIT_OPTIONS);
        read_normalisation(reader, &options, what, out);
    }
}

static void read_image_size(struct metadata_reader *reader, const struct hy_fb_table *tensor,
                            struct hy_tflite_tensor_metadata *out)
{
    struct hy_fb *fb = &reader->fb;
    const struct hy_fb_table content = hy_fb_child(fb, tensor, TENSOR_INFO_CONTENT);
    if (hy_fb_u8(fb, &content, CONTENT_PROPERTIES_TYPE, 0) != CONTENT_IS_IMAGE)
        return;
    const struct hy_fb_table image = hy_fb_child(fb, &content, CONTENT_PROPERTIES);
    const struct hy_fb_table size = hy_fb_child(fb, &image, IMAGE_DEFAULT_SIZE);
    out->image_width = hy_fb_u32(fb, &size, IMAGE_SIZE_WIDTH, 0);
    out->image_height = hy_fb_u32(fb, &size, IMAGE_SIZE_HEIGHT, 0);
}

static enum hy_code load_labels(struct metadata_reader *reader, const struct hy_fb_vector *name,
                                struct hy_label_list *out, struct hy_error *err)
{
    if (!reader->has_archive) {
        const enum hy_code code =
            hy_zip_archive_open(reader->file, reader->length, &reader->archive, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "%.*s", (int)at_most(name->count, 128),
                                   (const char *)name->data);
        reader->has_archive = true;
    }
    uint8_t *text = NULL;
    size_t length = 0;
    enum hy_code code = hy_zip_archive_read(&reader->archive, (const char *)name->data, name->count,
                                            reader->text_budget, &text, &length, err);
    if (code != HY_OK)
        return code;
    reader->text_budget -= length;
    code = hy_label_list_make(&reader->out->arena, text, length, out, err);
    free(text);
    return code;
}

/* The first file of a type counts: others are translations. */
static void read_files(struct metadata_reader *reader, const struct hy_fb_table *tensor,
                       const char *what, struct hy_tflite_tensor_metadata *out)
{
    struct hy_fb *fb = &reader->fb;
    const struct hy_fb_vector files = hy_fb_vector(fb, tensor, TENSOR_INFO_FILES, 4);
    for (uint32_t i = 0; i < at_most(files.count, MAX_PER_TENSOR); i++) {
        const struct hy_fb_table file = hy_fb_table_at(fb, &files, i);
        const struct hy_fb_vector name = hy_fb_string(fb, &file, FILE_NAME);
        const uint8_t type = hy_fb_u8(fb, &file, FILE_TYPE, 0);
        struct hy_label_list *labels = type == FILE_HAS_AXIS_LABELS    ? &out->labels
                                       : type == FILE_HAS_VALUE_LABELS ? &out->value_labels
                                                                       : NULL;
        struct hy_error err = {0};
        if (!labels || labels->count || name.count == 0)
            continue;
        if (load_labels(reader, &name, labels, &err) != HY_OK)
            note(reader, "%s: labels: %.300s", what, err.text);
    }
}

static void read_tensor(struct metadata_reader *reader, const struct hy_fb_table *table,
                        const char *what, struct hy_tflite_tensor_metadata *out)
{
    out->name = read_text(reader, table, TENSOR_INFO_NAME);
    out->description = read_text(reader, table, TENSOR_INFO_DESCRIPTION);
    read_process_units(reader, table, what, out);
    read_image_size(reader, table, out);
    read_files(reader, table, what, out);
}

static const struct hy_tflite_tensor_metadata *read_tensors(struct metadata_reader *reader,
                                                            const struct hy_fb_table *subgraph,
                                                            unsigned slot, const char *kind,
                                                            uint32_t *out_count)
{
    const struct hy_fb_vector tables = hy_fb_vector(&reader->fb, subgraph, slot, 4);
    const uint32_t count = at_most(tables.count, MAX_TENSORS);
    if (count < tables.count)
        note(reader, "%ss beyond %d", kind, MAX_TENSORS);
    struct hy_tflite_tensor_metadata *tensors =
        hy_arena_alloc(&reader->out->arena, ((size_t)count + 1) * sizeof *tensors);
    if (!tensors) {
        note(reader, "%" PRIu32 " %ss: out of memory", count, kind);
        return NULL;
    }
    memset(tensors, 0, ((size_t)count + 1) * sizeof *tensors);
    for (uint32_t i = 0; i < count; i++) {
        char what[32];
        const struct hy_fb_table table = hy_fb_table_at(&reader->fb, &tables, i);
        snprintf(what, sizeof what, "%s %" PRIu32, kind, i);
        read_tensor(reader, &table, what, &tensors[i]);
    }
    *out_count = count;
    return tensors;
}

static void read_model(struct metadata_reader *reader, const struct hy_fb_table *root)
{
    struct hy_tflite_metadata *out = reader->out;
    out->name = read_text(reader, root, MODEL_INFO_NAME);
    out->description = read_text(reader, root, MODEL_INFO_DESCRIPTION);
    out->version = read_text(reader, root, MODEL_INFO_VERSION);
    out->author = read_text(reader, root, MODEL_INFO_AUTHOR);
    out->license = read_text(reader, root, MODEL_INFO_LICENSE);

    const struct hy_fb_vector subgraphs = hy_fb_vector(&reader->fb, root, MODEL_INFO_SUBGRAPHS, 4);
    const struct hy_fb_table first = hy_fb_table_at(&reader->fb, &subgraphs, 0);
    out->inputs = read_tensors(reader, &first, SUBGRAPH_INFO_INPUTS, "input", &out->input_count);
    out->outputs =
        read_tensors(reader, &first, SUBGRAPH_INFO_OUTPUTS, "output", &out->output_count);
}

/* The bytes of a buffer of the file: inside the FlatBuffer, or after it. */
static struct hy_fb_vector find_buffer(struct hy_fb *fb, const struct hy_fb_table *root,
                                       uint32_t index)
{
    const struct hy_fb_vector buffers = hy_fb_vector(fb, root, MODEL_BUFFERS, 4);
    const struct hy_fb_table buffer = hy_fb_table_at(fb, &buffers, index);
    const uint64_t offset = hy_fb_u64(fb, &buffer, BUFFER_OFFSET, 0);
    const uint64_t size = hy_fb_u64(fb, &buffer, BUFFER_SIZE, 0);
    if (offset <= 1) /* 0 and 1 stand for none */
        return hy_fb_vector(fb, &buffer, BUFFER_DATA, 1);
    if (size > UINT32_MAX || !hy_range_inside(offset, size, fb->length))
        return (struct hy_fb_vector){0};
    return (struct hy_fb_vector){fb->bytes + offset, (uint32_t)size};
}

/* The buffer of the metadata; false: the file has none. */
static bool find_metadata(struct hy_fb *fb, const struct hy_fb_table *root, uint32_t *buffer)
{
    static const char wanted[] = "TFLITE_METADATA";
    const struct hy_fb_vector entries = hy_fb_vector(fb, root, FILE_METADATA, 4);
    for (uint32_t i = 0; i < at_most(entries.count, MAX_ENTRIES); i++) {
        const struct hy_fb_table entry = hy_fb_table_at(fb, &entries, i);
        const struct hy_fb_vector name = hy_fb_string(fb, &entry, ENTRY_NAME);
        *buffer = hy_fb_u32(fb, &entry, ENTRY_BUFFER, 0);
        if (name.count == sizeof wanted - 1 && memcmp(name.data, wanted, name.count) == 0)
            return true;
    }
    return false;
}

static void make_empty(struct hy_tflite_metadata *out)
{
    out->name = out->description = out->version = out->author = out->license = "";
    out->input_count = out->output_count = 0;
}

static void read_buffer(struct metadata_reader *reader, const struct hy_fb_vector *bytes)
{
    struct hy_error err = {0};
    const struct hy_fb_table root =
        hy_fb_open(&reader->fb, bytes->data, bytes->count, "M001", &err);
    read_model(reader, &root);
    if (reader->fb.code != HY_OK) {
        make_empty(reader->out);
        snprintf(reader->out->note, sizeof reader->out->note, "all: %.300s", err.text);
    }
    hy_text_clean(reader->out->note);
}

void hy_tflite_metadata_read(const void *file, size_t length, struct hy_tflite_metadata *out)
{
    struct metadata_reader reader = {
        .file = file, .length = length, .out = out, .text_budget = MAX_TEXT_BYTES};
    struct hy_fb whole;
    uint32_t buffer;
    *out = (struct hy_tflite_metadata){0};
    make_empty(out);
    const struct hy_fb_table model = hy_fb_open(&whole, file, length, "TFL3", NULL);
    if (!find_metadata(&whole, &model, &buffer))
        return;
    const struct hy_fb_vector bytes = find_buffer(&whole, &model, buffer);
    if (bytes.data)
        read_buffer(&reader, &bytes);
    else
        note(&reader, "all: buffer %" PRIu32 " is empty, or not in the file", buffer);
}

void hy_tflite_metadata_finish(struct hy_tflite_metadata *metadata)
{
    hy_arena_finish(&metadata->arena);
    *metadata = (struct hy_tflite_metadata){0};
}

static const struct hy_tflite_tensor_metadata *at(const struct hy_tflite_tensor_metadata *tensors,
                                                  uint32_t count, uint32_t index)
{
    static const struct hy_tflite_tensor_metadata nothing = {.name = "", .description = ""};
    return index < count ? &tensors[index] : &nothing;
}

const struct hy_tflite_tensor_metadata *
hy_tflite_metadata_input(const struct hy_tflite_metadata *metadata, uint32_t index)
{
    return at(metadata->inputs, metadata->input_count, index);
}

const struct hy_tflite_tensor_metadata *
hy_tflite_metadata_output(const struct hy_tflite_metadata *metadata, uint32_t index)
{
    return at(metadata->outputs, metadata->output_count, index);
}
