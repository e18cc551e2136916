#include "tests/fuzz/fuzz.h"

#include "runtime/profile/profile_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a file says reads back from its own text as it was. */
static const char *check(const struct hy_profile_file *file)
{
    struct hy_profile_file again = {0};
    const char *wrong = NULL;
    char *text = NULL;

    if (hy_profile_file_format(file, &text, NULL) != HY_OK)
        return "it has no text";
    if (hy_profile_file_parse(text, strlen(text), &again, NULL) != HY_OK)
        wrong = "its own text is refused";
    else if (again.count != file->count)
        wrong = "devices get lost";
    for (uint32_t i = 0; !wrong && i < file->count; i++) {
        if (strcmp(again.records[i].device, file->records[i].device) != 0 ||
            again.records[i].profile.count != file->records[i].profile.count ||
            again.records[i].profile.unknown_count != file->records[i].profile.unknown_count)
            wrong = "a device changes";
    }
    hy_profile_file_finish(&again);
    free(text);
    return wrong;
}

static const char *check_times(const struct hy_profile *profile)
{
    for (uint32_t i = 0; i < profile->count; i++) {
        const struct hy_profile_entry *entry = &profile->entries[i];
        const double ns = hy_profile_time(profile, entry->key, entry->units);
        if (!(ns >= 0 && ns <= HY_PROFILE_MAX_NS * 1.001))
            return "a time out of range";
    }
    return NULL;
}

/* A file is refused with words, or all that it says keeps the limits. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hy_profile_file file = {0};
    struct hy_error err = {0};
    const char *wrong = NULL;

    if (hy_profile_file_parse((const char *)data, size, &file, &err) == HY_OK) {
        wrong = check(&file);
        for (uint32_t i = 0; !wrong && i < file.count; i++)
            wrong = check_times(&file.records[i].profile);
    } else if (!err.text[0] || file.count > 0) {
        wrong = "refused without words, or with devices";
    }
    hy_profile_file_finish(&file);
    if (wrong) {
        fprintf(stderr, "fuzz_profile: %s\n", wrong);
        abort();
    }
    return 0;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    static const char *const seeds[] = {
        "{\"file_format_version\":\"1.0.0\",\"devices\":[]}",
        "{\"file_format_version\":\"1.0.0\",\"devices\":[{\"name\":\"acme-npu\",\"version\":\"1\","
        "\"build_id\":\"\",\"cpu\":\"c\",\"launch_ns\":12.5,\"operations\":[{\"operation\":"
        "\"ADD\",\"type\":\"TENSOR_FLOAT32\",\"relaxed\":false,\"units\":1024,\"ns\":99.5},{"
        "\"operation\":\"CONV_2D\",\"type\":\"TENSOR_QUANT8_ASYMM\",\"relaxed\":true,\"units\":"
        "1e9,\"ns\":1e6}]},{\"name\":\"b\",\"version\":\"2\",\"build_id\":\"x\",\"cpu\":\"\","
        "\"launch_ns\":0,\"operations\":[]}]}",
        "{\"file_format_version\":\"1.0.0\",\"devices\":[{\"name\":\"a\",\"version\":\"1\",\"build_"
        "id\":"
        "\"\",\"cpu\":\"c\",\"launch_ns\":1,\"operations\":[{\"operation\":\"com.acme.fft#3\","
        "\"type\":"
        "\"com.acme.fft.TENSOR\",\"relaxed\":false,\"units\":1,\"ns\":2}]}]}",
    };
    if (index >= sizeof seeds / sizeof seeds[0])
        return NULL;
    *length = strlen(seeds[index]);
    return (uint8_t *)strdup(seeds[index]);
}
