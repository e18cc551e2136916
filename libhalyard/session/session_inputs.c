/* halyard/session.h: inputs from files and pixels. */
#include "libhalyard/preprocess/image.h"
#include "libhalyard/preprocess/image_shape.h"
#include "libhalyard/preprocess/input.h"
#include "libhalyard/preprocess/npy.h"
#include "libhalyard/session/session.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE_BYTES = 1 << 30 };

/* ---- Options --------------------------------------------------------------------------------- */

#define SAME(internal, public) \
    static_assert((int)(internal) == (int)(public), "the public number is the internal one")

SAME(HY_IMAGE_FIT_STRETCH, HALYARD_FIT_STRETCH);
SAME(HY_IMAGE_FIT_CROP, HALYARD_FIT_CROP);
SAME(HY_IMAGE_FIT_LETTERBOX, HALYARD_FIT_LETTERBOX);
SAME(HY_IMAGE_CHANNELS_RGB, HALYARD_CHANNELS_RGB);
SAME(HY_IMAGE_CHANNELS_BGR, HALYARD_CHANNELS_BGR);
SAME(HY_IMAGE_LAYOUT_FROM_SHAPE, HALYARD_LAYOUT_FROM_SHAPE);
SAME(HY_IMAGE_LAYOUT_NHWC, HALYARD_LAYOUT_NHWC);
SAME(HY_IMAGE_LAYOUT_NCHW, HALYARD_LAYOUT_NCHW);

static enum hy_code read_options(const struct halyard_image_options *options,
                                 struct hy_image_options *out, struct hy_error *err)
{
    struct halyard_image_options full = {0};
    const enum hy_code code =
        options ? hy_public_struct_read(options, &full, sizeof full, err) : HY_OK;
    if (code != HY_OK)
        return code;
    if (full.mean_count > HY_IMAGE_MAX_CHANNELS)
        return hy_fail(err, HY_BAD_DATA, "%" PRIu32 " means, at most %d are allowed",
                       full.mean_count, HY_IMAGE_MAX_CHANNELS);
    *out = (struct hy_image_options){
        .fit = (enum hy_image_fit)full.fit,
        .channels = (enum hy_image_channels)full.channels,
        .layout = (enum hy_image_layout)full.layout,
        .mean_count = full.mean_count,
    };
    static_assert(sizeof full.means == sizeof out->means, "means");
    memcpy(out->means, full.means, sizeof out->means);
    memcpy(out->stds, full.stds, sizeof out->stds);
    return HY_OK;
}

/* The mean and std of the metadata, where the caller gives none and the input has as many channels.
 */
static void use_metadata(struct hy_input_spec *spec,
                         const struct hy_tflite_tensor_metadata *metadata)
{
    struct hy_image_shape shape;
    if (spec->image.mean_count > 0 || metadata->mean_count == 0)
        return;
    if (metadata->mean_count > 1 && (hy_image_shape_find(spec, &shape, NULL) != HY_OK ||
                                     shape.channels != metadata->mean_count))
        return;
    spec->image.mean_count = metadata->mean_count;
    static_assert(sizeof metadata->means == sizeof spec->image.means, "means");
    memcpy(spec->image.means, metadata->means, sizeof metadata->means);
    memcpy(spec->image.stds, metadata->stds, sizeof metadata->stds);
}

static struct hy_input_spec spec_of(const struct halyard_session *session, uint32_t index,
                                    const struct hy_session_tensor *input,
                                    const struct hy_image_options *options)
{
    const struct hy_graph_quantisation *quantisation = &input->tensor->quantisation;
    const bool is_quantised = quantisation->count > 0;
    struct hy_input_spec spec = {
        .type = input->tensor->element,
        .rank = input->rank,
        .dims = input->extents,
        .scale = is_quantised ? quantisation->scales[0] : 0,
        .zero_point = is_quantised ? quantisation->zero_points[0] : 0,
        .image = *options,
    };
    use_metadata(&spec,
                 hy_network_input_metadata(session->network, session->options.signature, index));
    return spec;
}

/* ---- Shapes after files ---------------------------------------------------------------------- */

/* An input that another one's new shape must not empty. */
struct saved_input {
    struct hy_buffer bound; /* of the caller; or */
    struct hy_buffer copy;  /* copy of the session's own contents; length 0: no copy */
};

static void free_saved(struct saved_input *saved, uint32_t count)
{
    for (uint32_t i = 0; saved && i < count; i++)
        free(saved[i].copy.bytes);
    free(saved);
}

/* Saves all inputs but one, which gets a new shape. */
static enum hy_code save_others(const struct halyard_session *session, uint32_t index,
                                struct saved_input **out, struct hy_error *err)
{
    const uint32_t count = session->input_count;
    struct saved_input *saved = calloc((size_t)count + 1, sizeof *saved);
    bool enough = saved != NULL;
    for (uint32_t i = 0; enough && i < count; i++) {
        const struct hy_session_tensor *input = &session->inputs[i];
        if (i == index || session->needs_lowering)
            continue;
        if (input->is_bound) {
            saved[i].bound = input->buffer;
            continue;
        }
        saved[i].copy = (struct hy_buffer){malloc(input->buffer.length + 1), input->buffer.length};
        enough = saved[i].copy.bytes != NULL;
        if (enough)
            memcpy(saved[i].copy.bytes, input->buffer.bytes, input->buffer.length);
    }
    if (!enough) {
        free_saved(saved, count);
        return hy_fail(err, HY_OUT_OF_MEMORY, "the contents of %" PRIu32 " inputs", count);
    }
    *out = saved;
    return HY_OK;
}

/* Restores contents of unchanged size; an input of another size starts with zeros. */
static void give_back(struct halyard_session *session, const struct saved_input *saved)
{
    for (uint32_t i = 0; i < session->input_count; i++) {
        struct hy_session_tensor *input = &session->inputs[i];
        if (saved[i].bound.bytes && saved[i].bound.length == input->buffer.length) {
            input->buffer = saved[i].bound;
            input->is_bound = true;
        } else if (saved[i].copy.bytes && saved[i].copy.length == input->buffer.length) {
            memcpy(input->buffer.bytes, saved[i].copy.bytes, saved[i].copy.length);
        }
    }
}

/* Sets the shape of an open input to the shape of its file. */
static enum hy_code use_shape(struct halyard_session *session, uint32_t index,
                              const int32_t *extents, struct hy_error *err)
{
    const struct hy_session_tensor *input = &session->inputs[index];
    struct saved_input *saved = NULL;
    if (memcmp(extents, input->extents, input->rank * sizeof *extents) == 0)
        return HY_OK;
    enum hy_code code = save_others(session, index, &saved, err);
    if (code == HY_OK)
        code = hy_session_resize(session, index, input->rank, extents, err);
    if (code == HY_OK) {
        session->shapes[index].is_from_file = true;
        code = hy_session_lower(session, err);
    }
    if (code == HY_OK)
        give_back(session, saved);
    free_saved(saved, session->input_count);
    return code;
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

static bool is_sensible(uint32_t side)
{
    return side >= 1 && side <= HY_IMAGE_MAX_OPEN_SIDE;
}

/* An input of open height or width gets a shape: the shape of the caller, or else the size that the
 * metadata propose, or else the size of the picture. */
static enum hy_code choose_shape(struct halyard_session *session, uint32_t index,
                                 const struct hy_pixels *pixels,
                                 const struct hy_image_options *options, struct hy_error *err)
{
    const struct hy_session_tensor *input = &session->inputs[index];
    const int32_t *open = hy_session_open_extents(session, index);
    if (!open)
        return HY_OK;
    const struct hy_input_spec spec = {
        .type = input->tensor->element, .rank = input->rank, .dims = open, .image = *options};
    const struct hy_tflite_tensor_metadata *metadata =
        hy_network_input_metadata(session->network, session->options.signature, index);
    struct hy_pixels size = *pixels;
    if (is_sensible(metadata->image_width) && is_sensible(metadata->image_height)) {
        size.width = metadata->image_width;
        size.height = metadata->image_height;
    }
    int32_t extents[HY_GRAPH_MAX_RANK];
    const enum hy_code code = hy_image_choose_dims(&size, &spec, extents, err);
    return code == HY_OK ? use_shape(session, index, extents, err) : code;
}

static enum hy_code set_pixels(struct halyard_session *session, uint32_t index,
                               const struct hy_pixels *pixels,
                               const struct hy_image_options *options, struct hy_input_note *note,
                               struct hy_error *err)
{
    struct hy_session_tensor *input = NULL;
    enum hy_code code = choose_shape(session, index, pixels, options, err);
    if (code == HY_OK)
        code = hy_session_input(session, index, &input, err);
    if (code != HY_OK)
        return code;
    const struct hy_input_spec spec = spec_of(session, index, input, options);
    return hy_image_fill(pixels, &spec, input->buffer.bytes, note, err);
}

/* "input 0 (image): ..." */
static enum hy_code name_input(const struct halyard_session *session, uint32_t index,
                               enum hy_code code, struct hy_error *err)
{
    if (code == HY_OK)
        return HY_OK;
    return hy_error_prefix(err, code, "input %" PRIu32 " (%.64s)", index,
                           session->inputs[index].name);
}

int halyard_session_set_pixels(struct halyard_session *session, uint32_t index, const void *pixels,
                               uint32_t width, uint32_t height, uint32_t channels, size_t stride,
                               const struct halyard_image_options *options)
{
    static const char name[] = "session_set_pixels";
    const struct hy_pixels from = {pixels, stride, width, height, channels};
    struct hy_image_options full;
    struct hy_input_note note;
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!pixels)
        return hy_public_null(name, "pixels");
    enum hy_code code = read_options(options, &full, &err);
    if (code == HY_OK)
        code = hy_session_check_input(session, index, &err);
    if (code == HY_OK)
        code =
            name_input(session, index, set_pixels(session, index, &from, &full, &note, &err), &err);
    return hy_public_result(code, &err);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static enum hy_code read_picture(struct halyard_session *session, uint32_t index,
                                 const struct hy_file *file, const struct hy_image_options *options,
                                 struct hy_input_note *note, struct hy_error *err)
{
    struct hy_picture picture = {0};
    enum hy_code code = hy_picture_decode(file->bytes, file->length, &picture, err);
    if (code != HY_OK)
        return code;
    const struct hy_pixels pixels = hy_picture_pixels(&picture);
    code = set_pixels(session, index, &pixels, options, note, err);
    hy_picture_finish(&picture);
    return code;
}

/* An open input gets the shape of the .npy file, with leading 1s for missing dimensions. The
 * decoder reports a shape that does not fit. */
static enum hy_code choose_shape_of_npy(struct halyard_session *session, uint32_t index,
                                        const struct hy_file *file, struct hy_error *err)
{
    const int32_t *open = hy_session_open_extents(session, index);
    const uint32_t rank = session->inputs[index].rank;
    int32_t found[HY_NPY_MAX_RANK], extents[HY_GRAPH_MAX_RANK];
    uint32_t found_rank = 0;
    if (!open || hy_npy_read_shape(file->bytes, file->length, &found_rank, found, NULL) != HY_OK ||
        found_rank > rank)
        return HY_OK;
    for (uint32_t i = 0; i < rank; i++) {
        const uint32_t missing = rank - found_rank;
        extents[i] = i < missing ? 1 : found[i - missing];
        if (open[i] != HY_UNKNOWN_EXTENT && open[i] != extents[i])
            return HY_OK;
    }
    return use_shape(session, index, extents, err);
}

/* Texts are as long as their file. */
static enum hy_code choose_shape_of_texts(struct halyard_session *session, uint32_t index,
                                          const struct hy_file *file, struct hy_error *err)
{
    const int32_t extents[HY_GRAPH_MAX_RANK] = {(int32_t)file->length};

    if (session->inputs[index].tensor->element != HY_ELEMENT_STRING)
        return HY_OK;
    return use_shape(session, index, extents, err);
}

static enum hy_code read_other(struct halyard_session *session, uint32_t index, const char *path,
                               const struct hy_file *file, struct hy_error *err)
{
    struct hy_session_tensor *input = NULL;
    enum hy_code code = HY_OK;
    if (hy_npy_is(file->bytes, file->length))
        code = choose_shape_of_npy(session, index, file, err);
    else
        code = choose_shape_of_texts(session, index, file, err);
    if (code == HY_OK)
        code = hy_session_input(session, index, &input, err);
    if (code != HY_OK)
        return code;
    const struct hy_input_spec spec = spec_of(session, index, input, &(struct hy_image_options){0});
    return hy_input_decode(path, file->bytes, file->length, &spec, input->buffer.bytes,
                           input->buffer.length, err);
}

static enum hy_code read_file(struct halyard_session *session, uint32_t index, const char *path,
                              const struct hy_image_options *options, struct hy_input_note *note,
                              struct hy_error *err)
{
    struct hy_file file = {0};
    enum hy_code code = hy_file_map(path, MAX_FILE_BYTES, &file, err);
    if (code != HY_OK)
        return code;
    if (hy_picture_is(file.bytes, file.length)) {
        code = read_picture(session, index, &file, options, note, err);
        if (code != HY_OK)
            hy_error_prefix(err, code, "%s", path);
    } else {
        code = read_other(session, index, path, &file, err);
    }
    hy_file_unmap(&file);
    return code;
}

int halyard_session_read_input(struct halyard_session *session, uint32_t index, const char *path,
                               const struct halyard_image_options *options, char *note,
                               size_t note_size)
{
    static const char name[] = "session_read_input";
    struct hy_image_options full;
    struct hy_input_note own = {0};
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!path)
        return hy_public_null(name, "path");
    enum hy_code code = read_options(options, &full, &err);
    if (code == HY_OK)
        code = hy_session_check_input(session, index, &err);
    if (code == HY_OK)
        code = name_input(session, index, read_file(session, index, path, &full, &own, &err), &err);
    if (note && note_size > 0)
        snprintf(note, note_size, "%s", own.text);
    return hy_public_result(code, &err);
}
