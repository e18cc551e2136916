#include "plugins/device_info.h"

#include "common/printable.h"
#include "common/status.h"
#include "plugins/abi.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- Strings --------------------------------------------------------------------------------- */

static enum hy_code copy_text(const char *name, const char *text, bool may_be_empty, char **out,
                              struct hy_error *err)
{
    if (!text)
        return hy_fail(err, HY_BAD_DATA, "describe: %s is NULL", name);
    size_t length = strnlen(text, HY_MAX_TEXT + 1);
    if (length > HY_MAX_TEXT)
        return hy_fail(err, HY_BAD_DATA, "describe: %s is longer than %u bytes", name, HY_MAX_TEXT);

    char *copy = strndup(text, length);
    if (!copy)
        return hy_fail(err, HY_OUT_OF_MEMORY, "describe: %s", name);
    const char *wrong = *copy == '\0' && !may_be_empty ? "is empty"
                        : !hy_text_is_clean(copy)      ? "is not one line of UTF-8"
                                                       : NULL;
    if (wrong) {
        free(copy);
        return hy_fail(err, HY_BAD_DATA, "describe: %s %s", name, wrong);
    }
    *out = copy;
    return HY_OK;
}

/* ---- Extensions ------------------------------------------------------------------------------ */

/* A reverse domain and a name: "com.acme.fft". */
static bool is_extension_name(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789._";
    return name[strspn(name, allowed)] == '\0' && strchr(name, '.');
}

static int compare_codes(const void *a, const void *b)
{
    const struct hy_extension_operand_type *first = a, *second = b;
    return (first->code > second->code) - (first->code < second->code);
}

static enum hy_code check_operand_types(struct hy_extension_operand_type *types, uint32_t count,
                                        const char *extension, struct hy_error *err)
{
    if (count > 0)
        qsort(types, count, sizeof *types, compare_codes);
    for (uint32_t i = 0; i < count; i++) {
        const struct hy_extension_operand_type *type = &types[i];
        if (i > 0 && type->code == types[i - 1].code)
            return hy_fail(err, HY_BAD_DATA, "extension %s: operand type %u is listed twice",
                           extension, type->code);
        if (type->byte_size == 0 || type->is_tensor > 1)
            return hy_fail(err, HY_BAD_DATA,
                           "extension %s: operand type %u has byte_size %u, is_tensor %u",
                           extension, type->code, type->byte_size, type->is_tensor);
    }
    return HY_OK;
}

static enum hy_code copy_extension(const struct hy_extension *extension, struct hy_extension *out,
                                   struct hy_error *err)
{
    char *name = NULL;
    enum hy_code code = copy_text("an extension name", extension->name, false, &name, err);
    if (code != HY_OK)
        return code;
    out->name = name;
    if (!is_extension_name(name))
        return hy_fail(
            err, HY_BAD_DATA,
            "extension \"%s\": a name needs lower-case letters, digits, '_' and at least one '.'",
            name);

    uint32_t count = extension->operand_type_count;
    if (count > HY_MAX_EXTENSION_TYPES || (count > 0 && !extension->operand_types))
        return hy_fail(err, HY_BAD_DATA, "extension %s: %u operand types at %p", name, count,
                       (const void *)extension->operand_types);
    if (count == 0)
        return HY_OK;

    struct hy_extension_operand_type *types = malloc(count * sizeof *types);
    if (!types)
        return hy_fail(err, HY_OUT_OF_MEMORY, "extension %s: %u operand types", name, count);
    memcpy(types, extension->operand_types, count * sizeof *types);
    out->operand_types = types;
    out->operand_type_count = count;
    return check_operand_types(types, count, name, err);
}

static enum hy_code check_unique(const struct hy_extension *extensions, uint32_t index,
                                 struct hy_error *err)
{
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(extensions[i].name, extensions[index].name) == 0)
            return hy_fail(err, HY_BAD_DATA, "extension %s is listed twice", extensions[i].name);
    }
    return HY_OK;
}

/* The copy always gets an array, also if the driver has left partial_extensions NULL. */
static enum hy_code copy_parts(const struct hy_device_info *reported, struct hy_device_info *copy,
                               struct hy_error *err)
{
    uint8_t *parts = calloc(reported->extension_count, 1);
    if (!parts)
        return hy_fail(err, HY_OUT_OF_MEMORY, "describe: %u extensions", reported->extension_count);
    copy->partial_extensions = parts;
    if (reported->partial_extensions)
        memcpy(parts, reported->partial_extensions, reported->extension_count);
    for (uint32_t i = 0; i < reported->extension_count; i++) {
        if (parts[i] > 1)
            return hy_fail(err, HY_BAD_DATA,
                           "extension %s: partial_extensions has %u, needs 0 or 1",
                           copy->extensions[i].name, parts[i]);
    }
    return HY_OK;
}

static enum hy_code copy_extensions(const struct hy_device_info *reported,
                                    struct hy_device_info *copy, struct hy_error *err)
{
    uint32_t count = reported->extension_count;
    if (count > HY_MAX_EXTENSIONS || (count > 0 && !reported->extensions))
        return hy_fail(err, HY_BAD_DATA, "describe: %u extensions at %p, at most %u are allowed",
                       count, (const void *)reported->extensions, HY_MAX_EXTENSIONS);
    if (count == 0)
        return HY_OK;

    struct hy_extension *extensions = calloc(count, sizeof *extensions);
    if (!extensions)
        return hy_fail(err, HY_OUT_OF_MEMORY, "describe: %u extensions", count);
    copy->extensions = extensions;
    copy->extension_count = count;

    enum hy_code code = HY_OK;
    for (uint32_t i = 0; i < count && code == HY_OK; i++) {
        code = copy_extension(&reported->extensions[i], &extensions[i], err);
        if (code == HY_OK)
            code = check_unique(extensions, i, err);
    }
    return code == HY_OK ? copy_parts(reported, copy, err) : code;
}

/* ---- The whole ------------------------------------------------------------------------------- */

#define HIGHEST_LEVEL 8u

#define DUTIES         (1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD | 1u << HY_POOL_HARDWARE_BUFFER_BLOB)
#define OPTIONAL_KINDS (1u << HY_POOL_HOST | 1u << HY_POOL_HARDWARE_BUFFER)

static enum hy_code check_pool_kinds(uint32_t kinds, struct hy_error *err)
{
    if (kinds == 0)
        return HY_OK;
    if ((kinds & DUTIES) != DUTIES)
        return hy_fail(
            err, HY_BAD_DATA,
            "describe: pool_kinds is 0x%x, needs also 0x%x, which every driver must decode", kinds,
            DUTIES & ~kinds);
    if (kinds & ~(DUTIES | OPTIONAL_KINDS))
        return hy_fail(err, HY_BAD_DATA,
                       "describe: pool_kinds is 0x%x, with the unknown kinds 0x%x", kinds,
                       kinds & ~(DUTIES | OPTIONAL_KINDS));
    return HY_OK;
}

static enum hy_code check_numbers(const struct hy_device_info *info, struct hy_error *err)
{
    if (info->type < HY_DEVICE_OTHER || info->type > HY_DEVICE_ACCELERATOR)
        return hy_fail(err, HY_BAD_DATA, "describe: type is %d, needs %d to %d", info->type,
                       HY_DEVICE_OTHER, HY_DEVICE_ACCELERATOR);
    if (info->feature_level < 1 || info->feature_level > HIGHEST_LEVEL)
        return hy_fail(err, HY_BAD_DATA, "describe: feature_level is %u, needs 1 to %u",
                       info->feature_level, HIGHEST_LEVEL);
    if (info->model_cache_files > HY_MAX_CACHE_FILES || info->data_cache_files > HY_MAX_CACHE_FILES)
        return hy_fail(err, HY_BAD_DATA,
                       "describe: %u model and %u data cache files, at most %u each are allowed",
                       info->model_cache_files, info->data_cache_files, HY_MAX_CACHE_FILES);
    return check_pool_kinds(info->pool_kinds, err);
}

static enum hy_code copy_info(const struct hy_device_info *reported, struct hy_device_info *copy,
                              struct hy_error *err)
{
    char *name = NULL, *version = NULL, *build_id = NULL;
    enum hy_code code = copy_text("name", reported->name, false, &name, err);
    if (code == HY_OK)
        code = copy_text("version", reported->version, false, &version, err);
    if (code == HY_OK)
        code = copy_text("build_id", reported->build_id, true, &build_id, err);
    copy->name = name;
    copy->version = version;
    copy->build_id = build_id;

    if (code == HY_OK)
        code = check_numbers(reported, err);
    if (code == HY_OK)
        code = copy_extensions(reported, copy, err);
    return code;
}

/* Maps values added by later versions of the ABI to known values; the driver works the same. */
static void leave_out_unknown(struct hy_device_info *reported)
{
    if (reported->type > HY_DEVICE_ACCELERATOR)
        reported->type = HY_DEVICE_OTHER;
    if (reported->feature_level > HIGHEST_LEVEL)
        reported->feature_level = HIGHEST_LEVEL;
    reported->pool_kinds &= DUTIES | OPTIONAL_KINDS;
}

enum hy_code hy_device_info_ask(const struct hy_device *table, void *device,
                                struct hy_device_info *out, struct hy_error *err)
{
    struct hy_device_info reported = {.struct_size = sizeof reported};
    int32_t status = table->describe(device, &reported);
    if (status != HY_STATUS_OK)
        return hy_fail(err, HY_FAILED, "describe failed with %s (%d)", hy_status_name(status),
                       status);
    if (reported.struct_size < HY_DEVICE_INFO_SIZE_1_0 || reported.struct_size > sizeof reported)
        return hy_fail(err, HY_BAD_DATA, "describe: struct_size is %u, needs %zu to %zu",
                       reported.struct_size, HY_DEVICE_INFO_SIZE_1_0, sizeof reported);
    if (table->abi > HY_DRIVER_ABI)
        leave_out_unknown(&reported);

    struct hy_device_info copy = reported;
    copy.struct_size = sizeof copy;
    copy.name = copy.version = copy.build_id = NULL;
    copy.extensions = NULL;
    copy.extension_count = 0;
    copy.partial_extensions = NULL;
    enum hy_code code = copy_info(&reported, &copy, err);
    if (code != HY_OK) {
        hy_device_info_finish(&copy);
        return code;
    }
    *out = copy;
    return HY_OK;
}

void hy_device_info_finish(struct hy_device_info *info)
{
    for (uint32_t i = 0; i < info->extension_count; i++) {
        free((char *)info->extensions[i].name);
        free((void *)info->extensions[i].operand_types);
    }
    free((void *)info->extensions);
    free((void *)info->partial_extensions);
    free((char *)info->name);
    free((char *)info->version);
    free((char *)info->build_id);
    memset(info, 0, sizeof *info);
}
