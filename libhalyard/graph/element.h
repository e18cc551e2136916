#ifndef HY_LIBHALYARD_GRAPH_ELEMENT_H
#define HY_LIBHALYARD_GRAPH_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

/* The type of a tensor's elements, for all file formats. */
enum hy_element {
#define ELEMENT(NAME, name, bits) HY_ELEMENT_##NAME,
#include "libhalyard/graph/element.def"
#undef ELEMENT
    HY_ELEMENT_COUNT
};

/* "float32". */
const char *hy_element_name(enum hy_element element);

/* Bits of one element; 0 for elements without a fixed size. */
unsigned hy_element_bits(enum hy_element element);

/* Bytes of a dense tensor; 0 for elements without a fixed size. False if an extent is unknown
 * (negative) or the product does not fit in 64 bits. */
bool hy_element_bytes(enum hy_element element, uint32_t rank, const int32_t *extents,
                      uint64_t *bytes);

#endif
