#include <halyard/driver.h>
#include <jansson.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check_driver/target.h"

enum hy_code hy_target_set_arguments(const char *json, struct hy_target *target,
                                     struct hy_error *err)
{
    json_error_t problem;
    json_t *object = json_loads(json, JSON_REJECT_DUPLICATES, &problem);
    char *text = json_is_object(object) ? json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    const bool is_other = object && !json_is_object(object);

    json_decref(object);
    if (!text)
        return hy_fail(err, HY_BAD_DATA, "the arguments are not a JSON object: %s",
                       is_other ? "another kind of value" : problem.text);
    free(target->arguments);
    target->arguments = text;
    return HY_OK;
}

/* As in the loader: absolute, relative to the manifest, or a bare name in the plugin directory. */
static enum hy_code resolve_library(const char *manifest, const char *library,
                                    struct hy_target *target, struct hy_error *err)
{
    char copy[PATH_MAX], path[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", manifest);
    const char *dir = *library == '/' ? "" : strchr(library, '/') ? dirname(copy) : HY_PLUGIN_DIR;
    const int length = snprintf(path, sizeof path, "%s/%s", dir, library);
    if (length < (int)sizeof path && realpath(path, target->library))
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA, "library_path is \"%s\", which does not exist", library);
}

static enum hy_code read_driver(const char *manifest, const json_t *driver,
                                struct hy_target *target, struct hy_error *err)
{
    const char *library = json_string_value(json_object_get(driver, "library_path"));
    const char *abi = json_string_value(json_object_get(driver, "abi"));
    const char *kind = json_string_value(json_object_get(driver, "kind"));
    const json_t *arguments = json_object_get(driver, "arguments");
    unsigned major, minor;

    if (!library)
        return hy_fail(err, HY_BAD_DATA, "library_path is missing");
    if (kind && strcmp(kind, "in-process") != 0)
        return hy_fail(err, HY_BAD_DATA, "a driver of kind \"%s\" does not use halyard/driver.h",
                       kind);
    target->has_abi = abi && sscanf(abi, "%u.%u", &major, &minor) == 2;
    if (target->has_abi)
        target->abi = HY_ABI(major, minor);

    target->arguments =
        arguments ? json_dumps(arguments, JSON_COMPACT | JSON_SORT_KEYS) : strdup("{}");
    if (!target->arguments)
        return hy_fail(err, HY_BAD_DATA, "arguments is not an object");
    return resolve_library(manifest, library, target, err);
}

enum hy_code hy_target_read(const char *manifest, struct hy_target *target, struct hy_error *err)
{
    json_error_t problem;
    json_t *root = json_load_file(manifest, JSON_REJECT_DUPLICATES, &problem);
    if (!root)
        return hy_fail(err, HY_BAD_DATA, "%s: line %d: %s", manifest, problem.line, problem.text);
    const enum hy_code code = read_driver(manifest, json_object_get(root, "driver"), target, err);
    json_decref(root);
    return code;
}

enum hy_code hy_target_write(const struct hy_target *target, const char *path, struct hy_error *err)
{
    char abi[16];
    snprintf(abi, sizeof abi, "%u.%u", HY_ABI_MAJOR(HY_DRIVER_ABI), HY_ABI_MINOR(HY_DRIVER_ABI));
    json_t *root = json_pack("{s:s, s:{s:s, s:s, s:o}}", "file_format_version", "1.0.0", "driver",
                             "library_path", target->library, "abi", abi, "arguments",
                             json_loads(target->arguments, 0, NULL));
    const int result = root ? json_dump_file(root, path, JSON_INDENT(4)) : -1;
    json_decref(root);
    return result == 0 ? HY_OK : hy_fail(err, HY_FAILED, "cannot write %s", path);
}
