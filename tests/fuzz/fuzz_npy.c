#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libhalyard/preprocess/npy.h"

static const int32_t dims[] = {1, 2, 3};

static const struct hy_input_spec specs[] = {
    {.type = HY_ELEMENT_FLOAT32, .rank = 3, .dims = dims},
    {.type = HY_ELEMENT_INT8, .rank = 3, .dims = dims},
    {.type = HY_ELEMENT_INT64, .rank = 0, .dims = dims},
    {.type = HY_ELEMENT_STRING, .rank = 1, .dims = dims},
};

/* A file is refused with words, or fills the tensor with its last bytes. */
static const char *decode(const uint8_t *data, size_t size, const struct hy_input_spec *spec)
{
    uint8_t out[64];
    uint64_t bytes = 0;
    struct hy_error err = {0};
    if (!hy_element_bytes(spec->type, spec->rank, spec->dims, &bytes))
        return "no size";
    if (hy_npy_decode(data, size, spec, out, bytes, &err) != HY_OK)
        return err.text[0] ? NULL : "refused without words";
    return memcmp(out, data + size - bytes, bytes) == 0 ? NULL : "not the bytes of the file";
}

/* A shape is within the limits, or refused with words. */
static const char *read_shape(const uint8_t *data, size_t size)
{
    int32_t extents[HY_NPY_MAX_RANK];
    uint32_t rank = 0;
    struct hy_error err = {0};
    if (hy_npy_read_shape(data, size, &rank, extents, &err) != HY_OK)
        return err.text[0] ? NULL : "refused without words";
    if (rank > HY_NPY_MAX_RANK)
        return "a rank beyond the limit";
    for (uint32_t i = 0; i < rank; i++)
        if (extents[i] < 0)
            return "an extent below 0";
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!hy_npy_is(data, size))
        return 0;
    const char *wrong_shape = read_shape(data, size);
    if (wrong_shape) {
        fprintf(stderr, "fuzz_npy: %s\n", wrong_shape);
        abort();
    }
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        const char *wrong = decode(data, size, &specs[i]);
        if (wrong) {
            fprintf(stderr, "fuzz_npy: %s\n", wrong);
            abort();
        }
    }
    return 0;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }\n",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{'descr': '<i8', 'fortran_order': True, 'shape': (), }\n",
    };
    static const size_t elements[] = {24, 6, 8};
    if (index >= sizeof headers / sizeof headers[0])
        return NULL;
    const size_t header = strlen(headers[index]);
    *length = 10 + header + elements[index];
    uint8_t *file = calloc(1, *length);
    if (!file)
        abort();
    memcpy(file, "\x93NUMPY\x01\0", 8);
    file[8] = (uint8_t)header;
    memcpy(file + 10, headers[index], header);
    return file;
}
