/* Files above 2 GiB, files at any address, and files with something behind the FlatBuffer. */
#include <halyard/session.h>

#include "tests/kit/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libhalyard/preprocess/file_map.h"
#include "libhalyard/session/network.h"
#include "tests/unit/tools/kit/tflite_builder.h"
#include "tests/unit/tools/kit/tflite_samples.h"

#define GIB ((uint64_t)1 << 30)

static const float weights[4] = {1, 2, 3, 4};

/* x + w, where w is `far_bytes` of the file at `far_offset`, or in the FlatBuffer where that is 0.
 * Two more constants of the same kind are not used. */
static uint8_t *make_sum(const uint64_t far_offset[3], size_t *length)
{
    struct hy_builder *b = hy_builder_create();
    const struct hy_builder_tensor vector = {.name = "x", .rank = 1, .dims = {4}};
    const int32_t x = hy_builder_tensor(b, &vector), y = hy_builder_tensor(b, &vector);
    int32_t constants[3];

    for (unsigned i = 0; i < 3; i++) {
        struct hy_builder_tensor constant = vector;
        constant.name = "w";
        constant.far_offset = far_offset[i];
        constant.far_bytes = sizeof weights;
        if (!far_offset[i]) {
            constant.data = weights;
            constant.bytes = sizeof weights;
        }
        constants[i] = hy_builder_tensor(b, &constant);
    }
    hy_builder_input(b, x);
    hy_builder_output(b, y);
    hy_builder_operator(b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_ADD,
                                                         .input_count = 2,
                                                         .inputs = {x, constants[0]},
                                                         .output_count = 1,
                                                         .outputs = {y}});
    return hy_builder_finish(b, length);
}

/* Opens, compiles for any device, and runs on x = {10, 10, 10, 10}. A result code of the library.
 */
static int run_sum(const void *bytes, size_t length, float y[4])
{
    static const float x[4] = {10, 10, 10, 10};
    struct halyard_network *network = NULL;
    struct halyard_session *session = NULL;

    int result = halyard_network_open_memory(bytes, length, NULL, &network);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = halyard_session_create(network, NULL, &session);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = halyard_session_bind_input(session, 0, x, sizeof x);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = halyard_session_bind_output(session, 0, y, 4 * sizeof *y);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = halyard_session_run(session);
    halyard_session_free(session);
    halyard_network_close(network);
    return result;
}

static bool is_sum(const float y[4])
{
    return y[0] == 11 && y[1] == 12 && y[2] == 13 && y[3] == 14;
}

static size_t resident_bytes(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file && fscanf(file, "%*u %lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* A sparse file takes no room on a disk. Where the file system has none, the reason is printed. */
static int make_large_file(char path[64], const void *bytes, size_t length, uint64_t far_offset)
{
    strcpy(path, "/tmp/halyard-large-XXXXXX");
    const int fd = mkstemp(path);
    if (fd < 0 || ftruncate(fd, (off_t)(far_offset + sizeof weights)) != 0 ||
        pwrite(fd, bytes, length, 0) != (ssize_t)length ||
        pwrite(fd, weights, sizeof weights, (off_t)far_offset) != (ssize_t)sizeof weights) {
        fprintf(stderr, "skipped: no sparse file of 3 GiB in /tmp: %s\n", strerror(errno));
        unlink(path);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

TEST(large_files, constants_beyond_2_gib_are_mapped_and_not_copied)
{
    static const uint64_t far_offset[3] = {3 * GIB};
    char path[64];
    size_t length;
    uint8_t *bytes = make_sum(far_offset, &length);
    const int fd = make_large_file(path, bytes, length, far_offset[0]);
    struct hy_file file = {0};
    struct hy_error err = {0};
    float y[4] = {0};

    free(bytes);
    if (fd < 0)
        return;
    close(fd);
    const size_t before = resident_bytes();
    EXPECT_INT(hy_file_map(path, hy_tflite_default_limits.file_bytes, &file, &err), HY_OK);
    unlink(path);
    EXPECT_STR(err.text, "");
    EXPECT_INT(run_sum(file.bytes, file.length, y), ANEURALNETWORKS_NO_ERROR);
    EXPECT(is_sum(y));
    EXPECT(resident_bytes() < before + (256 << 20));
    hy_file_unmap(&file);
}

TEST(large_files, a_network_runs_from_any_address)
{
    static const uint64_t far_offset[3];
    size_t length;
    uint8_t *bytes = make_sum(far_offset, &length);

    for (size_t shift = 0; shift < 8; shift++) {
        float y[4] = {0};
        uint8_t *memory = malloc(length + shift);
        REQUIRE(memory != NULL);
        memcpy(memory + shift, bytes, length);
        EXPECT_INT(run_sum(memory + shift, length, y), ANEURALNETWORKS_NO_ERROR);
        EXPECT(is_sum(y));
        free(memory);
    }
    free(bytes);
}

TEST(large_files, what_stands_behind_the_flatbuffer_is_left_alone)
{
    static const uint64_t far_offset[3];
    static const char archive[] = "PK\3\4 an archive of labels PK\5\6";
    size_t length;
    uint8_t *bytes = make_sum(far_offset, &length);
    uint8_t *longer = malloc(length + sizeof archive);
    float y[4] = {0};

    REQUIRE(longer != NULL);
    memcpy(longer, bytes, length);
    memcpy(longer + length, archive, sizeof archive);
    EXPECT_INT(run_sum(longer, length + sizeof archive, y), ANEURALNETWORKS_NO_ERROR);
    EXPECT(is_sum(y));
    free(longer);
    free(bytes);
}

static void expect_far(const uint64_t far_offset[3], enum hy_code expected, const char *fragment,
                       int line)
{
    enum { CAPACITY = 4096 };
    size_t length;
    uint8_t *bytes = make_sum(far_offset, &length), *file = calloc(1, CAPACITY);
    struct hy_network *network = NULL;
    struct hy_error err = {0};

    REQUIRE(file != NULL && length < CAPACITY / 2);
    memcpy(file, bytes, length);
    const enum hy_code code = hy_network_open(file, CAPACITY, NULL, &network, &err);
    if (code != expected || !strstr(err.text, fragment))
        hy_test_fail(__FILE__, line, "%s, \"%s\", expected %s with \"%s\"", hy_code_name(code),
                     err.text, hy_code_name(expected), fragment);
    hy_network_close(network);
    free(file);
    free(bytes);
}

TEST(large_files, buffers_behind_the_flatbuffer_lie_apart_and_in_the_file)
{
    expect_far((const uint64_t[]){2048, 2064, 2080}, HY_OK, "", __LINE__);
    expect_far((const uint64_t[]){2048, 2048, 4080}, HY_OK, "", __LINE__);
    expect_far((const uint64_t[]){2048, 2080, 2056}, HY_BAD_DATA, "overlap at byte 2056", __LINE__);
    expect_far((const uint64_t[]){2048, 4081, 2064}, HY_BAD_DATA,
               "at least 1 bytes are missing: buffer", __LINE__);
    expect_far((const uint64_t[]){2048, UINT64_MAX, 2064}, HY_BAD_DATA, "16 bytes at byte",
               __LINE__);
    CU_PASS("all");
}

static enum hy_code open_custom(uint64_t offset, uint64_t size, struct hy_tflite_model **model,
                                uint8_t **file, struct hy_error *err)
{
    enum { CAPACITY = 4096 };
    const struct hy_builder_tensor vector = {.name = "x", .rank = 1, .dims = {4}};
    struct hy_builder *b = hy_builder_create();
    const int32_t x = hy_builder_tensor(b, &vector);
    size_t length;

    hy_builder_operator(b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_CUSTOM,
                                                         .custom_name = "Mystery",
                                                         .output_count = 1,
                                                         .outputs = {x},
                                                         .far_options_offset = offset,
                                                         .far_options_bytes = size});
    uint8_t *bytes = hy_builder_finish(b, &length);
    *file = calloc(1, CAPACITY);
    if (!*file)
        abort();
    memcpy(*file, bytes, length);
    free(bytes);
    return hy_tflite_open(*file, CAPACITY, NULL, model, err);
}

TEST(large_files, custom_options_behind_the_flatbuffer_are_found)
{
    struct hy_tflite_model *model = NULL;
    struct hy_error err = {0};
    uint8_t *file;

    REQUIRE(open_custom(3000, 24, &model, &file, &err) == HY_OK);
    EXPECT(model->subgraphs[0].operators[0].custom_options == file + 3000);
    EXPECT_INT(model->subgraphs[0].operators[0].custom_bytes, 24);
    hy_tflite_close(model);
    free(file);
    model = NULL;
    EXPECT_INT(open_custom(4090, 24, &model, &file, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "custom options: 24 bytes at byte 4090; the file has 4096");
    hy_tflite_close(model);
    free(file);
}
