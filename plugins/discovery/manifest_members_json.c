#include "plugins/discovery/manifest_members_json.h"

#include "common/near_name.h"
#include "common/printable.h"
#include "plugins/discovery/manifest.h"
#include "plugins/discovery/refusal_list.h"

#include <stdlib.h>
#include <string.h>

const char *hy_json_type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a real number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    default:
        return "null";
    }
}

/* ---- Whole-document checks ------------------------------------------------------------------- */

static bool is_deeper_than(const json_t *value, unsigned limit)
{
    if (!json_is_object(value) && !json_is_array(value))
        return false;
    if (limit == 0)
        return true;

    const char *key;
    json_t *member;
    size_t index;
    json_object_foreach((json_t *)value, key, member)
    {
        if (is_deeper_than(member, limit - 1))
            return true;
    }
    json_array_foreach(value, index, member)
    {
        if (is_deeper_than(member, limit - 1))
            return true;
    }
    return false;
}

enum hy_code hy_manifest_load(const char *text, size_t length, json_t **out, struct hy_error *err)
{
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        enum hy_code code =
            json_error_code(&error) == json_error_out_of_memory ? HY_OUT_OF_MEMORY : HY_BAD_DATA;
        return hy_fail(err, code, "manifest is not JSON: line %d, column %d: %s", error.line,
                       error.column, error.text);
    }
    if (!json_is_object(root)) {
        enum hy_code code =
            hy_fail(err, HY_BAD_DATA, "manifest is %s, needs an object", hy_json_type_name(root));
        json_decref(root);
        return code;
    }
    if (is_deeper_than(root, HY_MANIFEST_MAX_DEPTH)) {
        json_decref(root);
        return hy_fail(err, HY_BAD_DATA, "manifest is nested deeper than %u levels",
                       HY_MANIFEST_MAX_DEPTH);
    }
    *out = root;
    return HY_OK;
}

void hy_manifest_log_unknown(const struct hy_manifest_reader *reader, json_t *object,
                             const char *where, const char *const *known)
{
    const char *key;
    json_t *member;
    size_t count = 0;
    while (known[count])
        count++;
    json_object_foreach(object, key, member)
    {
        const char *const *name = known;
        while (*name && strcmp(*name, key) != 0)
            name++;
        if (*name)
            continue;
        const char *near = hy_near_name(key, known, count);
        hy_plugins_log(reader->host, HY_LOG_WARNING, reader->path,
                       "unknown member %s\"%s\" ignored%s%s%s", where, key,
                       near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
}

/* ---- Values of one type ---------------------------------------------------------------------- */

enum hy_code hy_manifest_find(const struct hy_manifest_reader *reader, const json_t *object,
                              const char *name, json_type type, bool required, const char *needs,
                              const json_t **out)
{
    const json_t *value = json_object_get(object, name);
    if (!value && required)
        return hy_fail(reader->err, HY_BAD_DATA, "%s is missing", name);
    if (value && json_typeof(value) != type)
        return hy_fail(reader->err, HY_BAD_DATA, "%s is %s, needs %s", name,
                       hy_json_type_name(value), needs);
    *out = value;
    return HY_OK;
}

enum hy_code hy_manifest_find_string(const struct hy_manifest_reader *reader, const json_t *object,
                                     const char *name, bool required, const char **out)
{
    const json_t *value = NULL;
    enum hy_code code =
        hy_manifest_find(reader, object, name, JSON_STRING, required, "a string", &value);
    if (code == HY_OK)
        *out = value ? json_string_value(value) : NULL;
    return code;
}

enum hy_code hy_manifest_copy_string(const struct hy_manifest_reader *reader, const json_t *object,
                                     const char *name, bool required, size_t max, char **out)
{
    const char *text = NULL;
    enum hy_code code = hy_manifest_find_string(reader, object, name, required, &text);
    if (code != HY_OK)
        return code;

    size_t length = text ? strlen(text) : 0;
    if (required && length == 0)
        return hy_fail(reader->err, HY_BAD_DATA, "%s is empty", name);
    if (length > max)
        return hy_fail(reader->err, HY_BAD_DATA, "%s has %zu bytes, at most %zu are allowed", name,
                       length, max);
    if (text && !hy_text_is_clean(text))
        return hy_fail(reader->err, HY_BAD_DATA, "%s has a control character", name);
    *out = strdup(text ? text : "");
    return *out ? HY_OK : hy_fail(reader->err, HY_OUT_OF_MEMORY, "%s", name);
}
