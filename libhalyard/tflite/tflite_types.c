#include "libhalyard/tflite/tflite_types.h"

#include <stddef.h>

#include "common/checked.h"

static const struct {
    const char *name;
    unsigned bits;
} types[HY_TFLITE_TYPE_COUNT] = {
#define TYPE(number, NAME, name, bits) [number] = {#name, bits},
#include "libhalyard/tflite/tflite_types.def"
#undef TYPE
};

const char *hy_tflite_type_name(enum hy_tflite_type type)
{
    return (unsigned)type < HY_TFLITE_TYPE_COUNT ? types[type].name : "unknown";
}

unsigned hy_tflite_type_bits(enum hy_tflite_type type)
{
    return (unsigned)type < HY_TFLITE_TYPE_COUNT ? types[type].bits : 0;
}

bool hy_tflite_type_bytes(enum hy_tflite_type type, unsigned rank, const int32_t *dims,
                          uint64_t *bytes)
{
    uint64_t bits = hy_tflite_type_bits(type);
    for (unsigned i = 0; i < rank; i++) {
        if (dims[i] < 0 || !hy_mul_u64(bits, (uint64_t)dims[i], &bits))
            return false;
    }
    *bytes = bits / 8 + (bits % 8 != 0);
    return true;
}
