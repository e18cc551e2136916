#include "libhalyard/preprocess/input.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "libhalyard/preprocess/npy.h"

/* An extension of files that are known by their first bytes. */
static bool promises_contents(const char *name)
{
    static const char *const extensions[] = {".jpeg", ".jpg", ".npy", ".png"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof extensions / sizeof extensions[0]; i++)
        if (strcasecmp(dot, extensions[i]) == 0)
            return true;
    return false;
}

/* The format of a picture that is not read; NULL: unknown. */
static const char *other_picture(const void *file, size_t length)
{
    static const struct {
        const char *name;
        size_t at, length;
        const char *bytes;
    } formats[] = {
        {"AVIF", 4, 8, "ftypavif"}, {"BMP", 0, 2, "BM"},     {"GIF", 0, 4, "GIF8"},
        {"HEIC", 4, 8, "ftypheic"}, {"TIFF", 0, 4, "II*\0"}, {"TIFF", 0, 4, "MM\0*"},
        {"WebP", 8, 4, "WEBP"},
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (length >= formats[i].at + formats[i].length &&
            memcmp((const char *)file + formats[i].at, formats[i].bytes, formats[i].length) == 0)
            return formats[i].name;
    return NULL;
}

static enum hy_code decode_raw(const void *file, size_t length, const struct hy_input_spec *spec,
                               void *out, size_t bytes, struct hy_error *err)
{
    if (length != bytes) {
        const char *format = other_picture(file, length);
        if (format)
            return hy_fail(err, HY_BAD_DATA, "a %s picture; only PNG and JPEG can be read", format);
        char shape[96];
        hy_input_spec_text(spec, shape, sizeof shape);
        return hy_fail(err, HY_BAD_DATA, "%zu raw bytes, the input %s needs %zu", length, shape,
                       bytes);
    }
    memcpy(out, file, bytes);
    return HY_OK;
}

static enum hy_code check_spec(const struct hy_input_spec *spec, size_t bytes, struct hy_error *err)
{
    uint64_t needed;
    if (!hy_element_bytes(spec->type, spec->rank, spec->dims, &needed) ||
        hy_element_bits(spec->type) == 0 || needed != bytes)
        return hy_fail(err, HY_BAD_DATA,
                       "the input has type %s and rank %" PRIu32 ", and does not need %zu bytes",
                       hy_element_name(spec->type), spec->rank, bytes);
    return HY_OK;
}

enum hy_code hy_input_decode(const char *name, const void *file, size_t length,
                             const struct hy_input_spec *spec, void *out, size_t bytes,
                             struct hy_error *err)
{
    enum hy_code code = check_spec(spec, bytes, err);
    if (code == HY_OK && hy_npy_is(file, length))
        code = hy_npy_decode(file, length, spec, out, bytes, err);
    else if (code == HY_OK && promises_contents(name))
        code =
            hy_fail(err, HY_BAD_DATA, "the contents do not match the extension of the file name");
    else if (code == HY_OK)
        code = decode_raw(file, length, spec, out, bytes, err);
    if (code != HY_OK)
        hy_error_prefix(err, code, "%s", name);
    return code;
}
