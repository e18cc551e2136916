/* `halyard conformance` over vectors in every pass: ours, of which all have to pass, and the shared
 * ones. A test may be left out for two reasons alone: a rule of the format, or an operation that
 * the CPU backend does not have. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "common/operations/operation.h"
#include "cpu_fallback/kernels/kernels.h"
#include "cpu_fallback/program/op.h"
#include "tests/conformance/run_command.h"
#include "tests/conformance/skip_rules.h"
#include "tests/kit/test.h"

static const char own_vectors[] = HY_VECTORS_DIR;

/* All that the numbers may hang on. */
static const char *const every_mode[] = {
    "sync",        "async",  "burst",       "fenced",       "reusable",
    "dynamic",     "domain", "partitioned", "pool:mmap_fd", "pool:hardware_buffer_blob",
    "signed:sync",
};
/* Where only the kernels are others. */
static const char *const kernel_modes[] = {"sync", "signed:sync"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

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

/* A test without its operation names what is missing: what the CPU backend does not have either. */
static void expect_missing(const char *test, const char *operations)
{
    char names[512];
    snprintf(names, sizeof names, "%s", operations);
    unsigned missing = 0;
    for (char *rest = NULL, *name = strtok_r(names, ", ", &rest); name;
         name = strtok_r(NULL, ", ", &rest)) {
        const struct hy_operation_info *operation = hy_operation_find(name);
        if (operation && !hy_cpu_op_find(operation->code))
            missing++;
        else
            hy_test_fail(__FILE__, __LINE__, "%s is skipped for %s", test, name);
    }
    EXPECT(missing > 0);
}

static json_int_t check_missing(const json_t *report)
{
    static const char reason[] = "operation not implemented";
    json_int_t count = 0;
    size_t i;
    json_t *test;
    json_array_foreach(json_object_get(report, "tests"), i, test)
    {
        if (strcmp(text(test, "result"), "skipped") != 0 ||
            strcmp(text(test, "reason"), reason) != 0)
            continue;
        expect_missing(text(test, "name"), text(test, "detail"));
        count++;
    }
    EXPECT_INT(number(json_object_get(report, "skipped_by_reason"), reason), count);
    return count;
}

/* `expected`: {reason: count}. */
static void check_skipped(const json_t *report, json_t *expected)
{
    const json_t *counted = json_object_get(report, "skipped_by_reason");
    json_int_t sum = check_missing(report);
    const char *reason;
    json_t *count;
    json_object_foreach(expected, reason, count)
    {
        if (number(counted, reason) != json_integer_value(count))
            hy_test_fail(__FILE__, __LINE__,
                         "%s: %" JSON_INTEGER_FORMAT ", expected %" JSON_INTEGER_FORMAT, reason,
                         number(counted, reason), json_integer_value(count));
        sum += json_integer_value(count);
    }
    EXPECT_INT(number(report, "skipped"), sum);
}

static void check_report(const json_t *report, const char *mode, json_t *expected_skips)
{
    REQUIRE(report != NULL);
    EXPECT(number(report, "passed") > 0);
    EXPECT_INT(number(report, "failed"), 0);
    EXPECT_INT(number(report, "passed") + number(report, "failed") + number(report, "skipped"),
               json_array_size(json_object_get(report, "tests")));
    report_failures(report, mode);
    check_skipped(report, expected_skips);
}

static void check_modes(const char *dir, const char *device, const char *const *modes, size_t count)
{
    json_t *skips = hy_expected_skips(dir, modes, count);
    json_t *reports = hy_run_conformance(dir, device, modes, count);

    for (size_t i = 0; reports && i < count; i++)
        check_report(json_array_get(reports, i), modes[i], json_array_get(skips, i));
    json_decref(reports);
    json_decref(skips);
}

static void check_vectors(const char *dir, const char *device)
{
    check_modes(dir, device, every_mode, COUNT(every_mode));
}

/* False where there are none. */
static bool find_shared(char dir[1024])
{
    const char *shared = hy_test_shared_dir();
    if (shared)
        snprintf(dir, 1024, "%s/conformance", shared);
    return shared != NULL;
}

static void check_shared(const char *device)
{
    char dir[1024];
    if (find_shared(dir))
        check_vectors(dir, device);
}

TEST(conformance, own_vectors_pass_by_default)
{
    check_vectors(own_vectors, NULL);
}

TEST(conformance, own_vectors_pass_on_halyard_cpu)
{
    check_vectors(own_vectors, "halyard-cpu");
}

TEST(conformance, own_vectors_pass_on_nnapi_reference)
{
    check_vectors(own_vectors, "nnapi-reference");
}

TEST(conformance, shared_vectors_pass_by_default)
{
    check_shared(NULL);
}

TEST(conformance, shared_vectors_pass_on_halyard_cpu)
{
    check_shared("halyard-cpu");
}

TEST(conformance, shared_vectors_pass_on_nnapi_reference)
{
    check_shared("nnapi-reference");
}

/* ---- The same on kernels that HALYARD_CPU_FEATURES leaves: numbers do not hang on the mode -----
 */

/* The kernels of every other test. */
static bool are_the_best(void)
{
    const char *left = getenv("HALYARD_CPU_FEATURES");

    return left &&
           hy_kernels_within(hy_kernel_isa_levels_of(left, strlen(left))) == hy_kernels_fast();
}

static void check_kernels(const char *dir)
{
    if (are_the_best()) {
        printf("(skipped: this machine has no better ones) ");
        return;
    }
    check_modes(dir, "halyard-cpu", kernel_modes, COUNT(kernel_modes));
}

TEST(conformance, own_vectors_pass_on_the_kernels_that_are_left)
{
    check_kernels(own_vectors);
}

TEST(conformance, shared_vectors_pass_on_the_kernels_that_are_left)
{
    char dir[1024];
    if (find_shared(dir))
        check_kernels(dir);
}

/* ---- Nothing is left out of our own vectors -------------------------------------------------- */

static void note_operations(const json_t *file, bool *seen)
{
    size_t i, k;
    json_t *test, *operation;
    json_array_foreach(json_object_get(file, "tests"), i, test)
    {
        const json_t *main = json_object_get(test, "main");
        json_array_foreach(json_object_get(main, "operations"), k, operation)
        {
            const struct hy_operation_info *info =
                hy_operation_find(json_string_value(json_object_get(operation, "op")));
            EXPECT(info != NULL);
            if (info)
                seen[hy_op_row(info->code)] = true;
        }
    }
}

TEST(conformance, own_vectors_have_every_operation_of_the_cpu_backend)
{
    bool seen[HY_OP_COUNT] = {false};
    DIR *dir = opendir(own_vectors);
    REQUIRE(dir != NULL);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", own_vectors, entry->d_name);
        json_t *file = json_load_file(path, 0, NULL);
        EXPECT(file != NULL);
        note_operations(file, seen);
        json_decref(file);
    }
    closedir(dir);
    for (uint32_t row = 0; row < HY_OP_COUNT; row++)
        if (hy_cpu_op_find(hy_op_code(row)) && !seen[row])
            hy_test_fail(__FILE__, __LINE__, "no vector of %s", hy_operation_name(hy_op_code(row)));
}
