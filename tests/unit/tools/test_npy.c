#include "tests/kit/test.h"

#include <stdlib.h>

#include "libhalyard/preprocess/input.h"

struct file {
    uint8_t bytes[512];
    size_t length;
};

/* A .npy file with this header and `data_bytes` elements bytes 0, 1, 2 ... */
static struct file make_npy(unsigned version, const char *header, size_t data_bytes)
{
    struct file file = {.length = version == 1 ? 10 : 12};
    const size_t length = strlen(header);
    memcpy(file.bytes, "\x93NUMPY", 6);
    file.bytes[6] = (uint8_t)version;
    file.bytes[8] = (uint8_t)length;
    file.bytes[9] = (uint8_t)(length >> 8);
    memcpy(file.bytes + file.length, header, length);
    file.length += length;
    for (size_t i = 0; i < data_bytes; i++)
        file.bytes[file.length++] = (uint8_t)i;
    return file;
}

static const int32_t dims[] = {1, 2, 3};
static const struct hy_input_spec floats = {.type = HY_ELEMENT_FLOAT32, .rank = 3, .dims = dims};
static const struct hy_input_spec bytes_spec = {.type = HY_ELEMENT_INT8, .rank = 3, .dims = dims};

#define HEADER(descr, order, shape) \
    "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }   \n"

/* Decodes a copy in memory of just its size, so that a sanitizer sees a read behind the end. */
static enum hy_code decode(const struct file *file, const struct hy_input_spec *spec, void *out,
                           size_t bytes, struct hy_error *err)
{
    uint8_t *copy = malloc(file->length ? file->length : 1);
    if (!copy)
        return HY_OUT_OF_MEMORY;
    memcpy(copy, file->bytes, file->length);
    const enum hy_code code = hy_input_decode("x.npy", copy, file->length, spec, out, bytes, err);
    free(copy);
    return code;
}

static void expect_loaded(struct file file, const struct hy_input_spec *spec, size_t bytes,
                          int line)
{
    uint8_t out[64] = {0};
    struct hy_error err = {0};
    if (decode(&file, spec, out, bytes, &err) != HY_OK ||
        memcmp(out, file.bytes + file.length - bytes, bytes) != 0)
        hy_test_fail(__FILE__, line, "not loaded: %s", err.text);
    else
        CU_PASS("loaded");
}

static void expect_rejected(struct file file, const char *expected, int line)
{
    uint8_t out[24];
    struct hy_error err = {0};
    if (decode(&file, &floats, out, sizeof out, &err) != HY_BAD_DATA || !strstr(err.text, expected))
        hy_test_fail(__FILE__, line, "\"%s\", expected \"%s\"", err.text, expected);
    else
        CU_PASS(expected);
}

TEST(npy, all_versions_and_shapes_that_differ_in_leading_ones_are_read)
{
    for (unsigned version = 1; version <= 3; version++)
        expect_loaded(make_npy(version, HEADER("<f4", "False", "(1, 2, 3)"), 24), &floats, 24,
                      __LINE__);
    expect_loaded(make_npy(1, HEADER("<f4", "False", "(2, 3)"), 24), &floats, 24, __LINE__);
    expect_loaded(make_npy(1, HEADER("<f4", "False", "(1, 1, 1, 2, 3,)"), 24), &floats, 24,
                  __LINE__);
    expect_loaded(make_npy(1, HEADER("|i1", "False", "(2, 3)"), 6), &bytes_spec, 6, __LINE__);
    expect_loaded(make_npy(1, "{\"shape\":(2,3),\"descr\":\"<f4\",\"fortran_order\":False}", 24),
                  &floats, 24, __LINE__);
    const struct hy_input_spec scalar = {.type = HY_ELEMENT_FLOAT32};
    expect_loaded(make_npy(1, HEADER("<f4", "False", "()"), 4), &scalar, 4, __LINE__);
}

TEST(npy, other_types_shapes_and_orders_are_rejected)
{
    expect_rejected(make_npy(1, HEADER("<f8", "False", "(1, 2, 3)"), 24),
                    "x.npy: .npy elements are '<f8', the input is float32 and needs '<f4'",
                    __LINE__);
    expect_rejected(make_npy(1, HEADER(">f4", "False", "(1, 2, 3)"), 24), "'>f4'", __LINE__);
    expect_rejected(make_npy(1, HEADER("<f4", "True", "(1, 2, 3)"), 24), "Fortran", __LINE__);
    expect_rejected(make_npy(1, HEADER("<f4", "False", "(3, 2)"), 24), "float32[1,2,3]", __LINE__);
    expect_rejected(make_npy(1, HEADER("<f4", "False", "(6,)"), 24), "differs from the input",
                    __LINE__);
    expect_rejected(make_npy(1, HEADER("<f4", "False", "(2, 3)"), 23), "23 bytes", __LINE__);
    expect_rejected(make_npy(1, HEADER("<f4", "False", "(2, 3)"), 25), "25 bytes", __LINE__);
}

TEST(npy, malformed_headers_are_rejected)
{
    static const char *const headers[] = {
        "",
        "{}",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 3), }",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3), }",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3), }",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3), }",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } import os",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
        "{'a very long key that has no place here': 1}",
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        expect_rejected(make_npy(1, headers[i], 24), "header is malformed", __LINE__);
}

TEST(npy, truncated_files_and_false_lengths_are_rejected)
{
    const struct file whole = make_npy(2, HEADER("<f4", "False", "(1, 2, 3)"), 24);
    for (size_t length = 0; length < whole.length; length++) {
        struct file cut = {.length = length};
        memcpy(cut.bytes, whole.bytes, length);
        expect_rejected(cut, "x.npy: ", __LINE__);
    }
    struct file file = whole;
    file.bytes[11] = 0xff;
    expect_rejected(file, "claims", __LINE__);
    file = whole;
    file.bytes[8] = 255; /* some bytes too long */
    expect_rejected(file, "header claims 255 bytes", __LINE__);
    file = whole;
    file.bytes[6] = 4;
    expect_rejected(file, "version 4, needs 1, 2 or 3", __LINE__);
}

TEST(raw, exact_length_is_needed)
{
    const uint8_t file[24] = {1, 2, 3};
    uint8_t out[24];
    struct hy_error err = {0};
    EXPECT_INT(hy_input_decode("x.bin", file, 24, &floats, out, 24, &err), HY_OK);
    EXPECT(memcmp(file, out, 24) == 0);
    EXPECT_INT(hy_input_decode("x.bin", file, 23, &floats, out, 24, &err), HY_BAD_DATA);
    EXPECT_STR(err.text, "x.bin: 23 raw bytes, the input float32[1,2,3] needs 24");
    EXPECT_INT(hy_input_decode("x.bin", file, 24, &floats, out, 23, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "does not need 23 bytes");
}
