#include "runtime/profile/profile.h"

#include "common/array.h"
#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "runtime/extension/code_text.h"
#include "runtime/extension/extension.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t hy_profile_size_class(double units)
{
    return units > 1 ? (uint32_t)ilogb(units) : 0;
}

static int compare(const struct hy_profile_entry *entry, struct hy_profile_key key,
                   uint32_t size_class)
{
    if (entry->key.operation != key.operation)
        return entry->key.operation < key.operation ? -1 : 1;
    if (entry->key.type != key.type)
        return entry->key.type < key.type ? -1 : 1;
    if (entry->key.relaxed != key.relaxed)
        return entry->key.relaxed ? 1 : -1;
    if (entry->size_class != size_class)
        return entry->size_class < size_class ? -1 : 1;
    return 0;
}

/* Index of the entry, or its insertion point. */
static uint32_t find(const struct hy_profile *profile, struct hy_profile_key key,
                     uint32_t size_class, bool *is_there)
{
    uint32_t low = 0, high = profile->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare(&profile->entries[middle], key, size_class) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *is_there = low < profile->count && compare(&profile->entries[low], key, size_class) == 0;
    return low;
}

double hy_profile_time(const struct hy_profile *profile, struct hy_profile_key key, double units)
{
    bool is_there;

    if (!profile || profile->count == 0)
        return -1;
    const uint32_t index = find(profile, key, hy_profile_size_class(units), &is_there);
    if (!is_there)
        return -1;
    const struct hy_profile_entry *entry = &profile->entries[index];
    return units > 1 ? entry->ns * (units / entry->units) : entry->ns / entry->units;
}

/* True if a file can name the extension code. */
static bool is_named(int32_t code)
{
    return hy_extension_name_is_well_formed(hy_extension_name(hy_extension_prefix_of(code)));
}

static enum hy_code check_figures(const char *operation, double units, double ns,
                                  struct hy_error *err)
{
    if (!(units >= 1 && units <= HY_PROFILE_MAX_UNITS))
        return hy_fail(err, HY_BAD_DATA, "%.64s: %g units, needs 1 to %g", operation, units,
                       HY_PROFILE_MAX_UNITS);
    if (!(ns >= 0 && ns <= HY_PROFILE_MAX_NS))
        return hy_fail(err, HY_BAD_DATA, "%.64s: %g ns, needs 0 to %g", operation, ns,
                       HY_PROFILE_MAX_NS);
    return HY_OK;
}

static enum hy_code check(struct hy_profile_key key, double units, double ns, struct hy_error *err)
{
    if (!hy_operation_info(key.operation) && !is_named(key.operation))
        return hy_fail(err, HY_BAD_DATA, "%s cannot be in a profile",
                       hy_operation_text(key.operation));
    if (!hy_operand_type_info(key.type) && !is_named(key.type))
        return hy_fail(err, HY_BAD_DATA, "%s: type %s cannot be in a profile",
                       hy_operation_text(key.operation), hy_operand_type_text(key.type));
    return check_figures(hy_operation_text(key.operation), units, ns, err);
}

static enum hy_code check_count(const struct hy_profile *profile, struct hy_error *err)
{
    if (profile->count + profile->unknown_count >= HY_PROFILE_MAX_ENTRIES)
        return hy_fail(err, HY_BAD_DATA, "more than %u entries", HY_PROFILE_MAX_ENTRIES);
    return HY_OK;
}

/* Reserves one more entry. */
static enum hy_code grow(struct hy_profile *profile, struct hy_error *err)
{
    const enum hy_code code = check_count(profile, err);
    if (code != HY_OK)
        return code;
    struct hy_profile_entry *entries =
        hy_array_grow(profile->entries, profile->count, sizeof *entries);
    if (!entries)
        return hy_fail(err, HY_OUT_OF_MEMORY, "entry %u", profile->count);
    profile->entries = entries;
    return HY_OK;
}

/* Finds or inserts the entry of a key and class. */
static enum hy_code get_entry(struct hy_profile *profile, struct hy_profile_key key, double units,
                              struct hy_profile_entry **ret, struct hy_error *err)
{
    const uint32_t size_class = hy_profile_size_class(units);
    bool is_there;
    const uint32_t index = find(profile, key, size_class, &is_there);

    if (!is_there) {
        enum hy_code code = grow(profile, err);
        if (code != HY_OK)
            return code;
        struct hy_profile_entry *entry = &profile->entries[index];
        memmove(entry + 1, entry, (profile->count - index) * sizeof *entry);
        *entry = (struct hy_profile_entry){.key = key, .size_class = size_class};
        profile->count++;
    }
    *ret = &profile->entries[index];
    return HY_OK;
}

enum hy_code hy_profile_set(struct hy_profile *profile, struct hy_profile_key key, double units,
                            double ns, struct hy_error *err)
{
    struct hy_profile_entry *entry;

    enum hy_code code = check(key, units, ns, err);
    if (code == HY_OK)
        code = get_entry(profile, key, units, &entry, err);
    if (code != HY_OK)
        return code;
    entry->units = units;
    entry->ns = ns;
    entry->samples = 0;
    return HY_OK;
}

enum hy_code hy_profile_add(struct hy_profile *profile, struct hy_profile_key key, double units,
                            double ns, struct hy_error *err)
{
    struct hy_profile_entry *entry;

    enum hy_code code = check(key, units, ns, err);
    if (code == HY_OK)
        code = get_entry(profile, key, units, &entry, err);
    if (code != HY_OK)
        return code;
    const double samples = ++entry->samples;
    entry->units += (units - entry->units) / samples;
    entry->ns += (ns - entry->ns) / samples;
    return HY_OK;
}

enum hy_code hy_profile_add_unknown(struct hy_profile *profile,
                                    const struct hy_profile_unknown *entry, struct hy_error *err)
{
    struct hy_profile_unknown copy = *entry;

    enum hy_code code = check_figures(entry->operation, entry->units, entry->ns, err);
    if (code == HY_OK)
        code = check_count(profile, err);
    if (code != HY_OK)
        return code;
    struct hy_profile_unknown *unknown =
        hy_array_grow(profile->unknown, profile->unknown_count, sizeof *unknown);
    if (unknown)
        profile->unknown = unknown;
    copy.operation = strdup(entry->operation);
    copy.type = strdup(entry->type);
    if (!unknown || !copy.operation || !copy.type) {
        free(copy.operation);
        free(copy.type);
        return hy_fail(err, HY_OUT_OF_MEMORY, "entry %u", profile->unknown_count);
    }
    unknown[profile->unknown_count++] = copy;
    return HY_OK;
}

enum hy_code hy_profile_set_launch(struct hy_profile *profile, double ns, struct hy_error *err)
{
    if (!(ns >= 0 && ns <= HY_PROFILE_MAX_NS))
        return hy_fail(err, HY_BAD_DATA, "launch takes %g ns, needs 0 to %g", ns,
                       HY_PROFILE_MAX_NS);
    profile->launch_ns = ns;
    return HY_OK;
}

enum hy_code hy_profile_copy(struct hy_profile *to, const struct hy_profile *from,
                             struct hy_error *err)
{
    enum hy_code code = HY_OK;

    to->launch_ns = from->launch_ns;
    for (uint32_t i = 0; code == HY_OK && i < from->count; i++)
        code = hy_profile_set(to, from->entries[i].key, from->entries[i].units, from->entries[i].ns,
                              err);
    for (uint32_t i = 0; code == HY_OK && i < from->unknown_count; i++)
        code = hy_profile_add_unknown(to, &from->unknown[i], err);
    return code;
}

void hy_profile_finish(struct hy_profile *profile)
{
    for (uint32_t i = 0; i < profile->unknown_count; i++) {
        free(profile->unknown[i].operation);
        free(profile->unknown[i].type);
    }
    free(profile->unknown);
    free(profile->entries);
    *profile = (struct hy_profile){0};
}
