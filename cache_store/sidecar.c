#include "cache_store/sidecar.h"

#include "cache_store/directory/names.h"
#include "cache_store/sidecar_text.h"
#include "cache_store/xxh3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What follows the members: "check" is one of them to who reads JSON. */
#define CHECK_HEAD   "  \"check\": \""
#define CHECK_TAIL   "\"\n}\n"
#define CHECK_DIGITS 32u
#define CHECK_LENGTH (sizeof CHECK_HEAD - 1 + CHECK_DIGITS + sizeof CHECK_TAIL - 1)

/* ---- Facts ----------------------------------------------------------------------------------- */

static void set_text(char *to, const char *from)
{
    const size_t length = strnlen(from ? from : "", HY_SIDECAR_MAX_TEXT);
    memcpy(to, from ? from : "", length);
    to[length] = '\0';
}

void hy_sidecar_set_facts(struct hy_sidecar *sidecar, const struct hy_entry_facts *facts)
{
    set_text(sidecar->device, facts->device);
    set_text(sidecar->version, facts->version);
    set_text(sidecar->build_id, facts->build_id);
    sidecar->operations = facts->operations;
    sidecar->preference = facts->preference;
    sidecar->priority = facts->priority;
}

struct hy_entry_facts hy_sidecar_facts(const struct hy_sidecar *sidecar)
{
    return (struct hy_entry_facts){
        .device = sidecar->device,
        .version = sidecar->version,
        .build_id = sidecar->build_id,
        .operations = sidecar->operations,
        .preference = sidecar->preference,
        .priority = sidecar->priority,
    };
}

/* ---- The check ------------------------------------------------------------------------------- */

static void format_check(const char *text, size_t length, char check[CHECK_LENGTH + 1])
{
    XXH128_canonical_t digest;
    char digits[CHECK_DIGITS + 1];

    XXH128_canonicalFromHash(&digest, XXH3_128bits(text, length));
    hy_hex_format(digest.digest, sizeof digest.digest, digits);
    snprintf(check, CHECK_LENGTH + 1, "%s%s%s", CHECK_HEAD, digits, CHECK_TAIL);
}

enum hy_code hy_sidecar_format(const struct hy_sidecar *sidecar, char **ret, size_t *ret_length,
                               struct hy_error *err)
{
    char *members = NULL;
    enum hy_code code = hy_sidecar_write_json(sidecar, &members, err);
    if (code != HY_OK)
        return code;

    size_t length = strlen(members);
    char *text = realloc(members, length + CHECK_LENGTH + 1);
    if (!text) {
        free(members);
        return hy_fail(err, HY_OUT_OF_MEMORY, "sidecar");
    }
    memcpy(text + length - 2, ",\n", 2); /* in the place of the object's end */
    format_check(text, length, text + length);
    *ret = text;
    *ret_length = length + CHECK_LENGTH;
    return HY_OK;
}

enum hy_code hy_sidecar_parse(const char *text, size_t length, struct hy_sidecar *ret,
                              struct hy_error *err)
{
    char check[CHECK_LENGTH + 1];

    if (length > HY_SIDECAR_MAX_BYTES)
        return hy_fail(err, HY_BAD_DATA, "sidecar has %zu bytes, at most %u are allowed", length,
                       HY_SIDECAR_MAX_BYTES);
    if (length <= CHECK_LENGTH)
        return hy_fail(err, HY_BAD_DATA, "sidecar has %zu bytes: it is cut off", length);
    format_check(text, length - CHECK_LENGTH, check);
    if (memcmp(text + length - CHECK_LENGTH, check, CHECK_LENGTH) != 0)
        return hy_fail(err, HY_BAD_DATA, "sidecar of %zu bytes: its check is wrong", length);
    return hy_sidecar_read(text, length - CHECK_LENGTH, ret, err);
}
