#include "extension.h"

#include "common/array.h"
#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "common/printable.h"
#include "runtime/fork_guard.h"
#include "runtime/log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An operand type with its first description. The code must be the first member. */
struct operand_type {
    struct hy_extension_operand_type type_info;
    const char *device; /* name of the device with the first description */
};

/* The text of a code. The code must be the first member. */
struct code_text {
    uint16_t code;
    char *text;
};

struct entry {
    uint32_t prefix;
    bool is_offered; /* by at least one device */
    bool is_disabled;
    uint32_t type_count;
    uint32_t text_count;
    struct operand_type *types; /* ascending by code */
    struct code_text *texts;    /* ascending by code */
    char name[];
};

static struct {
    pthread_mutex_t lock;
    uint32_t count;
    uint32_t given;                                        /* last assigned prefix */
    struct entry *by_prefix[HY_EXTENSION_PREFIX_LAST + 1]; /* from 1 on */
    struct entry *by_name[HY_EXTENSION_PREFIX_LAST];       /* ascending */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Names and prefixes; the lock is held ---------------------------------------------------- */

/* Index of the first name not below `name`. */
static uint32_t index_of(const char *name)
{
    uint32_t low = 0, high = table.count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (strcmp(table.by_name[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum hy_code add(const char *name, uint32_t position, struct hy_error *err)
{
    const size_t size = strlen(name) + 1;
    const bool is_own = strcmp(name, HALYARD_OPERATIONS_NAME) == 0;

    if (!is_own && table.given == HY_OPERATIONS_PREFIX - 1)
        return hy_fail(err, HY_BAD_DATA, "extension %s: all %u prefixes are in use", name,
                       table.given);
    struct entry *entry = calloc(1, sizeof *entry + size);
    if (!entry)
        return hy_fail(err, HY_OUT_OF_MEMORY, "extension %s", name);

    memcpy(entry->name, name, size);
    memmove(&table.by_name[position + 1], &table.by_name[position],
            (table.count - position) * sizeof table.by_name[0]);
    table.by_name[position] = entry;
    table.count++;
    entry->prefix = is_own ? HY_OPERATIONS_PREFIX : ++table.given;
    table.by_prefix[entry->prefix] = entry;
    return HY_OK;
}

static enum hy_code find_or_add(const char *name, struct entry **ret, struct hy_error *err)
{
    const uint32_t position = index_of(name);
    enum hy_code code = HY_OK;

    if (position == table.count || strcmp(table.by_name[position]->name, name) != 0)
        code = add(name, position, err);
    if (code == HY_OK)
        *ret = table.by_name[position];
    return code;
}

static struct entry *find(uint32_t prefix)
{
    return prefix <= HY_EXTENSION_PREFIX_LAST ? table.by_prefix[prefix] : NULL;
}

enum hy_code hy_extension_prefix(const char *name, uint32_t *ret, struct hy_error *err)
{
    struct entry *entry;

    pthread_mutex_lock(&table.lock);
    enum hy_code code = find_or_add(name, &entry, err);
    if (code == HY_OK)
        *ret = entry->prefix;
    pthread_mutex_unlock(&table.lock);
    return code;
}

bool hy_extension_find_prefix(const char *name, uint32_t *ret)
{
    pthread_mutex_lock(&table.lock);
    const uint32_t position = index_of(name);
    const bool is_there =
        position < table.count && strcmp(table.by_name[position]->name, name) == 0;
    if (is_there)
        *ret = table.by_name[position]->prefix;
    pthread_mutex_unlock(&table.lock);
    return is_there;
}

const char *hy_extension_name(uint32_t prefix)
{
    pthread_mutex_lock(&table.lock);
    const struct entry *entry = find(prefix);
    pthread_mutex_unlock(&table.lock);
    return entry ? entry->name : NULL;
}

/* ---- Descriptions from devices --------------------------------------------------------------- */

bool hy_extension_name_is_well_formed(const char *name)
{
    return name && strchr(name, '.') &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.")] == '\0';
}

/* Index of the first code not below `code`, in elements whose first member is a code. */
static uint32_t index_of_code(const void *elements, uint32_t count, size_t size, uint16_t code)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        uint16_t at;
        memcpy(&at, (const char *)elements + middle * size, sizeof at);
        if (at < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool same_type(const struct hy_extension_operand_type *a,
                      const struct hy_extension_operand_type *b)
{
    return a->is_tensor == b->is_tensor && a->byte_size == b->byte_size;
}

static struct operand_type *find_type(const struct entry *entry, uint16_t code)
{
    const uint32_t position =
        index_of_code(entry->types, entry->type_count, sizeof *entry->types, code);
    const bool is_there =
        position < entry->type_count && entry->types[position].type_info.code == code;

    return is_there ? &entry->types[position] : NULL;
}

/* Checks a device's description of the operand types of org.halyard.operations. The device may know
 * additional types of a later version. */
static enum hy_code check_own_types(const struct hy_extension *extension, struct hy_error *err)
{
    for (uint32_t i = 0; i < extension->operand_type_count; i++) {
        const struct hy_extension_operand_type *type = &extension->operand_types[i];
        const struct hy_operand_type_info *info =
            hy_operand_type_info(HY_OPERATIONS_CODE(type->code));
        if (info && (info->element_bytes != type->byte_size || info->is_scalar == type->is_tensor))
            return hy_fail(err, HY_BAD_DATA, "operand type %s has byte_size %u, is_tensor %u",
                           info->name, type->byte_size, type->is_tensor);
    }
    return HY_OK;
}

static enum hy_code add_type(struct entry *entry, const struct hy_extension_operand_type *type_info,
                             const char *device, struct hy_error *err)
{
    const uint32_t position =
        index_of_code(entry->types, entry->type_count, sizeof *entry->types, type_info->code);
    struct operand_type *types = hy_array_grow(entry->types, entry->type_count, sizeof *types);
    if (!types)
        return hy_fail(err, HY_OUT_OF_MEMORY, "operand type %s#%u", entry->name, type_info->code);

    memmove(&types[position + 1], &types[position], (entry->type_count - position) * sizeof *types);
    types[position] = (struct operand_type){.type_info = *type_info, .device = device};
    entry->types = types;
    entry->type_count++;
    return HY_OK;
}

static enum hy_code learn_type(struct entry *entry,
                               const struct hy_extension_operand_type *type_info,
                               const char *device, struct hy_error *err)
{
    const struct operand_type *known = find_type(entry, type_info->code);

    if (!known)
        return add_type(entry, type_info, device, err);
    if (!entry->is_disabled && !same_type(&known->type_info, type_info)) {
        entry->is_disabled = true;
        hy_log(HY_LOG_WARNING, "extension",
               "extension %s is disabled: %s and %s describe operand type %u differently",
               entry->name, known->device, device, type_info->code);
    }
    return HY_OK;
}

static enum hy_code learn_types(struct entry *entry, const struct hy_extension *extension,
                                const char *device, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (entry->prefix == HY_OPERATIONS_PREFIX)
        return check_own_types(extension, err);
    for (uint32_t i = 0; code == HY_OK && i < extension->operand_type_count; i++)
        code = learn_type(entry, &extension->operand_types[i], device, err);
    return code;
}

/* Errors: OUT_OF_MEMORY; BAD_DATA (the extension counts as not listed). */
static enum hy_code learn(const struct hy_extension *extension, const char *device,
                          struct hy_error *err)
{
    struct entry *entry;

    if (!hy_extension_name_is_well_formed(extension->name))
        return hy_fail(err, HY_BAD_DATA, "\"%s\" is not a valid extension name",
                       extension->name ? extension->name : "");
    enum hy_code code = find_or_add(extension->name, &entry, err);
    if (code == HY_OK)
        code = learn_types(entry, extension, device, err);
    if (code == HY_OK)
        entry->is_offered = true;
    return code;
}

enum hy_code hy_extensions_learn(const struct hy_device_info *device, struct hy_error *err)
{
    struct hy_error own;
    enum hy_code code = HY_OK;

    pthread_mutex_lock(&table.lock);
    for (uint32_t i = 0; code != HY_OUT_OF_MEMORY && i < device->extension_count; i++) {
        code = learn(&device->extensions[i], device->name, &own);
        if (code == HY_BAD_DATA)
            hy_log(HY_LOG_WARNING, "extension", "%s: %s", device->name, own.text);
    }
    pthread_mutex_unlock(&table.lock);
    if (code != HY_OUT_OF_MEMORY)
        return HY_OK;
    return hy_fail(err, code, "%s: %s", device->name, own.text);
}

/* Finds an offered extension. Call with the lock held. */
static const struct entry *find_offered(uint32_t prefix)
{
    const struct entry *entry = find(prefix);
    return entry && entry->is_offered && !entry->is_disabled ? entry : NULL;
}

bool hy_extension_operand_type(int32_t type, struct hy_extension_operand_type *ret)
{
    const struct operand_type *found = NULL;

    pthread_mutex_lock(&table.lock);
    const struct entry *entry = find_offered(hy_extension_prefix_of(type));
    if (entry)
        found = find_type(entry, (uint16_t)type);
    if (found)
        *ret = found->type_info;
    pthread_mutex_unlock(&table.lock);
    return found != NULL;
}

/* The device's description of the extension with this prefix. NULL: not offered. */
static const struct hy_extension *find_offer(uint32_t prefix, const struct hy_device_info *device)
{
    pthread_mutex_lock(&table.lock);
    const struct entry *entry = find_offered(prefix);
    pthread_mutex_unlock(&table.lock);

    for (uint32_t i = 0; entry && i < device->extension_count; i++) {
        const struct hy_extension *offer = &device->extensions[i];
        if (strcmp(offer->name, entry->name) != 0)
            continue;
        if (prefix == HY_OPERATIONS_PREFIX && check_own_types(offer, NULL) != HY_OK)
            return NULL;
        return offer;
    }
    return NULL;
}

bool hy_extension_is_offered(uint32_t prefix, const struct hy_device_info *device)
{
    return find_offer(prefix, device) != NULL;
}

bool hy_extension_is_whole(const struct hy_device_info *device, uint32_t index)
{
    return !device->partial_extensions || !device->partial_extensions[index];
}

bool hy_extension_type_is_offered(int32_t type, const struct hy_device_info *device)
{
    const struct hy_extension *offer = find_offer(hy_extension_prefix_of(type), device);

    for (uint32_t i = 0; offer && i < offer->operand_type_count; i++) {
        if (offer->operand_types[i].code == (uint16_t)type)
            return true;
    }
    return false;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Adds "com.acme.fft#3" as one printable line. NULL: out of memory. */
static const char *add_text(struct entry *entry, uint32_t position, uint16_t code)
{
    char text[HY_MAX_TEXT + sizeof "#65535"];

    snprintf(text, sizeof text, "%.*s#%u", (int)HY_MAX_TEXT, entry->name, code);
    hy_text_clean(text);
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    struct code_text *texts =
        copy ? hy_array_grow(entry->texts, entry->text_count, sizeof *texts) : NULL;
    if (!texts) {
        free(copy);
        return NULL;
    }
    memcpy(copy, text, size);
    memmove(&texts[position + 1], &texts[position], (entry->text_count - position) * sizeof *texts);
    texts[position] = (struct code_text){.code = code, .text = copy};
    entry->texts = texts;
    entry->text_count++;
    return copy;
}

const char *hy_extension_code_text(int32_t code)
{
    const uint16_t within = (uint16_t)code;
    const char *text = NULL;

    pthread_mutex_lock(&table.lock);
    struct entry *entry = find(hy_extension_prefix_of(code));
    if (entry) {
        const uint32_t position =
            index_of_code(entry->texts, entry->text_count, sizeof *entry->texts, within);
        text = position < entry->text_count && entry->texts[position].code == within
                   ? entry->texts[position].text
                   : add_text(entry, position, within);
        if (!text)
            text = entry->name;
    }
    pthread_mutex_unlock(&table.lock);
    return text;
}

static void at_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&table.lock);
    else
        pthread_mutex_unlock(&table.lock);
}

HY_AT_FORK(HY_FORK_EXTENSIONS, at_fork)
