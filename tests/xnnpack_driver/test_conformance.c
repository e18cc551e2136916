/* The vendor's test kit on this driver alone: what it says it supports it has to get right. */
#include "common/operation.h"
#include "tests/conformance/run_command.h"
#include "tests/test.h"

#include <ctype.h>
#include <stdlib.h>

static const char own_vectors[] = HY_VECTORS_DIR;

static json_int_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void report_failures(const json_t *answer, const char *mode)
{
    size_t i;
    json_t *test;
    json_array_foreach(json_object_get(answer, "tests"), i, test)
    {
        if (strcmp(text(test, "result"), "failed") == 0)
            hy_test_fail(__FILE__, __LINE__, "%s: %s: %s", mode, text(test, "name"),
                         text(test, "detail"));
    }
}

/* How many tests passed; one that fails is a recorded failure. `flag` may be NULL. */
static json_int_t run_vectors(const char *path, const char *mode, const char *flag)
{
    const char *arguments[] = {getenv("HALYARD_COMMAND"),
                               "conformance",
                               "--json",
                               path,
                               "--device",
                               "xnnpack-cpu",
                               "--mode",
                               mode,
                               flag,
                               NULL};
    int status = -1;
    if (!arguments[0]) {
        hy_test_fail(__FILE__, __LINE__, "HALYARD_COMMAND does not say where the command is");
        return 0;
    }
    json_t *answer = hy_run_command(arguments, &status);
    EXPECT_INT(status, 0);
    EXPECT_INT(number(answer, "failed"), 0);
    report_failures(answer, mode);
    const json_int_t passed = number(answer, "passed");
    json_decref(answer);
    return passed;
}

TEST(xnnpack_conformance, own_vectors_pass_in_every_mode)
{
    static const char *const modes[] = {"sync",     "burst",   "async", "fenced",
                                        "reusable", "dynamic", "domain"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        EXPECT(run_vectors(own_vectors, modes[i], NULL) > 0);
    EXPECT(run_vectors(own_vectors, "sync", "--signed") > 0);
}

TEST(xnnpack_conformance, shared_vectors_pass)
{
    static const char *const modes[] = {"sync", "burst", "dynamic", "domain"};
    const char *shared = hy_test_shared_dir();
    char folder[1024];
    if (!shared)
        return;
    snprintf(folder, sizeof folder, "%s/conformance", shared);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        EXPECT(run_vectors(folder, modes[i], NULL) > 0);
    EXPECT(run_vectors(folder, "sync", "--signed") > 0);
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
    for (size_t i = 0; i < sizeof covered / sizeof *covered; i++) {
        char path[1024], name[64] = "";
        EXPECT(hy_operation_find(covered[i]) != NULL);
        for (size_t k = 0; covered[i][k] && k + 1 < sizeof name; k++)
            name[k] = (char)tolower((unsigned char)covered[i][k]);
        snprintf(path, sizeof path, "%s/%s.json", own_vectors, name);
        if (run_vectors(path, "sync", NULL) == 0)
            hy_test_fail(__FILE__, __LINE__, "no vector of %s passes", covered[i]);
    }
}
