#include "tools/commands/cached_steps.h"

#include <stdio.h>

#include "common/printable.h"
#include "tools/byte_text.h"

static void print_step(uint32_t index, const struct halyard_plan_step *step)
{
    static const char *const outcomes[] = {
        [HALYARD_CACHE_OFF] = "no cache",
        [HALYARD_CACHE_UNUSED] = "cannot be cached",
        [HALYARD_CACHE_HIT] = "found",
        [HALYARD_CACHE_STORED] = "stored",
        [HALYARD_CACHE_NOT_STORED] = "NOT STORED",
    };
    const bool is_there = step->cache == HALYARD_CACHE_HIT || step->cache == HALYARD_CACHE_STORED;

    printf("step %-4u %-17s %9s  %s, %u operation%s", index, outcomes[step->cache],
           is_there ? hy_byte_text(step->cache_bytes).text : "-", hy_device_name(step->device),
           step->operation_count, step->operation_count == 1 ? "" : "s");
    printf("%s%s\n", is_there ? "" : ": ", is_there ? "" : hy_text_line(step->cache_reason).text);
}

void hy_cached_steps_add(void *context, uint32_t index, const struct halyard_plan_step *step)
{
    struct hy_cached_steps *steps = context;

    steps->counts[step->cache]++;
    steps->bytes += step->cache_bytes;
    if (steps->as_json)
        hy_cached_steps_add_json(steps, step);
    else
        print_step(index, step);
}

void hy_cached_steps_print_sum(const struct hy_cached_steps *steps, const char *dir)
{
    static const struct {
        int32_t kind;
        const char *label;
    } parts[] = {{HALYARD_CACHE_STORED, "stored"},
                 {HALYARD_CACHE_HIT, "found"},
                 {HALYARD_CACHE_NOT_STORED, "not stored"},
                 {HALYARD_CACHE_UNUSED, "cannot be cached"}};
    const char *gap = "";

    printf("%s: ", dir ? hy_text_line(dir).text : "the directory of HALYARD_CACHE_DIR");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const uint32_t count = steps->counts[parts[i].kind];
        if (count == 0)
            continue;
        printf("%s%u step%s %s", gap, count, count == 1 ? "" : "s", parts[i].label);
        gap = ", ";
    }
    printf("; %s\n", hy_byte_text(steps->bytes).text);
}
