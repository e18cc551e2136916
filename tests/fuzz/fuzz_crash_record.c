#include "tests/fuzz/fuzz.h"

#include "runtime/drivers/crash_evidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A record that is read reads back from its own bytes, and proves what it says of its own build. */
static const char *check(const struct hy_crash_record *record)
{
    struct hy_crash_file_list list = {0};
    struct hy_crash_record again;
    struct hy_error err = {0};
    const char *wrong = NULL;

    if (!hy_crash_record_parse(record, sizeof *record, &again) ||
        memcmp(record, &again, sizeof again) != 0)
        return "its own bytes are refused, or change";
    if (hy_crash_file_list_add(&list, "1-1.opening", record, &err) != HY_OK)
        return NULL;
    const enum hy_code code = hy_crash_evidence_check(&list, &record->build, &err);
    if (code != (record->cause == HY_CRASH_UNKNOWN ? HY_OK : HY_FAILED))
        wrong = "one record proves something else than it says";
    else if (code != HY_OK && !err.text[0])
        wrong = "a build is left out without words";
    (void)hy_crash_evidence_is_over(&list, 0);
    hy_crash_file_list_finish(&list);
    return wrong;
}

/* Any bytes are refused, or are a whole record. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hy_crash_record record;

    const char *wrong = hy_crash_record_parse(data, size, &record) ? check(&record) : NULL;
    if (wrong) {
        fprintf(stderr, "fuzz_crash_record: %s\n", wrong);
        abort();
    }
    return 0;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    static const uint32_t causes[] = {HY_CRASH_UNKNOWN, HY_CRASH_SIGNAL, HY_CRASH_EXIT};
    const struct hy_process_identity process = {.process = 7, .start = 9, .position = "boot 1"};
    const struct hy_driver_build build = {.driver = "npu", .library = "/opt/npu.so", .size = 5};
    struct hy_crash_record *record = malloc(sizeof *record);

    if (!record || index >= sizeof causes / sizeof *causes) {
        free(record);
        return NULL;
    }
    hy_crash_record_init(record, &process, &build);
    record->cause = causes[index];
    record->number = 11; /* a fault, or a status */
    strcpy(record->call, "create");
    strcpy(record->last_line, "no firmware");
    *length = sizeof *record;
    return (uint8_t *)record;
}
