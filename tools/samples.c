#include "tools/samples.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/clock.h"
#include "tools/interrupt.h"

enum hy_code hy_samples_add(struct hy_samples *samples, uint64_t ns, struct hy_error *err)
{
    uint64_t *at = hy_array_grow(samples->at, samples->count, sizeof *at);
    if (!at)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u samples", samples->count);
    samples->at = at;
    samples->at[samples->count++] = ns;
    return HY_OK;
}

void hy_samples_finish(struct hy_samples *samples)
{
    free(samples->at);
    *samples = (struct hy_samples){0};
}

bool hy_measured_length_is_over(const struct hy_measured_length *length, uint32_t runs,
                                uint64_t start_ns)
{
    if (hy_interrupt_came())
        return true;
    return length->duration_ns ? hy_clock_now() - start_ns >= length->duration_ns
                               : runs >= length->runs;
}
