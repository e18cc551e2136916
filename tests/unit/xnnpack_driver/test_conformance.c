/* The vendor's test kit on this driver alone: what it says it supports it has to get right. */
#include "common/operations/operation.h"
#include "tests/conformance/run_command.h"
#include "tests/kit/test.h"

#include <ctype.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char own_vectors[] = HY_VECTORS_DIR;

static const char *const every_mode[] = {"sync",     "burst",   "async",  "fenced",
                                         "reusable", "dynamic", "domain", "signed:sync"};

static json_int_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void report_failures(const json_t *report, const char *mode)
{
    size_t i;
    json_t *test;
    json_array_foreach(json_object_get(report, "tests"), i, test)
    {
        if (strcmp(text(test, "result"), "failed") == 0)
            hy_test_fail(__FILE__, __LINE__, "%s: %s: %s", mode, text(test, "name"),
                         text(test, "detail"));
    }
}

/* None fails in any of the modes, and some pass. */
static void check_vectors(const char *path, const char *const *modes, size_t mode_count)
{
    json_t *reports = hy_run_conformance(path, "xnnpack-cpu", modes, mode_count);

    for (size_t i = 0; reports && i < mode_count; i++) {
        const json_t *report = json_array_get(reports, i);
        EXPECT_INT(number(report, "failed"), 0);
        report_failures(report, modes[i]);
        if (number(report, "passed") == 0)
            hy_test_fail(__FILE__, __LINE__, "%s: %s: no vector passes", modes[i], path);
    }
    json_decref(reports);
}

TEST(xnnpack_conformance, own_vectors_pass_in_every_mode)
{
    check_vectors(own_vectors, every_mode, COUNT(every_mode));
}

TEST(xnnpack_conformance, shared_vectors_pass_in_every_mode)
{
    const char *shared = hy_test_shared_dir();
    char dir[1024];
    if (!shared)
        return;
    snprintf(dir, sizeof dir, "%s/conformance", shared);
    check_vectors(dir, every_mode, COUNT(every_mode));
}

/* What docs/xnnpack-driver.md lists. */
static const char *const covered[] = {
    "ABS",
    "ADD",
    "AVERAGE_POOL_2D",
    "CAST",
    "CHANNEL_SHUFFLE",
    "CONCATENATION",
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    "DEPTH_TO_SPACE",
    "DEQUANTIZE",
    "DIV",
    "ELU",
    "EXPAND_DIMS",
    "FLOOR",
    "FULLY_CONNECTED",
    "GROUPED_CONV_2D",
    "HARD_SWISH",
    "LOGISTIC",
    "MAXIMUM",
    "MAX_POOL_2D",
    "MEAN",
    "MINIMUM",
    "MUL",
    "NEG",
    "PAD",
    "PAD_V2",
    "PRELU",
    "QUANTIZE",
    "RELU",
    "RELU1",
    "RELU6",
    "RESHAPE",
    "RESIZE_BILINEAR",
    "SOFTMAX",
    "SPLIT",
    "SQRT",
    "SQUEEZE",
    "SUB",
    "TANH",
    "TRANSPOSE_CONV_2D",
};

TEST(xnnpack_conformance, every_operation_that_is_covered_passes_a_vector)
{
    for (size_t i = 0; i < COUNT(covered); i++) {
        char path[1024], name[64] = "";
        EXPECT(hy_operation_find(covered[i]) != NULL);
        for (size_t k = 0; covered[i][k] && k + 1 < sizeof name; k++)
            name[k] = (char)tolower((unsigned char)covered[i][k]);
        snprintf(path, sizeof path, "%s/%s.json", own_vectors, name);
        check_vectors(path, every_mode, 1);
    }
}
