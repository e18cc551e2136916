#include "tests/fuzz/fuzz.h"

#include "cache_store/metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is accepted is within the limits that its readers rely on. */
static const char *look(const struct hy_metadata *metadata)
{
    const struct hy_entry_info info = hy_metadata_info(metadata);

    if (metadata->counts.model > HY_MAX_CACHE_FILES || metadata->counts.data > HY_MAX_CACHE_FILES)
        return "more files than a device may have";
    if (strlen(info.device) > HY_METADATA_MAX_TEXT || strlen(info.version) > HY_METADATA_MAX_TEXT ||
        strlen(info.build_id) > HY_METADATA_MAX_TEXT)
        return "a text without an end";
    for (uint32_t i = 0; i < HY_MAX_CACHE_FILES; i++) {
        if ((int64_t)metadata->model[i].length < 0 || (int64_t)metadata->data[i].length < 0)
            return "a length that no file has";
    }
    return NULL;
}

static const char *check(const struct hy_metadata *metadata, size_t length)
{
    struct hy_error err = {0};
    const enum hy_code code = hy_metadata_check(metadata, length, &err);

    if (code == HY_OK)
        return look(metadata);
    return code != HY_BAD_DATA || !err.text[0] ? "refused with another code, or without words"
                                               : NULL;
}

/* Nearly all inputs have a wrong check, so they are read with a right one, too. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hy_metadata metadata;

    memset(&metadata, 0, sizeof metadata);
    if (size > 0)
        memcpy(&metadata, data, size < sizeof metadata ? size : sizeof metadata);
    const char *wrong = check(&metadata, size);
    hy_metadata_seal(&metadata);
    if (!wrong)
        wrong = check(&metadata, sizeof metadata);
    if (wrong) {
        fprintf(stderr, "fuzz_entry_metadata: %s\n", wrong);
        abort();
    }
    return 0;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    static const struct hy_entry_info info = {
        .device = "d\xc3\xa4vice", .version = "1", .build_id = "b", .operations = 7};
    struct hy_metadata *metadata = index > 2 ? NULL : calloc(1, sizeof *metadata);

    if (!metadata)
        return NULL;
    metadata->created = 1700000000;
    metadata->is_kept_open = index == 1;
    metadata->counts = (struct hy_file_counts){index, index + 1};
    for (unsigned i = 0; i < HY_MAX_CACHE_FILES; i++)
        metadata->model[i].length = metadata->data[i].length = (uint64_t)i << 20;
    hy_metadata_set_info(metadata, &info);
    hy_metadata_seal(metadata);
    *length = sizeof *metadata;
    return (uint8_t *)metadata;
}
