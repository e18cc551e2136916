#include "libhalyard/graph/element.h"

#include "common/checked.h"

static const struct {
    const char *name;
    unsigned bits;
} elements[HY_ELEMENT_COUNT] = {
#define ELEMENT(NAME, name, bits) [HY_ELEMENT_##NAME] = {#name, bits},
#include "libhalyard/graph/element.def"
#undef ELEMENT
};

const char *hy_element_name(enum hy_element element)
{
    return elements[element].name;
}

unsigned hy_element_bits(enum hy_element element)
{
    return elements[element].bits;
}

bool hy_element_bytes(enum hy_element element, uint32_t rank, const int32_t *extents,
                      uint64_t *bytes)
{
    uint64_t bits = hy_element_bits(element);
    for (uint32_t i = 0; i < rank; i++) {
        if (extents[i] < 0 || !hy_mul_u64(bits, (uint64_t)extents[i], &bits))
            return false;
    }
    *bytes = bits / 8 + (bits % 8 != 0);
    return true;
}
