#include "libhalyard/preprocess/input.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "libhalyard/preprocess/npy.h"

static bool has_extension(const char *name, const char *extension)
{
    const char *dot = strrchr(name, '.');
    return dot && strcasecmp(dot, extension) == 0;
}

static enum hy_code decode_raw(const void *file, size_t length, const struct hy_input_spec *spec,
                               void *out, size_t bytes, struct hy_error *err)
{
    if (length != bytes) {
        char shape[96];
        hy_input_spec_text(spec, shape, sizeof shape);
        return hy_fail(err, HY_BAD_DATA, "%zu raw bytes, the input %s needs %zu", length, shape,
                       bytes);
    }
    memcpy(out, file, bytes);
    return HY_OK;
}

static enum hy_code decode_picture(const void *file, size_t length,
                                   const struct hy_input_spec *spec, void *out,
                                   struct hy_input_note *note, struct hy_error *err)
{
    struct hy_picture picture = {0};
    enum hy_code code = hy_picture_decode(file, length, &picture, err);
    if (code != HY_OK)
        return code;
    const struct hy_pixels pixels = hy_picture_pixels(&picture);
    code = hy_image_fill(&pixels, spec, out, note, err);
    hy_picture_finish(&picture);
    return code;
}

static enum hy_code check_spec(const struct hy_input_spec *spec, size_t bytes, struct hy_error *err)
{
    uint64_t needed;
    if (!hy_element_bytes(spec->type, spec->rank, spec->dims, &needed) ||
        hy_element_bits(spec->type) == 0 || needed != bytes)
        return hy_fail(err, HY_BAD_DATA,
                       "the input is of type %s, rank %" PRIu32 ", which does not make %zu bytes",
                       hy_element_name(spec->type), spec->rank, bytes);
    return HY_OK;
}

enum hy_code hy_input_decode(const char *name, const void *file, size_t length,
                             const struct hy_input_spec *spec, void *out, size_t bytes,
                             struct hy_input_note *note, struct hy_error *err)
{
    struct hy_input_note unread;
    if (!note)
        note = &unread;
    note->text[0] = '\0';

    enum hy_code code = check_spec(spec, bytes, err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "%s", name);

    if (hy_npy_is(file, length))
        code = hy_npy_decode(file, length, spec, out, bytes, err);
    else if (hy_picture_is(file, length))
        code = decode_picture(file, length, spec, out, note, err);
    else if (has_extension(name, ".npy") || has_extension(name, ".png") ||
             has_extension(name, ".jpg") || has_extension(name, ".jpeg"))
        code = hy_fail(err, HY_BAD_DATA, "the contents are not what the extension says");
    else
        code = decode_raw(file, length, spec, out, bytes, err);
    if (code != HY_OK)
        hy_error_prefix(err, code, "%s", name);
    return code;
}
