#include "plugins/support_library/arguments.h"

#include <jansson.h>
#include <string.h>

static enum hy_code read_prefix(const json_t *value, char prefix[HY_SL_PREFIX_SIZE],
                                struct hy_error *err)
{
    if (!json_is_string(value))
        return hy_fail(err, HY_BAD_DATA, "arguments: device_prefix is not a string");
    const size_t length = json_string_length(value);
    if (length >= HY_SL_PREFIX_SIZE)
        return hy_fail(err, HY_BAD_DATA,
                       "arguments: device_prefix has %zu bytes, at most %u are allowed", length,
                       HY_SL_PREFIX_SIZE - 1);
    memcpy(prefix, json_string_value(value), length + 1);
    return HY_OK;
}

/* Unknown names are refused: with a misspelt prefix, devices could keep names already in use. */
static enum hy_code read_members(json_t *root, char prefix[HY_SL_PREFIX_SIZE], struct hy_error *err)
{
    const char *key;
    json_t *value;
    enum hy_code code = HY_OK;

    json_object_foreach(root, key, value)
    {
        code =
            strcmp(key, "device_prefix") == 0
                ? read_prefix(value, prefix, err)
                : hy_fail(
                      err, HY_BAD_DATA,
                      "arguments: \"%.64s\" is unknown, a support library has only device_prefix",
                      key);
        if (code != HY_OK)
            break;
    }
    return code;
}

enum hy_code hy_sl_arguments_read(const char *text, char prefix[HY_SL_PREFIX_SIZE],
                                  struct hy_error *err)
{
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);

    prefix[0] = '\0';
    if (!json_is_object(root)) {
        json_decref(root);
        return hy_fail(err,
                       json_error_code(&error) == json_error_out_of_memory ? HY_OUT_OF_MEMORY
                                                                           : HY_BAD_DATA,
                       "arguments: not a JSON object");
    }
    enum hy_code code = read_members(root, prefix, err);
    json_decref(root);
    return code;
}
