#include "libhalyard/preprocess/input_spec.h"

#include <inttypes.h>
#include <stdio.h>

void hy_input_spec_text(const struct hy_input_spec *spec, char *text, size_t size)
{
    int used = snprintf(text, size, "%s[", hy_element_name(spec->type));
    for (uint32_t i = 0; i < spec->rank && used >= 0 && (size_t)used < size; i++)
        used +=
            snprintf(text + used, size - (size_t)used, "%s%" PRId32, i ? "," : "", spec->dims[i]);
    if (used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "]");
}
