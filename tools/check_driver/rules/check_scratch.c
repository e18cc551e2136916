/* Memory that the host lends to an execution: B28. */
#include <string.h>

#include "tools/check_driver/rules/check.h"

#define ALIGNMENT_MAX 64u
#define WATCHED       128u /* guard bytes around the memory */
#define WATCHED_BYTE  0xc5
#define UNASKED_BYTES 256u /* where the driver needs none */
#define BYTES_MAX     (UINT64_C(1) << 30)

/* The scratch memory of a request: its misalignment, and its missing bytes. */
static const struct loan {
    const char *description;
    uint32_t shift;
    uint8_t fill;
    bool is_short;
} loans[] = {
    {"scratch memory of zeros", 0, 0x00, false},
    {"scratch memory of ones", 0, 0xff, false},
    {"misaligned scratch memory", 1, 0x00, false},
    {"scratch memory a byte too small", 0, 0x00, true},
};

/* ---- The declarations of the driver ---------------------------------------------------------- */

static bool is_power_of_two(uint32_t number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

static bool ask(struct hy_check *check, const struct hy_sample *sample, struct hy_scratch *out)
{
    const char *name = sample->vector->name;
    struct hy_scratch again = {.struct_size = sizeof again};
    *out = again;
    hy_result_page_step(check->page, HY_RULE_B28, "scratch_needed of %s", name);
    const int32_t status = check->table.scratch_needed(sample->prepared, out);
    hy_check_status(check, "scratch_needed", status);
    if (status != HY_STATUS_OK) {
        hy_result_page_report(check->page, HY_RULE_B28, "%s: scratch_needed returned %s", name,
                              hy_status_text(status));
        return false;
    }
    const bool is_sound = out->bytes == 0
                              ? out->alignment == 0
                              : is_power_of_two(out->alignment) && out->alignment <= ALIGNMENT_MAX;
    if (!is_sound)
        hy_result_page_report(check->page, HY_RULE_B28,
                              "%s: scratch_needed returned %llu bytes with the wrong alignment %u",
                              name, (unsigned long long)out->bytes, out->alignment);
    else if (check->table.scratch_needed(sample->prepared, &again) != HY_STATUS_OK ||
             again.bytes != out->bytes || again.alignment != out->alignment)
        hy_result_page_report(check->page, HY_RULE_B28,
                              "%s: the result of scratch_needed has changed", name);
    return is_sound;
}

/* ---- What it does with it -------------------------------------------------------------------- */

static bool is_intact(const uint8_t *from, const uint8_t *to)
{
    for (; from < to; from++)
        if (*from != WATCHED_BYTE)
            return false;
    return true;
}

/* The loan ends as near to the end of the mapping as its alignment lets it. */
static uint8_t *position(const struct hy_memory *memory, const struct hy_scratch *needed,
                         const struct loan *loan)
{
    const uint64_t alignment = needed->alignment ? needed->alignment : ALIGNMENT_MAX;
    const uint64_t offset = (memory->size - needed->bytes - WATCHED / 2) / alignment * alignment;
    return memory->bytes + offset + loan->shift;
}

static void run(struct hy_check *check, struct hy_sample *sample, const struct hy_scratch *needed,
                const struct loan *loan, const struct hy_memory *memory)
{
    uint8_t *scratch = position(memory, needed, loan);
    const uint64_t bytes = needed->bytes - loan->is_short;
    memset(memory->bytes, WATCHED_BYTE, memory->size);
    memset(scratch, loan->fill, bytes);
    sample->test_case.options.scratch = scratch;
    sample->test_case.options.scratch_bytes = bytes;

    hy_result_page_step(check->page, HY_RULE_B28, "executing %s with %s", sample->vector->name,
                        loan->description);
    if (hy_sample_run(check, HY_RULE_B28, sample) &&
        !(is_intact(memory->bytes, scratch) &&
          is_intact(scratch + bytes, memory->bytes + memory->size)))
        hy_result_page_report(check->page, HY_RULE_B28,
                              "%s with %s: bytes outside the memory were written",
                              sample->vector->name, loan->description);
}

static void check_model(struct hy_check *check, struct hy_sample *sample)
{
    struct hy_scratch needed;
    struct hy_memory memory = {.fd = -1};
    if (!ask(check, sample, &needed))
        return;
    if (needed.bytes > BYTES_MAX) {
        hy_result_page_skip(check->page, HY_RULE_B28, "%s needs %llu bytes of scratch memory",
                            sample->vector->name, (unsigned long long)needed.bytes);
        return;
    }
    if (needed.bytes == 0)
        needed.bytes = UNASKED_BYTES;
    if (hy_memory_create(HY_POOL_HOST, needed.bytes + UINT64_C(2) * WATCHED, &memory, NULL) ==
        HY_OK)
        for (size_t i = 0; i < sizeof loans / sizeof *loans; i++)
            run(check, sample, &needed, &loans[i], &memory);
    hy_memory_destroy(&memory);
}

void hy_check_scratch(struct hy_check *check)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    const struct hy_vector *vector;
    if (!check->table.scratch_needed) {
        hy_result_page_skip(check->page, HY_RULE_B28, "the device does not offer scratch_needed");
        return;
    }
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        if (hy_sample_make(check, HY_RULE_B28, vector, &form, &sample))
            check_model(check, &sample);
        hy_sample_finish(check, &sample);
    }
    hy_result_page_pass(check->page, HY_RULE_B28);
}
