/* Profile files as JSON. Unknown members are ignored, as a later version may write more. */
#include "runtime/profile/profile_file.h"

#include "runtime/extension/code_text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_VERSION "1.0.0"
#define FORMAT_MAJOR   "1." /* start of supported versions */

/* ---- Reading --------------------------------------------------------------------------------- */

static enum hy_code find_text(const json_t *object, const char *name, const char **ret,
                              struct hy_error *err)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_string(value))
        return hy_fail(err, HY_BAD_DATA, "%s is not a string", name);
    *ret = json_string_value(value);
    if (strlen(*ret) != json_string_length(value))
        return hy_fail(err, HY_BAD_DATA, "%s contains a NUL", name);
    return HY_OK;
}

static enum hy_code find_number(const json_t *object, const char *name, double *ret,
                                struct hy_error *err)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_number(value))
        return hy_fail(err, HY_BAD_DATA, "%s is not a number", name);
    *ret = json_number_value(value);
    return HY_OK;
}

static enum hy_code find_array(const json_t *object, const char *name, const json_t **ret,
                               struct hy_error *err)
{
    *ret = json_object_get(object, name);
    return json_is_array(*ret) ? HY_OK : hy_fail(err, HY_BAD_DATA, "%s is not an array", name);
}

/* The JSON object owns the texts. */
static enum hy_code read_texts(const json_t *object, struct hy_profile_unknown *ret,
                               struct hy_error *err)
{
    const char *operation, *type;

    enum hy_code code = find_text(object, "operation", &operation, err);
    if (code == HY_OK)
        code = find_text(object, "type", &type, err);
    if (code != HY_OK)
        return code;
    ret->operation = (char *)operation;
    ret->type = (char *)type;
    return HY_OK;
}

static enum hy_code find_key(const json_t *object, const struct hy_profile_unknown *texts,
                             struct hy_profile_key *ret, struct hy_error *err)
{
    enum hy_code code = hy_operation_find_text(texts->operation, &ret->operation, err);
    if (code == HY_OK)
        code = hy_operand_type_find_text(texts->type, &ret->type, err);
    if (code != HY_OK)
        return code;
    const json_t *relaxed = json_object_get(object, "relaxed");
    if (!json_is_boolean(relaxed))
        return hy_fail(err, HY_BAD_DATA, "relaxed is not a boolean");
    ret->relaxed = json_is_true(relaxed);
    return HY_OK;
}

/* Only extensions of devices and apps have prefixes; they are known when files are read. */
static enum hy_code read_entry(const json_t *object, struct hy_profile *profile,
                               struct hy_error *err)
{
    struct hy_profile_unknown read;
    struct hy_profile_key key;

    enum hy_code code = read_texts(object, &read, err);
    if (code == HY_OK)
        code = find_key(object, &read, &key, err);
    if (code == HY_OK)
        code = find_number(object, "units", &read.units, err);
    if (code == HY_OK)
        code = find_number(object, "ns", &read.ns, err);
    if (code != HY_OK)
        return code;
    read.relaxed = key.relaxed;
    if (key.operation == HY_UNKNOWN_CODE || key.type == HY_UNKNOWN_CODE)
        return hy_profile_add_unknown(profile, &read, err);
    return hy_profile_set(profile, key, read.units, read.ns, err);
}

static enum hy_code read_profile(const json_t *object, struct hy_profile *profile,
                                 struct hy_error *err)
{
    const json_t *entries, *entry;
    double launch_ns;
    size_t index;

    enum hy_code code = find_number(object, "launch_ns", &launch_ns, err);
    if (code == HY_OK)
        code = hy_profile_set_launch(profile, launch_ns, err);
    if (code == HY_OK)
        code = find_array(object, "operations", &entries, err);
    if (code != HY_OK)
        return code;
    json_array_foreach(entries, index, entry)
    {
        code = read_entry(entry, profile, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "operations[%zu]", index);
    }
    return HY_OK;
}

static enum hy_code read_record(const json_t *object, struct hy_profile_file *file,
                                struct hy_error *err)
{
    const char *device, *version, *build_id, *cpu;
    struct hy_profile_record *record;

    enum hy_code code = find_text(object, "name", &device, err);
    if (code == HY_OK)
        code = find_text(object, "version", &version, err);
    if (code == HY_OK)
        code = find_text(object, "build_id", &build_id, err);
    if (code == HY_OK)
        code = find_text(object, "cpu", &cpu, err);
    if (code == HY_OK && hy_profile_file_find(file, device))
        code = hy_fail(err, HY_BAD_DATA, "%.64s is given twice", device);
    if (code == HY_OK)
        code = hy_profile_file_put(file, device, version, build_id, cpu, &record, err);
    return code == HY_OK ? read_profile(object, &record->profile, err) : code;
}

static enum hy_code read_root(const json_t *root, struct hy_profile_file *file,
                              struct hy_error *err)
{
    const json_t *devices, *device;
    const char *format;
    size_t index;

    enum hy_code code = find_text(root, "file_format_version", &format, err);
    if (code == HY_OK && strncmp(format, FORMAT_MAJOR, strlen(FORMAT_MAJOR)) != 0)
        code = hy_fail(err, HY_BAD_DATA, "file_format_version is \"%.32s\", needs 1.x", format);
    if (code == HY_OK)
        code = find_array(root, "devices", &devices, err);
    if (code != HY_OK)
        return code;
    json_array_foreach(devices, index, device)
    {
        code = read_record(device, file, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "devices[%zu]", index);
    }
    return HY_OK;
}

enum hy_code hy_profile_file_parse(const char *text, size_t length, struct hy_profile_file *ret,
                                   struct hy_error *err)
{
    struct hy_profile_file file = {0};
    json_error_t error;

    if (length > HY_PROFILE_FILE_MAX_BYTES)
        return hy_fail(err, HY_BAD_DATA, "the file has %zu bytes, at most %u are allowed", length,
                       HY_PROFILE_FILE_MAX_BYTES);
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        const bool lacks_memory = json_error_code(&error) == json_error_out_of_memory;
        return hy_fail(err, lacks_memory ? HY_OUT_OF_MEMORY : HY_BAD_DATA,
                       "not JSON: line %d, column %d: %s", error.line, error.column, error.text);
    }
    enum hy_code code = read_root(root, &file, err);
    json_decref(root);
    if (code != HY_OK) {
        hy_profile_file_finish(&file);
        return code;
    }
    *ret = file;
    return HY_OK;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* JSON constructors return NULL without memory, and functions that consume an object accept
 * NULL. */
static json_t *entry_object(const char *operation, const char *type, bool relaxed, double units,
                            double ns)
{
    return json_pack("{s:s, s:s, s:b, s:f, s:f}", "operation", operation, "type", type, "relaxed",
                     (int)relaxed, "units", units, "ns", ns);
}

static json_t *known_object(const struct hy_profile_entry *entry)
{
    return entry_object(hy_operation_text(entry->key.operation),
                        hy_operand_type_text(entry->key.type), entry->key.relaxed, entry->units,
                        entry->ns);
}

static json_t *unknown_object(const struct hy_profile_unknown *entry)
{
    return entry_object(entry->operation, entry->type, entry->relaxed, entry->units, entry->ns);
}

static json_t *entry_array(const struct hy_profile *profile)
{
    json_t *array = json_array();
    bool done = array;

    for (uint32_t i = 0; done && i < profile->count; i++)
        done = json_array_append_new(array, known_object(&profile->entries[i])) == 0;
    for (uint32_t i = 0; done && i < profile->unknown_count; i++)
        done = json_array_append_new(array, unknown_object(&profile->unknown[i])) == 0;
    if (done)
        return array;
    json_decref(array);
    return NULL;
}

static json_t *record_object(const struct hy_profile_record *record)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:f, s:o}", "name", record->device, "version",
                     record->version, "build_id", record->build_id, "cpu", record->cpu, "launch_ns",
                     record->profile.launch_ns, "operations", entry_array(&record->profile));
}

static json_t *record_array(const struct hy_profile_file *file)
{
    json_t *array = json_array();
    for (uint32_t i = 0; array && i < file->count; i++) {
        if (json_array_append_new(array, record_object(&file->records[i])) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

enum hy_code hy_profile_file_format(const struct hy_profile_file *file, char **ret_text,
                                    struct hy_error *err)
{
    json_t *root = json_pack("{s:s, s:o}", "file_format_version", FORMAT_VERSION, "devices",
                             record_array(file));
    char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);
    if (!text)
        return hy_fail(err, HY_OUT_OF_MEMORY, "profiles of %u devices", file->count);
    *ret_text = text;
    return HY_OK;
}
