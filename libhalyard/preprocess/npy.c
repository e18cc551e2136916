#include "libhalyard/preprocess/npy.h"

#include <inttypes.h>
#include <string.h>

#include "libhalyard/tflite/flatbuffer.h"

enum {
    MAX_HEADER_BYTES = 64 << 10,
};

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

struct header {
    char descr[16];
    bool fortran_order;
    uint32_t rank;
    uint64_t dims[HY_NPY_MAX_RANK];
};

/* The header's text, and how far it has been read. */
struct cursor {
    const char *at;
    const char *end;
};

static void skip_spaces(struct cursor *cursor)
{
    while (cursor->at < cursor->end &&
           (*cursor->at == ' ' || *cursor->at == '\n' || *cursor->at == '\t'))
        cursor->at++;
}

/* Skips `word` if the text continues with it. */
static bool consume(struct cursor *cursor, const char *word)
{
    const size_t length = strlen(word);
    skip_spaces(cursor);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

static bool parse_string(struct cursor *cursor, char *out, size_t size)
{
    const char *quote = consume(cursor, "'") ? "'" : "\"";
    if (*quote == '"' && !consume(cursor, "\""))
        return false;
    size_t length = 0;
    while (cursor->at < cursor->end && *cursor->at != *quote && length + 1 < size)
        out[length++] = *cursor->at++;
    out[length] = '\0';
    return cursor->at < cursor->end && *cursor->at++ == *quote;
}

static bool parse_number(struct cursor *cursor, uint64_t *out)
{
    uint64_t value = 0;
    unsigned digits = 0;
    skip_spaces(cursor);
    for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; digits++)
        value = value * 10 + (uint64_t)(*cursor->at++ - '0');
    *out = value;
    return digits >= 1 && digits <= 10; /* far from 64 bits, and any real dimension fits */
}

/* (), (3,), (1, 2) */
static bool parse_shape(struct cursor *cursor, struct header *out)
{
    if (!consume(cursor, "("))
        return false;
    while (!consume(cursor, ")")) {
        if (out->rank == HY_NPY_MAX_RANK || !parse_number(cursor, &out->dims[out->rank]))
            return false;
        out->rank++;
        if (!consume(cursor, ","))
            return consume(cursor, ")");
    }
    return true;
}

static bool parse_bool(struct cursor *cursor, bool *out)
{
    *out = consume(cursor, "True");
    return *out || consume(cursor, "False");
}

enum key { KEY_DESCR = 1, KEY_ORDER = 2, KEY_SHAPE = 4, KEY_ALL = 7 };

/* Reads one `'key': value`; returns the key's bit, 0 for malformed text. */
static unsigned parse_entry(struct cursor *cursor, struct header *out)
{
    char key[16];
    if (!parse_string(cursor, key, sizeof key) || !consume(cursor, ":"))
        return 0;
    if (strcmp(key, "descr") == 0)
        return parse_string(cursor, out->descr, sizeof out->descr) ? KEY_DESCR : 0;
    if (strcmp(key, "fortran_order") == 0)
        return parse_bool(cursor, &out->fortran_order) ? KEY_ORDER : 0;
    if (strcmp(key, "shape") == 0)
        return parse_shape(cursor, out) ? KEY_SHAPE : 0;
    return 0;
}

static bool parse_header(struct cursor *cursor, struct header *out)
{
    unsigned seen = 0;
    if (!consume(cursor, "{"))
        return false;
    while (!consume(cursor, "}")) {
        const unsigned key = parse_entry(cursor, out);
        if (key == 0 || (seen & key))
            return false;
        seen |= key;
        if (!consume(cursor, ",")) {
            if (!consume(cursor, "}"))
                return false;
            break;
        }
    }
    skip_spaces(cursor);
    return seen == KEY_ALL && cursor->at == cursor->end;
}

/* NumPy's name of the element type, without the byte order; NULL: .npy has none for it. */
static const char *npy_type(enum hy_element type)
{
    switch (type) {
    case HY_ELEMENT_FLOAT16:
        return "f2";
    case HY_ELEMENT_FLOAT32:
        return "f4";
    case HY_ELEMENT_FLOAT64:
        return "f8";
    case HY_ELEMENT_BOOL:
        return "b1";
    case HY_ELEMENT_INT8:
        return "i1";
    case HY_ELEMENT_INT16:
        return "i2";
    case HY_ELEMENT_INT32:
        return "i4";
    case HY_ELEMENT_INT64:
        return "i8";
    case HY_ELEMENT_UINT8:
        return "u1";
    case HY_ELEMENT_UINT16:
        return "u2";
    case HY_ELEMENT_UINT32:
        return "u4";
    case HY_ELEMENT_UINT64:
        return "u8";
    case HY_ELEMENT_COMPLEX64:
        return "c8";
    case HY_ELEMENT_COMPLEX128:
        return "c16";
    default:
        return NULL;
    }
}

static enum hy_code check_type(const struct header *header, enum hy_element type,
                               struct hy_error *err)
{
    const char order = hy_element_bits(type) == 8 ? '|' : '<';
    const char *name = npy_type(type);
    if (!name)
        return hy_fail(err, HY_BAD_DATA, ".npy has no element type for %s", hy_element_name(type));

    /* One byte has no order; NumPy writes '|', others '<'. */
    const bool order_fits = header->descr[0] == order || header->descr[0] == '<';
    if (!order_fits || strcmp(header->descr + 1, name) != 0)
        return hy_fail(err, HY_BAD_DATA, ".npy elements are '%s', the input is %s and needs '%c%s'",
                       header->descr, hy_element_name(type), order, name);
    return HY_OK;
}

static enum hy_code check_shape(const struct header *header, const struct hy_input_spec *spec,
                                struct hy_error *err)
{
    uint32_t i = 0, k = 0;
    while (i < header->rank && header->dims[i] == 1)
        i++;
    while (k < spec->rank && spec->dims[k] == 1)
        k++;
    bool same = header->rank - i == spec->rank - k;
    for (; same && i < header->rank; i++, k++)
        same = header->dims[i] == (uint64_t)spec->dims[k];
    if (same)
        return HY_OK;

    char shape[96];
    hy_input_spec_text(spec, shape, sizeof shape);
    return hy_fail(err, HY_BAD_DATA,
                   ".npy has a shape of rank %" PRIu32 " that differs from the input %s",
                   header->rank, shape);
}

/* Finds the header; it must be inside the file and of sensible length. */
static enum hy_code find_header(const uint8_t *file, size_t length, struct cursor *out,
                                struct hy_error *err)
{
    const unsigned major = length > 6 ? file[6] : 0;
    const size_t start = major == 1 ? 10 : 12;
    if (major < 1 || major > 3)
        return hy_fail(err, HY_BAD_DATA, ".npy version %u, needs 1, 2 or 3", major);
    if (length < start)
        return hy_fail(err, HY_BAD_DATA, ".npy ends after %zu bytes, before its header", length);

    const uint64_t size = major == 1 ? hy_load_u16(file + 8) : hy_load_u32(file + 8);
    if (size > MAX_HEADER_BYTES || size > length - start)
        return hy_fail(err, HY_BAD_DATA,
                       ".npy header claims %" PRIu64 " bytes; the file has %zu, the limit is %d",
                       size, length, MAX_HEADER_BYTES);
    out->at = (const char *)file + start;
    out->end = out->at + size;
    return HY_OK;
}

bool hy_npy_is(const void *file, size_t length)
{
    return length >= sizeof magic && memcmp(file, magic, sizeof magic) == 0;
}

/* Sets `*data` to the bytes after the header. */
static enum hy_code read_header(const void *file, size_t length, struct header *out,
                                const char **data, struct hy_error *err)
{
    struct cursor cursor = {0};
    const enum hy_code code = find_header(file, length, &cursor, err);
    if (code != HY_OK)
        return code;
    *data = cursor.end;
    if (!parse_header(&cursor, out))
        return hy_fail(err, HY_BAD_DATA,
                       ".npy header is malformed at byte %zu (needs descr, fortran_order, shape)",
                       (size_t)(cursor.at - (const char *)file));
    return HY_OK;
}

enum hy_code hy_npy_read_shape(const void *file, size_t length, uint32_t *rank,
                               int32_t extents[HY_NPY_MAX_RANK], struct hy_error *err)
{
    struct header header = {0};
    const char *data = NULL;
    const enum hy_code code = read_header(file, length, &header, &data, err);
    if (code != HY_OK)
        return code;
    for (uint32_t i = 0; i < header.rank; i++) {
        if (header.dims[i] > INT32_MAX)
            return hy_fail(err, HY_BAD_DATA, ".npy has an extent of %" PRIu64, header.dims[i]);
        extents[i] = (int32_t)header.dims[i];
    }
    *rank = header.rank;
    return HY_OK;
}

enum hy_code hy_npy_decode(const void *file, size_t length, const struct hy_input_spec *spec,
                           void *out, size_t bytes, struct hy_error *err)
{
    struct header header = {0};
    const char *data = NULL;
    enum hy_code code = read_header(file, length, &header, &data, err);
    if (code != HY_OK)
        return code;
    if (header.fortran_order && header.rank > 1)
        return hy_fail(err, HY_BAD_DATA, ".npy is in Fortran order, needs C order");
    code = check_type(&header, spec->type, err);
    if (code == HY_OK)
        code = check_shape(&header, spec, err);
    if (code != HY_OK)
        return code;

    const size_t stored = length - (size_t)(data - (const char *)file);
    if (stored != bytes)
        return hy_fail(err, HY_BAD_DATA, ".npy has %zu bytes of elements, its shape needs %zu",
                       stored, bytes);
    memcpy(out, data, bytes);
    return HY_OK;
}
