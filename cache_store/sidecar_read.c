#include "cache_store/directory/names.h"
#include "cache_store/sidecar_text.h"

#include <string.h>

/*
 * A sidecar is read as the very text that it was written as, member by member: every start that
 * finds its models in a cache does it, and a reader of any JSON would take a hundred allocations.
 */
struct reader {
    const char *start, *at, *end;
    const char *member; /* that is being read */
};

static enum hy_code strange(const struct reader *reader, struct hy_error *err)
{
    return hy_fail(err, HY_BAD_DATA, "sidecar: %s is not as it is written (byte %zu)",
                   reader->member, (size_t)(reader->at - reader->start));
}

static size_t left(const struct reader *reader)
{
    return (size_t)(reader->end - reader->at);
}

/* Goes past the text, if that comes next. */
static bool take(struct reader *reader, const char *text)
{
    const size_t length = strlen(text);
    if (length > left(reader) || memcmp(reader->at, text, length) != 0)
        return false;
    reader->at += length;
    return true;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Of 1 to 19 digits, which fit, and no zeros in front. */
static bool take_digits(struct reader *reader, uint64_t *ret)
{
    const char *first = reader->at;
    *ret = 0;
    while (left(reader) > 0 && is_digit(*reader->at) && reader->at - first < 19)
        *ret = *ret * 10 + (uint64_t)(*reader->at++ - '0');
    return reader->at > first && (*first != '0' || reader->at - first == 1) &&
           (left(reader) == 0 || !is_digit(*reader->at));
}

static enum hy_code read_integer(struct reader *reader, int64_t min, int64_t max, int64_t *ret,
                                 struct hy_error *err)
{
    const bool is_negative = take(reader, "-");
    uint64_t digits = 0;
    if (!take_digits(reader, &digits) || digits > (uint64_t)INT64_MAX + is_negative ||
        (is_negative && digits == 0))
        return strange(reader, err);
    *ret = is_negative ? (int64_t)(0 - digits) : (int64_t)digits;
    if (*ret < min || *ret > max)
        return hy_fail(err, HY_BAD_DATA, "sidecar: %s is %lld, needs %lld to %lld", reader->member,
                       (long long)*ret, (long long)min, (long long)max);
    return HY_OK;
}

/* Also the quotation mark behind it. */
static enum hy_code read_hex(struct reader *reader, uint8_t *ret, size_t size, struct hy_error *err)
{
    char digits[2 * HY_TOKEN_SIZE + 1];
    if (left(reader) < 2 * size)
        return strange(reader, err);
    memcpy(digits, reader->at, 2 * size);
    digits[2 * size] = '\0';
    if (!hy_hex_parse(digits, ret, size))
        return strange(reader, err);
    reader->at += 2 * size;
    return take(reader, "\"") ? HY_OK : strange(reader, err);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* How many bytes a character of UTF-8 takes, the one that comes next; 0: it is none. */
static size_t character_length(const struct reader *reader)
{
    const unsigned char *at = (const unsigned char *)reader->at;
    const size_t length = at[0] < 0x80   ? 1
                          : at[0] < 0xc2 ? 0
                          : at[0] < 0xe0 ? 2
                          : at[0] < 0xf0 ? 3
                          : at[0] < 0xf5 ? 4
                                         : 0;
    if (length == 0 || length > left(reader))
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    const bool is_long = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    const bool is_none = (at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf4 && at[1] > 0x8f);
    return is_long || is_none ? 0 : length;
}

/* What is written with a backslash before it, which has been taken. */
static bool take_escaped(struct reader *reader, char *ret)
{
    static const char letters[] = "\"\\bfnrt", meant[] = "\"\\\b\f\n\r\t";
    const char *letter = left(reader) > 0 && *reader->at ? strchr(letters, *reader->at) : NULL;
    char digits[3] = {0};
    uint8_t byte = 0;
    if (letter) {
        reader->at++;
        *ret = meant[letter - letters];
        return true;
    }
    if (!take(reader, "u00") || left(reader) < 2)
        return false;
    memcpy(digits, reader->at, 2);
    for (size_t i = 0; i < 2; i++) {
        if (digits[i] >= 'A' && digits[i] <= 'F')
            digits[i] = (char)(digits[i] - 'A' + 'a');
    }
    reader->at += 2;
    if (!hy_hex_parse(digits, &byte, 1) || byte == 0 || byte >= ' ')
        return false;
    *ret = (char)byte;
    return true;
}

/* Also the quotation mark behind it. */
static enum hy_code read_text(struct reader *reader, char ret[HY_SIDECAR_MAX_TEXT + 1],
                              struct hy_error *err)
{
    size_t length = 0;
    while (!take(reader, "\"")) {
        const bool is_escaped = take(reader, "\\");
        const size_t next = is_escaped ? 1 : left(reader) > 0 ? character_length(reader) : 0;
        if (next == 0 || (!is_escaped && (unsigned char)*reader->at < ' '))
            return strange(reader, err);
        if (length + next > HY_SIDECAR_MAX_TEXT)
            return hy_fail(err, HY_BAD_DATA, "sidecar: %s has more than %u bytes", reader->member,
                           HY_SIDECAR_MAX_TEXT);
        if (is_escaped) {
            if (!take_escaped(reader, &ret[length]))
                return strange(reader, err);
        } else {
            memcpy(ret + length, reader->at, next);
            reader->at += next;
        }
        length += next;
    }
    ret[length] = '\0';
    return HY_OK;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Files stand in the order of their names: model-0, model-1, …, data-0, … */
static enum hy_code place_file(struct reader *reader, struct hy_sidecar *sidecar,
                               struct hy_sidecar_file **ret, struct hy_error *err)
{
    struct hy_file_counts *counts = &sidecar->counts;

    reader->member = "the name of a file";
    if (counts->data == 0 && counts->model < HY_MAX_CACHE_FILES &&
        take(reader, hy_model_name_make(counts->model).text))
        *ret = &sidecar->model[counts->model++];
    else if (counts->data < HY_MAX_CACHE_FILES &&
             take(reader, hy_data_name_make(counts->data).text))
        *ret = &sidecar->data[counts->data++];
    else
        return strange(reader, err);
    return HY_OK;
}

static enum hy_code read_file(struct reader *reader, struct hy_sidecar *sidecar,
                              struct hy_error *err)
{
    struct hy_sidecar_file *file = NULL;
    int64_t length = 0;

    if (!take(reader, "    {\n      \"name\": \""))
        return strange(reader, err);
    enum hy_code code = place_file(reader, sidecar, &file, err);
    if (code != HY_OK)
        return code;
    reader->member = "the length of a file";
    if (!take(reader, "\",\n      \"length\": "))
        return strange(reader, err);
    code = read_integer(reader, 0, INT64_MAX, &length, err);
    if (code != HY_OK)
        return code;
    file->length = (uint64_t)length;
    reader->member = "the digest of a file";
    if (!take(reader, ",\n      \"xxh3_128\": \""))
        return strange(reader, err);
    code = read_hex(reader, file->digest, sizeof file->digest, err);
    return code != HY_OK || take(reader, "\n    }") ? code : strange(reader, err);
}

static enum hy_code read_files(struct reader *reader, struct hy_sidecar *sidecar,
                               struct hy_error *err)
{
    reader->member = "files";
    if (take(reader, "[]"))
        return HY_OK;
    if (!take(reader, "[\n"))
        return strange(reader, err);
    do {
        enum hy_code code = read_file(reader, sidecar, err);
        if (code != HY_OK)
            return code;
    } while (take(reader, ",\n"));
    return take(reader, "\n  ]") ? HY_OK : strange(reader, err);
}

/* ---- The members ----------------------------------------------------------------------------- */

/* Up to where its value begins; `before` is the end of the member before it. */
static enum hy_code begin(struct reader *reader, const char *before, const char *member,
                          struct hy_error *err)
{
    reader->member = member;
    if (take(reader, before) && take(reader, "  \"") && take(reader, member) &&
        take(reader, "\": "))
        return HY_OK;
    return strange(reader, err);
}

static enum hy_code read_number_member(struct reader *reader, const char *before,
                                       const char *member, int64_t min, int64_t max, int64_t *ret,
                                       struct hy_error *err)
{
    enum hy_code code = begin(reader, before, member, err);
    return code == HY_OK ? read_integer(reader, min, max, ret, err) : code;
}

static enum hy_code read_text_member(struct reader *reader, const char *member,
                                     char ret[HY_SIDECAR_MAX_TEXT + 1], struct hy_error *err)
{
    enum hy_code code = begin(reader, ",\n", member, err);
    if (code == HY_OK && !take(reader, "\""))
        code = strange(reader, err);
    return code == HY_OK ? read_text(reader, ret, err) : code;
}

static enum hy_code read_token(struct reader *reader, struct hy_sidecar *sidecar,
                               struct hy_error *err)
{
    enum hy_code code = begin(reader, ",\n", "token", err);
    if (code == HY_OK && !take(reader, "\""))
        code = strange(reader, err);
    return code == HY_OK ? read_hex(reader, sidecar->token, sizeof sidecar->token, err) : code;
}

static enum hy_code read_numbers(struct reader *reader, struct hy_sidecar *sidecar,
                                 struct hy_error *err)
{
    static const char before[] = ",\n";
    int64_t operations = 0, preference = 0, priority = 0;

    enum hy_code code =
        read_number_member(reader, before, "operations", 0, UINT32_MAX, &operations, err);
    if (code == HY_OK)
        code = read_number_member(reader, before, "preference", INT32_MIN, INT32_MAX, &preference,
                                  err);
    if (code == HY_OK)
        code = read_number_member(reader, before, "priority", INT32_MIN, INT32_MAX, &priority, err);
    if (code == HY_OK)
        code = read_number_member(reader, before, "created", INT64_MIN, INT64_MAX,
                                  &sidecar->created, err);
    sidecar->operations = (uint32_t)operations;
    sidecar->preference = (int32_t)preference;
    sidecar->priority = (int32_t)priority;
    return code;
}

static enum hy_code read_kept_open(struct reader *reader, struct hy_sidecar *sidecar,
                                   struct hy_error *err)
{
    enum hy_code code = begin(reader, ",\n", "kept_open", err);
    if (code != HY_OK)
        return code;
    sidecar->is_kept_open = take(reader, "true");
    return sidecar->is_kept_open || take(reader, "false") ? HY_OK : strange(reader, err);
}

static enum hy_code read_members(struct reader *reader, struct hy_sidecar *sidecar,
                                 struct hy_error *err)
{
    int64_t version = 0;

    enum hy_code code = read_number_member(reader, "{\n", "halyard_cache_entry", HY_SIDECAR_VERSION,
                                           HY_SIDECAR_VERSION, &version, err);
    if (code == HY_OK)
        code = read_token(reader, sidecar, err);
    if (code == HY_OK)
        code = read_text_member(reader, "device", sidecar->device, err);
    if (code == HY_OK)
        code = read_text_member(reader, "version", sidecar->version, err);
    if (code == HY_OK)
        code = read_text_member(reader, "build_id", sidecar->build_id, err);
    if (code == HY_OK)
        code = read_numbers(reader, sidecar, err);
    if (code == HY_OK)
        code = read_kept_open(reader, sidecar, err);
    if (code == HY_OK)
        code = begin(reader, ",\n", "files", err);
    if (code == HY_OK)
        code = read_files(reader, sidecar, err);
    return code;
}

enum hy_code hy_sidecar_read(const char *text, size_t length, struct hy_sidecar *ret,
                             struct hy_error *err)
{
    struct reader reader = {text, text, text + length, "it"};
    struct hy_sidecar sidecar = {0};

    enum hy_code code = read_members(&reader, &sidecar, err);
    if (code != HY_OK)
        return code;
    if (!take(&reader, ",\n") || left(&reader) > 0)
        return strange(&reader, err);
    *ret = sidecar;
    return HY_OK;
}
