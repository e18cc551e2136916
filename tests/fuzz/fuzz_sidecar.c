#include "tests/fuzz/fuzz.h"

#include "cache_store/sidecar.h"
#include "cache_store/sidecar_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was read is written so that it reads the same. */
static const char *check(const struct hy_sidecar *sidecar)
{
    struct hy_sidecar again;
    char *text = NULL;
    size_t length = 0;

    if (sidecar->counts.model > HY_MAX_CACHE_FILES || sidecar->counts.data > HY_MAX_CACHE_FILES)
        return "more files than a device may have";
    if (hy_sidecar_format(sidecar, &text, &length, NULL) != HY_OK)
        return "it cannot be written again";
    const bool same = hy_sidecar_parse(text, length, &again, NULL) == HY_OK &&
                      memcmp(&again, sidecar, sizeof again) == 0;
    free(text);
    return same ? NULL : "written again, it changes";
}

/* The length of what stands before the check. */
static size_t members_of(const uint8_t *data, size_t size)
{
    static const char check[] = "  \"check\"";
    const uint8_t *at = size > 0 ? memmem(data, size, check, sizeof check - 1) : NULL;
    return at ? (size_t)(at - data) : size;
}

/* Nearly all inputs fail at the check behind the members, so these are read without it too. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hy_sidecar sidecar;
    struct hy_error err = {0};
    const char *wrong = NULL;

    memset(&sidecar, 0, sizeof sidecar);
    if (hy_sidecar_read((const char *)data, members_of(data, size), &sidecar, &err) == HY_OK)
        wrong = check(&sidecar);
    else if (!err.text[0])
        wrong = "refused without words";
    const enum hy_code code = hy_sidecar_parse((const char *)data, size, &sidecar, &err);
    if (!wrong && code == HY_OK)
        wrong = check(&sidecar);
    else if (!wrong && (code != HY_BAD_DATA || !err.text[0]))
        wrong = "refused with another code, or without words";
    if (wrong) {
        fprintf(stderr, "fuzz_sidecar: %s\n", wrong);
        abort();
    }
    return 0;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    static const struct hy_entry_facts facts = {
        .device = "d\xc3\xa4vice", .version = "1", .build_id = "b", .operations = 7};
    struct hy_sidecar sidecar = {.created = 1700000000, .is_kept_open = index == 1};
    char *text = NULL;

    if (index > 2)
        return NULL;
    sidecar.counts = (struct hy_file_counts){index, index + 1};
    for (unsigned i = 0; i < HY_MAX_CACHE_FILES; i++)
        sidecar.model[i].length = sidecar.data[i].length = (uint64_t)i << 20;
    hy_sidecar_set_facts(&sidecar, &facts);
    if (hy_sidecar_format(&sidecar, &text, length, NULL) != HY_OK)
        abort();
    return (uint8_t *)text;
}
