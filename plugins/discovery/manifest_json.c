#include "plugins/discovery/manifest.h"

#include "common/printable.h"
#include "plugins/discovery/manifest_members_json.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_MAJOR 1u /* supported major number of file_format_version */
#define MAX_PRIORITY 1000

/* Reads decimal digits without sign or blanks, up to `max`, and advances `text` behind the
 * digits. */
static bool parse_number(const char **text, unsigned max, unsigned *out)
{
    const char *at = *text;
    unsigned number = 0;
    if (*at < '0' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        number = number * 10 + (unsigned)(*at - '0');
        if (number > max)
            return false;
    }
    *text = at;
    *out = number;
    return true;
}

/* Parses `count` numbers with dots between them, and nothing else. */
static bool parse_version(const char *text, unsigned count, unsigned *numbers)
{
    for (unsigned i = 0; i < count; i++) {
        if (i > 0 && *text++ != '.')
            return false;
        if (!parse_number(&text, UINT16_MAX, &numbers[i]))
            return false;
    }
    return *text == '\0';
}

/* ---- The members of a manifest --------------------------------------------------------------- */

static enum hy_code check_format(const struct hy_manifest_reader *reader, const json_t *root)
{
    const char *text = NULL;
    enum hy_code code = hy_manifest_find_string(reader, root, "file_format_version", true, &text);
    if (code != HY_OK)
        return code;

    unsigned version[3];
    if (!parse_version(text, 3, version))
        return hy_fail(reader->err, HY_BAD_DATA,
                       "file_format_version is \"%.32s\", needs \"major.minor.patch\"", text);
    if (version[0] != FORMAT_MAJOR)
        return hy_fail(reader->err, HY_BAD_DATA, "file_format_version is %s, needs %u.x", text,
                       FORMAT_MAJOR);
    return HY_OK;
}

/* A support library has no ABI of Halyard; Halyard's adapter has the host's ABI. */
static enum hy_code read_abi(const struct hy_manifest_reader *reader, const json_t *driver,
                             enum hy_manifest_kind kind, uint32_t *out)
{
    const char *text = NULL;
    enum hy_code code =
        hy_manifest_find_string(reader, driver, "abi", kind != HY_MANIFEST_NNAPI_SL, &text);
    if (code != HY_OK)
        return code;
    if (!text) {
        *out = HY_DRIVER_ABI;
        return HY_OK;
    }

    unsigned version[2];
    if (!parse_version(text, 2, version))
        return hy_fail(reader->err, HY_BAD_DATA, "abi is \"%.32s\", needs \"major.minor\"", text);
    *out = HY_ABI(version[0], version[1]);
    return HY_OK;
}

static enum hy_code read_priority(const struct hy_manifest_reader *reader, const json_t *driver,
                                  int32_t *out)
{
    const json_t *value = NULL;
    enum hy_code code =
        hy_manifest_find(reader, driver, "priority", JSON_INTEGER, false, "an integer", &value);
    if (code != HY_OK)
        return code;

    json_int_t priority = value ? json_integer_value(value) : 0;
    if (priority < -MAX_PRIORITY || priority > MAX_PRIORITY)
        return hy_fail(reader->err, HY_BAD_DATA, "priority is %lld, needs %d to %d",
                       (long long)priority, -MAX_PRIORITY, MAX_PRIORITY);
    *out = (int32_t)priority;
    return HY_OK;
}

static enum hy_code read_isolate(const struct hy_manifest_reader *reader, const json_t *driver,
                                 bool *out)
{
    const json_t *value = json_object_get(driver, "isolate");
    if (value && !json_is_boolean(value))
        return hy_fail(reader->err, HY_BAD_DATA, "isolate is %s, needs a boolean",
                       hy_json_type_name(value));
    *out = json_is_true(value);
    return HY_OK;
}

static enum hy_code copy_device_file(const struct hy_manifest_reader *reader, const json_t *value,
                                     size_t index, char **out)
{
    const char *path = json_string_value(value);
    if (!path)
        return hy_fail(reader->err, HY_BAD_DATA, "device_files[%zu] is %s, needs a string", index,
                       hy_json_type_name(value));
    if (path[0] != '/' || strlen(path) > HY_MANIFEST_MAX_PATH || !hy_text_is_clean(path))
        return hy_fail(reader->err, HY_BAD_DATA,
                       "device_files[%zu] is \"%.64s\", needs an absolute path of at most %u bytes",
                       index, hy_text_is_clean(path) ? path : "?", HY_MANIFEST_MAX_PATH);
    *out = strdup(path);
    return *out ? HY_OK : hy_fail(reader->err, HY_OUT_OF_MEMORY, "device_files[%zu]", index);
}

/* Copied paths belong to the manifest, also when a later path is wrong. */
static enum hy_code read_device_files(const struct hy_manifest_reader *reader, const json_t *driver,
                                      struct hy_manifest *manifest)
{
    const json_t *list = NULL;
    enum hy_code code =
        hy_manifest_find(reader, driver, "device_files", JSON_ARRAY, false, "an array", &list);
    const size_t count = code == HY_OK ? json_array_size(list) : 0;
    if (count == 0)
        return code;
    if (count > HY_MANIFEST_MAX_DEVICE_FILES)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "device_files has %zu entries, at most %u are allowed", count,
                       HY_MANIFEST_MAX_DEVICE_FILES);

    manifest->device_files = calloc(count, sizeof *manifest->device_files);
    if (!manifest->device_files)
        return hy_fail(reader->err, HY_OUT_OF_MEMORY, "device_files");
    for (size_t i = 0; code == HY_OK && i < count; i++) {
        code = copy_device_file(reader, json_array_get(list, i), i, &manifest->device_files[i]);
        manifest->device_file_count += code == HY_OK;
    }
    return code;
}

static enum hy_code read_capability(const struct hy_manifest_reader *reader, const json_t *value,
                                    size_t index, uint32_t *capabilities)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } known[] = {{"ipc_lock", HY_MANIFEST_IPC_LOCK}, {"sys_nice", HY_MANIFEST_SYS_NICE}};
    const char *name = json_string_value(value);

    if (!name)
        return hy_fail(reader->err, HY_BAD_DATA, "capabilities[%zu] is %s, needs a string", index,
                       hy_json_type_name(value));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) == 0) {
            *capabilities |= known[i].bit;
            return HY_OK;
        }
    }
    return hy_fail(reader->err, HY_BAD_DATA,
                   "capabilities[%zu] is \"%.32s\", needs \"ipc_lock\" or \"sys_nice\"", index,
                   hy_text_is_clean(name) ? name : "?");
}

static enum hy_code read_capabilities(const struct hy_manifest_reader *reader, const json_t *driver,
                                      uint32_t *out)
{
    const json_t *list = NULL;
    uint32_t capabilities = 0;
    enum hy_code code =
        hy_manifest_find(reader, driver, "capabilities", JSON_ARRAY, false, "an array", &list);

    for (size_t i = 0; code == HY_OK && i < json_array_size(list); i++)
        code = read_capability(reader, json_array_get(list, i), i, &capabilities);
    if (code == HY_OK)
        *out = capabilities;
    return code;
}

static enum hy_code read_kind(const struct hy_manifest_reader *reader, const json_t *driver,
                              enum hy_manifest_kind *out)
{
    const char *kind = NULL;
    enum hy_code code = hy_manifest_find_string(reader, driver, "kind", false, &kind);
    if (code != HY_OK)
        return code;
    if (kind && strcmp(kind, "service") == 0)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "kind is \"service\": this loader runs drivers in-process only");
    if (!kind || strcmp(kind, "in-process") == 0)
        *out = HY_MANIFEST_IN_PROCESS;
    else if (strcmp(kind, "nnapi-sl") == 0)
        *out = HY_MANIFEST_NNAPI_SL;
    else
        return hy_fail(reader->err, HY_BAD_DATA,
                       "kind is \"%.32s\", needs \"in-process\" or \"nnapi-sl\"", kind);
    return HY_OK;
}

static enum hy_code read_arguments(const struct hy_manifest_reader *reader, const json_t *driver,
                                   char **out)
{
    const json_t *value = NULL;
    enum hy_code code =
        hy_manifest_find(reader, driver, "arguments", JSON_OBJECT, false, "an object", &value);
    if (code != HY_OK)
        return code;

    *out = value ? json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS) : strdup("{}");
    return *out ? HY_OK : hy_fail(reader->err, HY_OUT_OF_MEMORY, "arguments");
}

/* Reads the address of a shared service. */
static enum hy_code read_socket(const struct hy_manifest_reader *reader, const json_t *driver,
                                struct hy_manifest *manifest)
{
    enum hy_code code = hy_manifest_copy_string(reader, driver, "socket", false,
                                                HY_MANIFEST_MAX_SOCKET, &manifest->socket);
    if (code == HY_OK && *manifest->socket && manifest->socket[0] != '/')
        return hy_fail(reader->err, HY_BAD_DATA, "socket is \"%s\", needs an absolute path",
                       manifest->socket);
    return code == HY_OK ? hy_manifest_copy_string(reader, driver, "socket_user", false,
                                                   HY_MANIFEST_MAX_TEXT, &manifest->socket_user)
                         : code;
}

static enum hy_code read_driver(const struct hy_manifest_reader *reader, json_t *driver,
                                struct hy_manifest *manifest)
{
    static const char *const known[] = {
        "library_path", "abi",          "priority", "kind",         "name",
        "description",  "arguments",    "isolate",  "device_files", "socket",
        "socket_user",  "capabilities", NULL};
    hy_manifest_log_unknown(reader, driver, "driver.", known);

    enum hy_code code = hy_manifest_copy_string(reader, driver, "library_path", true,
                                                HY_MANIFEST_MAX_PATH, &manifest->library_path);
    if (code == HY_OK)
        code = read_kind(reader, driver, &manifest->kind);
    if (code == HY_OK)
        code = read_abi(reader, driver, manifest->kind, &manifest->abi);
    if (code == HY_OK)
        code = read_priority(reader, driver, &manifest->priority);
    if (code == HY_OK)
        code = hy_manifest_copy_string(reader, driver, "name", false, HY_MANIFEST_MAX_TEXT,
                                       &manifest->name);
    if (code == HY_OK)
        code = hy_manifest_copy_string(reader, driver, "description", false, HY_MANIFEST_MAX_TEXT,
                                       &manifest->description);
    if (code == HY_OK)
        code = read_arguments(reader, driver, &manifest->arguments);
    if (code == HY_OK)
        code = read_isolate(reader, driver, &manifest->isolate);
    if (code == HY_OK)
        code = read_device_files(reader, driver, manifest);
    if (code == HY_OK)
        code = read_capabilities(reader, driver, &manifest->capabilities);
    if (code == HY_OK)
        code = read_socket(reader, driver, manifest);
    return code;
}

static enum hy_code read_root(const struct hy_manifest_reader *reader, json_t *root,
                              struct hy_manifest *manifest)
{
    static const char *const known[] = {"file_format_version", "driver", NULL};

    /* The version decides on the meaning of all other members. */
    enum hy_code code = check_format(reader, root);
    if (code != HY_OK)
        return code;
    hy_manifest_log_unknown(reader, root, "", known);

    const json_t *driver = NULL;
    code = hy_manifest_find(reader, root, "driver", JSON_OBJECT, true, "an object", &driver);
    return code == HY_OK ? read_driver(reader, (json_t *)driver, manifest) : code;
}

enum hy_code hy_manifest_parse(const char *text, size_t length, const char *path,
                               const struct hy_host *host, struct hy_manifest *out,
                               struct hy_error *err)
{
    json_t *root = NULL;
    enum hy_code code = hy_manifest_load(text, length, &root, err);
    if (code != HY_OK)
        return code;

    struct hy_manifest_reader reader = {.path = path, .host = host, .err = err};
    struct hy_manifest manifest = {0};
    code = read_root(&reader, root, &manifest);
    json_decref(root);
    if (code != HY_OK) {
        hy_manifest_finish(&manifest);
        return code;
    }
    *out = manifest;
    return HY_OK;
}
