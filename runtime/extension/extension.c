#include "extension.h"

#include "common/operations/operation.h"
#include "runtime/fork_guard.h"

#include "runtime/log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    uint32_t prefix;
    const char *device; /* who described it; NULL: nobody yet */
    bool is_disabled;
    struct hy_extension_operand_type *types; /* ascending by code */
    uint32_t type_count;
    char name[];
};

static struct {
    pthread_mutex_t lock;
    uint32_t count;
    uint32_t given;                                        /* the last prefix that was given */
    struct entry *by_prefix[HY_EXTENSION_PREFIX_LAST + 1]; /* from 1 on */
    struct entry *by_name[HY_EXTENSION_PREFIX_LAST];       /* ascending */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Names and prefixes; the lock is held ---------------------------------------------------- */

/* The place of the first name that is not below this one. */
static uint32_t place_of(const char *name)
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

static enum hy_code add(const char *name, uint32_t place, struct hy_error *err)
{
    const size_t size = strlen(name) + 1;
    const bool is_own = strcmp(name, HALYARD_OPERATIONS_NAME) == 0;

    if (!is_own && table.given == HY_OPERATIONS_PREFIX - 1)
        return hy_fail(err, HY_BAD_DATA, "extension %s: all %u prefixes are given away", name,
                       table.given);
    struct entry *entry = calloc(1, sizeof *entry + size);
    if (!entry)
        return hy_fail(err, HY_OUT_OF_MEMORY, "extension %s", name);

    memcpy(entry->name, name, size);
    memmove(&table.by_name[place + 1], &table.by_name[place],
            (table.count - place) * sizeof table.by_name[0]);
    table.by_name[place] = entry;
    table.count++;
    entry->prefix = is_own ? HY_OPERATIONS_PREFIX : ++table.given;
    table.by_prefix[entry->prefix] = entry;
    return HY_OK;
}

static enum hy_code find_or_add(const char *name, struct entry **ret, struct hy_error *err)
{
    const uint32_t place = place_of(name);
    enum hy_code code = HY_OK;

    if (place == table.count || strcmp(table.by_name[place]->name, name) != 0)
        code = add(name, place, err);
    if (code == HY_OK)
        *ret = table.by_name[place];
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

const char *hy_extension_name(uint32_t prefix)
{
    pthread_mutex_lock(&table.lock);
    const struct entry *entry = find(prefix);
    pthread_mutex_unlock(&table.lock);
    return entry ? entry->name : NULL;
}

/* ---- What devices say ------------------------------------------------------------------------ */

/* Lower-case letters, digits, '_' and '.', and of the last at least one. */
static bool is_well_formed(const char *name)
{
    return name && strchr(name, '.') &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.")] == '\0';
}

static int by_code(const void *a, const void *b)
{
    const struct hy_extension_operand_type *left = a, *right = b;
    return (left->code > right->code) - (left->code < right->code);
}

/* A sorted copy; one entry more than needed, so that none of them is no error for malloc. */
static struct hy_extension_operand_type *copy_types(const struct hy_extension *extension)
{
    const uint32_t count = extension->operand_type_count;
    struct hy_extension_operand_type *types = calloc((size_t)count + 1, sizeof *types);

    if (types && count > 0) {
        memcpy(types, extension->operand_types, count * sizeof *types);
        qsort(types, count, sizeof *types, by_code);
    }
    return types;
}

static bool same_types(const struct entry *entry, const struct hy_extension_operand_type *types,
                       uint32_t count)
{
    if (entry->type_count != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (entry->types[i].code != types[i].code ||
            entry->types[i].is_tensor != types[i].is_tensor ||
            entry->types[i].byte_size != types[i].byte_size)
            return false;
    }
    return true;
}

/* Takes over the types. */
static void describe(struct entry *entry, struct hy_extension_operand_type *types, uint32_t count,
                     const char *device)
{
    if (!entry->device) {
        entry->device = device;
        entry->types = types;
        entry->type_count = count;
        return;
    }
    if (!entry->is_disabled && !same_types(entry, types, count)) {
        entry->is_disabled = true;
        hy_log(HY_LOG_WARNING, "extension", "%s is disabled: %s and %s describe it differently",
               entry->name, entry->device, device);
    }
    free(types);
}

/* Errors: OUT_OF_MEMORY; BAD_DATA (it is as good as not listed). */
static enum hy_code learn(const struct hy_extension *extension, const char *device,
                          struct hy_error *err)
{
    struct entry *entry;

    if (!is_well_formed(extension->name))
        return hy_fail(err, HY_BAD_DATA, "\"%s\" is no name of an extension",
                       extension->name ? extension->name : "");
    struct hy_extension_operand_type *types = copy_types(extension);
    enum hy_code code = types ? find_or_add(extension->name, &entry, err)
                              : hy_fail(err, HY_OUT_OF_MEMORY, "extension %s", extension->name);
    if (code == HY_OK)
        describe(entry, types, extension->operand_type_count, device);
    else
        free(types);
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

/* Of a device's extension; the lock is held. */
static const struct entry *find_offered(uint32_t prefix)
{
    const struct entry *entry = find(prefix);
    return entry && entry->device && !entry->is_disabled ? entry : NULL;
}

bool hy_extension_operand_type(int32_t type, struct hy_extension_operand_type *ret)
{
    const struct hy_extension_operand_type key = {.code = (uint16_t)type};
    const struct hy_extension_operand_type *found = NULL;

    pthread_mutex_lock(&table.lock);
    const struct entry *entry = find_offered(hy_extension_prefix_of(type));
    if (entry)
        found = bsearch(&key, entry->types, entry->type_count, sizeof key, by_code);
    if (found)
        *ret = *found;
    pthread_mutex_unlock(&table.lock);
    return found != NULL;
}

bool hy_extension_is_offered(uint32_t prefix, const struct hy_device_info *device)
{
    pthread_mutex_lock(&table.lock);
    const struct entry *entry = find_offered(prefix);
    pthread_mutex_unlock(&table.lock);

    for (uint32_t i = 0; entry && i < device->extension_count; i++) {
        if (strcmp(device->extensions[i].name, entry->name) == 0)
            return true;
    }
    return false;
}

static void at_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&table.lock);
    else
        pthread_mutex_unlock(&table.lock);
}

HY_AT_FORK(HY_FORK_EXTENSIONS, at_fork)
