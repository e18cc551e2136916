#include "attributes.h"

#include "extension.h"

#include "common/array.h"

#include <stdlib.h>
#include <string.h>

static enum hy_code check_new(const struct hy_attributes *attributes, uint32_t token,
                              const char *extension, const void *data, size_t length,
                              struct hy_error *err)
{
    if (data && length == 0)
        return hy_fail(err, HY_BAD_DATA, "attribute %s#%u: data is not NULL, but length is 0",
                       extension, token & 0xffffu);
    for (uint32_t i = 0; i < attributes->count; i++) {
        if (attributes->hints[i].token == token)
            return hy_fail(err, HY_BAD_DATA, "attribute %s#%u was added before", extension,
                           token & 0xffffu);
    }
    if (length > UINT32_MAX)
        return hy_fail(err, HY_BAD_DATA, "attribute %s#%u has %zu bytes, at most %u", extension,
                       token & 0xffffu, length, UINT32_MAX);
    return HY_OK;
}

static enum hy_code append(struct hy_attributes *attributes, uint32_t token, const void *data,
                           size_t length, struct hy_error *err)
{
    void *copy = malloc(length + 1); /* + 1, as malloc(0) may return NULL */
    struct hy_hint *hints =
        copy ? hy_array_grow(attributes->hints, attributes->count, sizeof *hints) : NULL;
    if (!hints) {
        free(copy);
        return hy_fail(err, HY_OUT_OF_MEMORY, "attribute of %zu bytes", length);
    }
    if (length > 0)
        memcpy(copy, data, length);
    hints[attributes->count++] =
        (struct hy_hint){.token = token, .length = (uint32_t)length, .data = copy};
    attributes->hints = hints;
    return HY_OK;
}

enum hy_code hy_attributes_add(struct hy_attributes *attributes, const char *extension,
                               uint16_t code, const void *data, size_t length, struct hy_error *err)
{
    uint32_t prefix;

    enum hy_code result = hy_extension_prefix(extension, &prefix, err);
    if (result != HY_OK)
        return result;

    const uint32_t token = prefix << 16 | code;
    result = check_new(attributes, token, extension, data, length, err);
    return result == HY_OK ? append(attributes, token, data, length, err) : result;
}

void hy_attributes_finish(struct hy_attributes *attributes)
{
    for (uint32_t i = 0; i < attributes->count; i++)
        free((void *)(uintptr_t)attributes->hints[i].data);
    free(attributes->hints);
    *attributes = (struct hy_attributes){0};
}

static void list_once(struct hy_extension_prefix *list, uint32_t *count, uint32_t prefix)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (list[i].prefix == prefix)
            return;
    }
    list[(*count)++] =
        (struct hy_extension_prefix){.name = hy_extension_name(prefix), .prefix = prefix};
}

enum hy_code hy_attributes_list_prefixes(const struct hy_attributes *attributes,
                                         const struct hy_device_info *device,
                                         struct hy_extension_prefix **ret, uint32_t *ret_count,
                                         struct hy_error *err)
{
    const size_t capacity = (size_t)attributes->count + device->extension_count;
    uint32_t count = 0;
    enum hy_code code = HY_OK;

    if (capacity == 0) {
        *ret = NULL;
        *ret_count = 0;
        return HY_OK;
    }
    struct hy_extension_prefix *list = calloc(capacity, sizeof *list);
    if (!list)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a list of %zu extensions", capacity);
    for (uint32_t i = 0; i < attributes->count; i++)
        list_once(list, &count, attributes->hints[i].token >> 16);
    for (uint32_t i = 0; code == HY_OK && i < device->extension_count; i++) {
        uint32_t prefix;
        code = hy_extension_prefix(device->extensions[i].name, &prefix, err);
        if (code == HY_OK)
            list_once(list, &count, prefix);
    }
    if (code != HY_OK) {
        free(list);
        return code;
    }
    *ret = list;
    *ret_count = count;
    return HY_OK;
}
