#include "tests/fuzz/fuzz.h"

#include "runtime/plan/overrides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every assignment names a device, and an operation by number or by type. */
static const char *check(const struct hy_assignments *assignments)
{
    if (assignments->count > HY_ASSIGNMENTS_MAX)
        return "more assignments than are allowed";
    for (uint32_t i = 0; i < assignments->count; i++) {
        const struct hy_assignment *assignment = &assignments->list[i];
        if (!assignment->device || !assignment->device[0])
            return "an assignment without a device";
        if (assignment->number != HY_ANY_NUMBER && assignment->type != 0)
            return "an assignment by number and type";
    }
    return NULL;
}

/* A file is refused with words, or all that it says keeps the limits. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hy_assignments assignments = {0};
    struct hy_error err = {0};
    const char *wrong = NULL;

    if (hy_assignments_parse((const char *)data, size, &assignments, &err) == HY_OK)
        wrong = check(&assignments);
    else if (!err.text[0] || assignments.list)
        wrong = "refused without words, or with something left";
    hy_assignments_finish(&assignments);
    if (wrong) {
        fprintf(stderr, "fuzz_assignments: %s\n", wrong);
        abort();
    }
    return 0;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    static const char *const seeds[] = {
        "{\"operations\":{}}",
        "{\"operations\":{\"3\":\"acme-npu\",\"CONV_2D\":\"halyard-cpu\",\"ADD\":\"b\"}}",
    };
    if (index >= sizeof seeds / sizeof seeds[0])
        return NULL;
    *length = strlen(seeds[index]);
    return (uint8_t *)strdup(seeds[index]);
}
