#include "cache_store/directory/names.h"
#include "cache_store/sidecar_text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_VERSION 1
#define DIGEST_TEXT    33u /* 16 bytes in hexadecimal digits */

/* Of the object, with version and check, and of one file. */
enum { MEMBER_COUNT = 12, FILE_MEMBER_COUNT = 3 };

/* ---- Writing --------------------------------------------------------------------------------- */

/* A driver's text that JSON cannot hold loses what is no printable ASCII. */
static json_t *text_value(const char *text)
{
    char plain[HY_SIDECAR_MAX_TEXT + 1];
    json_t *value = json_string(text);
    if (value)
        return value;
    size_t length = 0;
    for (; text[length]; length++)
        plain[length] = (text[length] >= ' ' && text[length] <= '~') ? text[length] : '?';
    plain[length] = '\0';
    return json_string(plain);
}

static json_t *file_value(struct hy_file_name name, const struct hy_sidecar_file *file)
{
    char digest[DIGEST_TEXT];
    hy_hex_format(file->digest, sizeof file->digest, digest);
    return json_pack("{s:s, s:I, s:s}", "name", name.text, "length", (json_int_t)file->length,
                     "xxh3_128", digest);
}

/* Those that take a value take NULL too, which is a failure. */
static json_t *file_list(const struct hy_sidecar *sidecar)
{
    json_t *list = json_array();
    int failed = list ? 0 : -1;

    for (uint32_t i = 0; !failed && i < sidecar->counts.model; i++)
        failed = json_array_append_new(list, file_value(hy_model_name_make(i), &sidecar->model[i]));
    for (uint32_t i = 0; !failed && i < sidecar->counts.data; i++)
        failed = json_array_append_new(list, file_value(hy_data_name_make(i), &sidecar->data[i]));
    if (failed) {
        json_decref(list);
        return NULL;
    }
    return list;
}

enum hy_code hy_sidecar_write_json(const struct hy_sidecar *sidecar, char **ret,
                                   struct hy_error *err)
{
    const struct hy_token_name token = hy_token_name_make(sidecar->token);
    json_t *root = json_pack("{s:i, s:s, s:o, s:o, s:o, s:I, s:i, s:i, s:I, s:b, s:o}",
                             "halyard_cache_entry", FORMAT_VERSION, "token", token.text, "device",
                             text_value(sidecar->device), "version", text_value(sidecar->version),
                             "build_id", text_value(sidecar->build_id), "operations",
                             (json_int_t)sidecar->operations, "preference", sidecar->preference,
                             "priority", sidecar->priority, "created", (json_int_t)sidecar->created,
                             "kept_open", (int)sidecar->is_kept_open, "files", file_list(sidecar));
    char *text = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    if (!text)
        return hy_fail(err, HY_OUT_OF_MEMORY, "sidecar");
    *ret = text;
    return HY_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static enum hy_code read_integer(const json_t *object, const char *name, int64_t min, int64_t max,
                                 int64_t *ret, struct hy_error *err)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_integer(value))
        return hy_fail(err, HY_BAD_DATA, "sidecar: %s is no integer", name);
    *ret = json_integer_value(value);
    if (*ret < min || *ret > max)
        return hy_fail(err, HY_BAD_DATA, "sidecar: %s is %lld, needs %lld to %lld", name,
                       (long long)*ret, (long long)min, (long long)max);
    return HY_OK;
}

static enum hy_code find_text(const json_t *object, const char *name, const char **ret,
                              struct hy_error *err)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_string(value))
        return hy_fail(err, HY_BAD_DATA, "sidecar: %s is no string", name);
    *ret = json_string_value(value);
    if (strlen(*ret) != json_string_length(value))
        return hy_fail(err, HY_BAD_DATA, "sidecar: %s holds a NUL", name);
    return HY_OK;
}

static enum hy_code read_text(const json_t *object, const char *name,
                              char ret[HY_SIDECAR_MAX_TEXT + 1], struct hy_error *err)
{
    const char *text = NULL;
    enum hy_code code = find_text(object, name, &text, err);
    if (code != HY_OK)
        return code;
    if (strlen(text) > HY_SIDECAR_MAX_TEXT)
        return hy_fail(err, HY_BAD_DATA, "sidecar: %s has %zu bytes, at most %u are allowed", name,
                       strlen(text), HY_SIDECAR_MAX_TEXT);
    memcpy(ret, text, strlen(text) + 1);
    return HY_OK;
}

static enum hy_code read_hex(const json_t *object, const char *name, uint8_t *ret, size_t size,
                             struct hy_error *err)
{
    const char *text = NULL;
    enum hy_code code = find_text(object, name, &text, err);
    if (code == HY_OK && !hy_hex_parse(text, ret, size))
        code = hy_fail(err, HY_BAD_DATA, "sidecar: %s is not %zu digits", name, 2 * size);
    return code;
}

static enum hy_code read_bool(const json_t *object, const char *name, bool *ret,
                              struct hy_error *err)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_boolean(value))
        return hy_fail(err, HY_BAD_DATA, "sidecar: %s is no boolean", name);
    *ret = json_is_true(value);
    return HY_OK;
}

/* Files stand in the order of their names: model-0, model-1, …, data-0, … */
static enum hy_code place_file(struct hy_sidecar *sidecar, const char *name,
                               struct hy_sidecar_file **ret, struct hy_error *err)
{
    struct hy_file_counts *counts = &sidecar->counts;

    if (counts->data == 0 && counts->model < HY_MAX_CACHE_FILES &&
        strcmp(name, hy_model_name_make(counts->model).text) == 0) {
        *ret = &sidecar->model[counts->model++];
        return HY_OK;
    }
    if (counts->data < HY_MAX_CACHE_FILES &&
        strcmp(name, hy_data_name_make(counts->data).text) == 0) {
        *ret = &sidecar->data[counts->data++];
        return HY_OK;
    }
    return hy_fail(err, HY_BAD_DATA, "sidecar: file \"%.32s\" is out of order", name);
}

static enum hy_code read_file(const json_t *object, struct hy_sidecar *sidecar,
                              struct hy_error *err)
{
    struct hy_sidecar_file *file = NULL;
    const char *name = NULL;
    int64_t length = 0;

    if (json_object_size(object) != FILE_MEMBER_COUNT)
        return hy_fail(err, HY_BAD_DATA, "sidecar: a file has %zu members, needs %d",
                       json_object_size(object), FILE_MEMBER_COUNT);
    enum hy_code code = find_text(object, "name", &name, err);
    if (code == HY_OK)
        code = place_file(sidecar, name, &file, err);
    if (code == HY_OK)
        code = read_integer(object, "length", 0, INT64_MAX, &length, err);
    if (code != HY_OK)
        return code;
    file->length = (uint64_t)length;
    return read_hex(object, "xxh3_128", file->digest, sizeof file->digest, err);
}

static enum hy_code read_files(const json_t *root, struct hy_sidecar *sidecar, struct hy_error *err)
{
    const json_t *list = json_object_get(root, "files");
    const json_t *file;
    size_t index;

    if (!json_is_array(list))
        return hy_fail(err, HY_BAD_DATA, "sidecar: files is no array");
    json_array_foreach(list, index, file)
    {
        enum hy_code code = read_file(file, sidecar, err);
        if (code != HY_OK)
            return code;
    }
    return HY_OK;
}

static enum hy_code read_numbers(const json_t *root, struct hy_sidecar *sidecar,
                                 struct hy_error *err)
{
    int64_t operations = 0, preference = 0, priority = 0;

    enum hy_code code = read_integer(root, "operations", 0, UINT32_MAX, &operations, err);
    if (code == HY_OK)
        code = read_integer(root, "preference", INT32_MIN, INT32_MAX, &preference, err);
    if (code == HY_OK)
        code = read_integer(root, "priority", INT32_MIN, INT32_MAX, &priority, err);
    if (code == HY_OK)
        code = read_integer(root, "created", INT64_MIN, INT64_MAX, &sidecar->created, err);
    sidecar->operations = (uint32_t)operations;
    sidecar->preference = (int32_t)preference;
    sidecar->priority = (int32_t)priority;
    return code;
}

static enum hy_code read_members(const json_t *root, struct hy_sidecar *sidecar,
                                 struct hy_error *err)
{
    int64_t version = 0;

    /* The version comes first: it decides whether the rest means anything. */
    enum hy_code code =
        read_integer(root, "halyard_cache_entry", FORMAT_VERSION, FORMAT_VERSION, &version, err);
    if (code == HY_OK && json_object_size(root) != MEMBER_COUNT)
        code = hy_fail(err, HY_BAD_DATA, "sidecar: %zu members, needs %d", json_object_size(root),
                       MEMBER_COUNT);
    if (code == HY_OK)
        code = read_hex(root, "token", sidecar->token, sizeof sidecar->token, err);
    if (code == HY_OK)
        code = read_text(root, "device", sidecar->device, err);
    if (code == HY_OK)
        code = read_text(root, "version", sidecar->version, err);
    if (code == HY_OK)
        code = read_text(root, "build_id", sidecar->build_id, err);
    if (code == HY_OK)
        code = read_numbers(root, sidecar, err);
    if (code == HY_OK)
        code = read_bool(root, "kept_open", &sidecar->is_kept_open, err);
    if (code == HY_OK)
        code = read_files(root, sidecar, err);
    return code;
}

/* The library does not tell of every allocation that failed: then it has no words. */
static enum hy_code load_code(const json_error_t *error)
{
    const bool lacks_memory = json_error_code(error) == json_error_out_of_memory || !error->text[0];
    return lacks_memory ? HY_OUT_OF_MEMORY : HY_BAD_DATA;
}

enum hy_code hy_sidecar_read_json(const char *text, size_t length, struct hy_sidecar *ret,
                                  struct hy_error *err)
{
    struct hy_sidecar sidecar = {0};
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        return hy_fail(err, load_code(&error), "sidecar: no JSON: line %d, column %d: %s",
                       error.line, error.column, error.text);
    enum hy_code code = read_members(root, &sidecar, err);
    json_decref(root);
    if (code == HY_OK)
        *ret = sidecar;
    return code;
}
