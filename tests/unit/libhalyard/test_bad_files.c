/* Files that are no network, or one that cannot run: what the error says. */
#include "tests/kit/test.h"

#include <stdlib.h>

#include "common/random.h"
#include "libhalyard/session/file_kind.h"
#include "libhalyard/session/network.h"
#include "tests/unit/tools/kit/tflite_builder.h"
#include "tests/unit/tools/kit/tflite_samples.h"
#include "tests/unit/tools/kit/zip_writer.h"

/* Opening fails with BAD_DATA and this text. */
static void expect_error_text(const void *bytes, size_t length, const char *expected, int line)
{
    struct hy_network *network = NULL;
    struct hy_error err = {0};
    const enum hy_code code = hy_network_open(bytes, length, NULL, &network, &err);

    if (code != HY_BAD_DATA || !strstr(err.text, expected))
        hy_test_fail(__FILE__, line, "%s, \"%s\", expected BAD_DATA with \"%s\"",
                     hy_code_name(code), err.text, expected);
    else
        CU_PASS(expected);
    hy_network_close(network);
}

/* ---- Other kinds of files -------------------------------------------------------------------- */

TEST(bad_files, other_kinds_of_files_are_named)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *expected;
    } files[] = {
        {"", 0, "an empty file"},
        {"abc", 3, "too short for a network: 3 bytes"},
        {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16, "a PNG picture"},
        {"\xff\xd8\xff\xe0\0\x10JFIF", 10, "a JPEG picture"},
        {"\x93NUMPY\1\0\x76\0", 10, "a NumPy array"},
        {"\x89HDF\r\n\x1a\n\0\0", 10, "an HDF5 file, as Keras writes"},
        {"GGUF\3\0\0\0\0\0", 10, "a GGUF file"},
        {"\x1f\x8b\x08\0\0\0\0\0", 8, "compressed by gzip"},
        {"\x7f"
         "ELF\2\1\1\0\0",
         9, "a program or library"},
        {"\x1c\0\0\0TFL2\0\0\0\0", 12, "of version 2"},
        {"\x1c\0\0\0TFL4\0\0\0\0", 12, "use a newer Halyard"},
        {"\x1c\0\0\0ORTM\0\0\0\0", 12, "an ONNX Runtime file"},
        {"\x80\2}q\0X\1\0\0\0", 10, "a Python pickle"},
        {"\x10\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"F32\"", 26, "a safetensors file"},
        {"\x08\x07\x12\x07pytorch\x3a\x04\x0a\x02\x0a\0", 17, "an ONNX model; convert it"},
        {"\x08\1\x12\x04\x0a\2\x0a\0", 8, "a TensorFlow SavedModel"},
        {"\x0a\x0d\x0a\1x\x12\x08Identity", 15, "a TensorFlow GraphDef"},
        {"version https://git-lfs.github.com/spec/v1\noid", 46, "a pointer of Git LFS"},
        {"<!DOCTYPE html>\n<html lang=en>", 30, "a web page"},
        {"#!/bin/sh\necho hello\n", 21, "a text file"},
        {"\1\2\3\4\5\6\7\x08\xff\xfe\xfd", 11, "bytes 4 to 7 are not \"TFL3\""},
    };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        expect_error_text(files[i].bytes, files[i].length, files[i].expected, __LINE__);
}

TEST(bad_files, archives_are_named_by_what_they_hold)
{
    static const struct {
        const char *name, *expected;
    } entries[] = {
        {"hand_detector.tflite", "with hand_detector.tflite"},
        {"archive/data.pkl", "a PyTorch file"},
        {"model.weights.h5", "a Keras file"},
        {"arr_0.npy", "a NumPy archive"},
        {"readme", "a ZIP archive without a .tflite file"},
    };

    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const struct zip_entry entry = {.name = entries[i].name, .bytes = "", .length = 0};
        uint8_t *zip = NULL;
        size_t length = 0;
        append_zip(&zip, &length, &entry, 1, false);
        expect_error_text(zip, length, entries[i].expected, __LINE__);
        for (size_t cut = 5; cut < length; cut++)
            expect_error_text(zip, cut, "a ZIP archive without", __LINE__);
        free(zip);
    }
}

/* Offsets in the directory count from the first byte of the archive. */
TEST(bad_files, an_archive_behind_other_bytes_is_named_by_what_it_holds)
{
    const struct zip_entry entry = {.name = "pose_detector.tflite", .bytes = "", .length = 0};
    uint8_t *file = calloc(1, 2);
    size_t length = 2;

    append_zip(&file, &length, &entry, 1, true);
    expect_error_text(file, length, "with pose_detector.tflite", __LINE__);
    file[length - 22 + 12] = 0xff; /* a directory that is longer than the file */
    expect_error_text(file, length, "bytes 4 to 7 are not \"TFL3\"", __LINE__);
    free(file);
}

/* Whatever follows the first bytes, and wherever the file ends, words come out. */
TEST(bad_files, any_bytes_behind_a_known_start_are_described)
{
    static const char *const starts[] = {"PK\3\4", "\x08\7\x12\3abc", "\x0a\x0d\x0a\1x", "\x80\2",
                                         "",       "<html",           "\x08\1\x12"};
    struct hy_random random = {1};

    for (unsigned round = 0; round < 20000; round++) {
        uint8_t bytes[64];
        char text[256] = "";
        const char *start = starts[round % (sizeof starts / sizeof *starts)];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)hy_random_next(&random);
        memcpy(bytes, start, strlen(start));
        const size_t length = hy_random_below(&random, sizeof bytes + 1);
        uint8_t *copy = malloc(length + 1);
        REQUIRE(copy != NULL);
        memcpy(copy, bytes, length);
        if (!hy_file_is_other(copy, length, text, sizeof text) || text[0] == '\0')
            hy_test_fail(__FILE__, __LINE__, "round %u of %zu bytes has no words", round, length);
        free(copy);
    }
    CU_PASS("all");
}

TEST(bad_files, every_length_of_a_network_is_said_to_be_cut_or_refused)
{
    size_t length;
    uint8_t *bytes = hy_sample_convolution(&length);

    for (size_t cut = 0; cut < length; cut++) {
        struct hy_network *network = NULL;
        struct hy_error err = {0};
        uint8_t *copy = malloc(cut + 1);
        REQUIRE(copy != NULL);
        memcpy(copy, bytes, cut);
        if (hy_network_open(copy, cut, NULL, &network, &err) != HY_OK)
            EXPECT(err.text[0] != '\0');
        hy_network_close(network);
        free(copy);
    }
    expect_error_text(bytes, length / 2, "the file is truncated or damaged, at least", __LINE__);
    expect_error_text(bytes, length / 2, "bytes are missing", __LINE__);
    free(bytes);
}

/* ---- Networks that cannot run ---------------------------------------------------------------- */

static void expect_operator_error(int op, const char *custom_name, const char *expected, int line)
{
    const struct hy_builder_tensor vector = {.name = "v", .rank = 1, .dims = {4}};
    struct hy_builder *b = hy_builder_create();
    const int32_t x = hy_builder_tensor(b, &vector), y = hy_builder_tensor(b, &vector);
    size_t length;

    hy_builder_input(b, x);
    hy_builder_output(b, y);
    hy_builder_operator(b, &(struct hy_builder_operator){.op = op,
                                                         .custom_name = custom_name,
                                                         .input_count = 1,
                                                         .inputs = {x},
                                                         .output_count = 1,
                                                         .outputs = {y}});
    uint8_t *bytes = hy_builder_finish(b, &length);
    expect_error_text(bytes, length, expected, line);
    free(bytes);
}

TEST(bad_files, operators_without_a_meaning_are_named_with_what_would_help)
{
    static const struct {
        int op;
        const char *custom_name, *expected;
    } cases[] = {
        {HY_TFLITE_OP_CUSTOM, "Mystery",
         "operator 0 CUSTOM Mystery: a custom operator of an unknown library"},
        {HY_TFLITE_OP_CUSTOM, "edgetpu-custom-op",
         "edgetpu-custom-op: the file was compiled for Coral's Edge TPU; open the .tflite file"},
        {HY_TFLITE_OP_CUSTOM, "DISPATCH_OP", "DISPATCH_OP: the file was compiled for"},
        {HY_TFLITE_OP_CUSTOM, "ethos-u", "compiled for Arm's Ethos-U"},
        {HY_TFLITE_OP_CUSTOM, "FlexErf", "FlexErf: an operator of TensorFlow itself"},
        {HY_TFLITE_OP_CUSTOM, "FlexReluGrad", "FlexReluGrad: an operator of training"},
        {HY_TFLITE_OP_STABLEHLO_ADD, NULL, "STABLEHLO_ADD: an operator of StableHLO"},
        {HY_TFLITE_OP_SKIP_GRAM, NULL, "strings are supported only in lookups in tables"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_operator_error(cases[i].op, cases[i].custom_name, cases[i].expected, __LINE__);
}

/* An operator of one operand of a type. */
static void expect_type_error(int op, int type, const char *expected, int line)
{
    const struct hy_builder_tensor of = {.name = "x", .type = type, .rank = 1, .dims = {1}};
    struct hy_builder *b = hy_builder_create();
    const int32_t x = hy_builder_tensor(b, &of), y = hy_builder_tensor(b, &of);
    size_t length;

    hy_builder_input(b, x);
    hy_builder_output(b, y);
    hy_builder_operator(
        b, &(struct hy_builder_operator){
               .op = op, .input_count = 1, .inputs = {x}, .output_count = 1, .outputs = {y}});
    uint8_t *bytes = hy_builder_finish(b, &length);
    expect_error_text(bytes, length, expected, line);
    free(bytes);
}

TEST(bad_files, texts_and_complex_numbers_are_refused_where_operators_do_not_know_them)
{
    expect_type_error(HY_TFLITE_OP_SHAPE, HY_TFLITE_STRING,
                      "SHAPE: strings are supported only in lookups in tables", __LINE__);
    expect_type_error(HY_TFLITE_OP_NEG, HY_TFLITE_COMPLEX64,
                      "NEG: complex numbers are supported only from RFFT2D to COMPLEX_ABS",
                      __LINE__);
}
