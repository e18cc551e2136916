#include "cache_store/directory/names.h"
#include "cache_store/sidecar_text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define DIGEST_TEXT 33u /* 16 bytes in hexadecimal digits */

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
    json_t *root = json_pack(
        "{s:i, s:s, s:o, s:o, s:o, s:I, s:i, s:i, s:I, s:b, s:o}", "halyard_cache_entry",
        HY_SIDECAR_VERSION, "token", token.text, "device", text_value(sidecar->device), "version",
        text_value(sidecar->version), "build_id", text_value(sidecar->build_id), "operations",
        (json_int_t)sidecar->operations, "preference", sidecar->preference, "priority",
        sidecar->priority, "created", (json_int_t)sidecar->created, "kept_open",
        (int)sidecar->is_kept_open, "files", file_list(sidecar));
    char *text = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    if (!text)
        return hy_fail(err, HY_OUT_OF_MEMORY, "sidecar");
    *ret = text;
    return HY_OK;
}
