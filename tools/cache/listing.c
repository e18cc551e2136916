#include "tools/cache/listing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "tools/api_result.h"
#include "tools/token_text.h"

static void free_strings(struct halyard_cache_entry *entry)
{
    free((char *)entry->device);
    free((char *)entry->version);
    free((char *)entry->build_id);
    free((char *)entry->fault);
}

/* Copies the strings too; false leaves nothing to free. */
static bool copy_entry(struct halyard_cache_entry *to, const struct halyard_cache_entry *from)
{
    *to = *from;
    to->device = strdup(from->device);
    to->version = strdup(from->version);
    to->build_id = strdup(from->build_id);
    to->fault = strdup(from->fault);
    if (to->device && to->version && to->build_id && to->fault)
        return true;
    free_strings(to);
    return false;
}

static bool grow(struct hy_cache_listing *listing)
{
    struct halyard_cache_entry *entries =
        hy_array_grow(listing->entries, listing->count, sizeof *entries);
    if (!entries)
        return false;
    listing->entries = entries;
    return true;
}

void hy_cache_listing_add(void *context, const struct halyard_cache_entry *entry)
{
    struct hy_cache_listing *listing = context;
    if (grow(listing) && copy_entry(&listing->entries[listing->count], entry))
        listing->count++;
    else
        listing->is_short = true;
}

void hy_cache_listing_finish(struct hy_cache_listing *listing)
{
    for (uint32_t i = 0; i < listing->count; i++)
        free_strings(&listing->entries[i]);
    free(listing->entries);
    *listing = (struct hy_cache_listing){0};
}

enum hy_code hy_cache_listing_check(const struct hy_cache_listing *listing, int code,
                                    const char *call, struct hy_error *err)
{
    if (code == ANEURALNETWORKS_NO_ERROR && listing->is_short)
        return hy_fail(err, HY_OUT_OF_MEMORY, "the cache has more than %u entries", listing->count);
    return hy_api_result(code, call, err);
}

/* ---- Tokens by their beginnings -------------------------------------------------------------- */

bool hy_cache_is_prefix(const char *text)
{
    const size_t length = strspn(text, "0123456789abcdefABCDEF");
    return length > 0 && length < HY_TOKEN_TEXT_SIZE && text[length] == '\0';
}

static bool begins_with(const struct halyard_cache_entry *entry, const char *prefix)
{
    char token[HY_TOKEN_TEXT_SIZE];
    hy_token_text(entry->token, token);
    for (size_t i = 0; prefix[i]; i++)
        if (token[i] != tolower((unsigned char)prefix[i]))
            return false;
    return true;
}

static bool begins_with_any(const struct halyard_cache_entry *entry, uint32_t count,
                            char *const *prefixes)
{
    for (uint32_t i = 0; i < count; i++)
        if (begins_with(entry, prefixes[i]))
            return true;
    return count == 0;
}

void hy_cache_listing_narrow(struct hy_cache_listing *listing, uint32_t count,
                             char *const *prefixes)
{
    uint32_t retained = 0;
    for (uint32_t i = 0; i < listing->count; i++) {
        if (begins_with_any(&listing->entries[i], count, prefixes))
            listing->entries[retained++] = listing->entries[i];
        else
            free_strings(&listing->entries[i]);
    }
    listing->count = retained;
}

enum hy_code hy_cache_listing_find(const struct hy_cache_listing *listing, const char *prefix,
                                   const struct halyard_cache_entry **ret, struct hy_error *err)
{
    const struct halyard_cache_entry *found = NULL;
    uint32_t matches = 0;
    for (uint32_t i = 0; i < listing->count; i++) {
        if (!begins_with(&listing->entries[i], prefix))
            continue;
        found = &listing->entries[i];
        matches++;
    }
    if (matches == 0)
        return hy_fail(err, HY_BAD_DATA, "no token begins with %s", prefix);
    if (matches > 1)
        return hy_fail(err, HY_BAD_DATA, "%u tokens begin with %s", matches, prefix);
    *ret = found;
    return HY_OK;
}
