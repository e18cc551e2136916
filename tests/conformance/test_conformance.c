/* `halyard conformance` over vectors: ours, of which all have to pass, and the shared ones, of
 * which only those may be left out that need an operation which is not there. */
#include <dirent.h>
#include <stdlib.h>

#include "common/operation.h"
#include "cpu_fallback/op.h"
#include "tests/conformance/run_command.h"
#include "tests/test.h"

static const char own_vectors[] = HY_VECTORS_DIR;

static json_int_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* NULL for `device`: the planner's choice. The answer is the caller's, NULL a recorded failure. */
static json_t *run_vectors(const char *folder, const char *device, const char *mode)
{
    const char *command = getenv("HALYARD_COMMAND");
    if (!command) {
        hy_test_fail(__FILE__, __LINE__, "HALYARD_COMMAND does not say where the command is");
        return NULL;
    }
    const char *const arguments[] = {
        command, "conformance", "--json", "--mode", mode, folder, device ? "--device" : NULL,
        device,  NULL};
    int status = -1;
    json_t *answer = hy_run_command(arguments, &status);
    EXPECT_INT(status, 0);
    return answer;
}

static void report_failures(const json_t *answer)
{
    size_t i;
    json_t *test;
    json_array_foreach(json_object_get(answer, "tests"), i, test)
    {
        if (strcmp(json_string_value(json_object_get(test, "result")), "failed") == 0)
            hy_test_fail(__FILE__, __LINE__, "%s: %s",
                         json_string_value(json_object_get(test, "name")),
                         json_string_value(json_object_get(test, "detail")));
    }
}

/* A skipped test names what is missing: operations that the CPU backend does not have either. */
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

static void check_skipped(const json_t *answer)
{
    size_t i;
    json_t *test;
    json_array_foreach(json_object_get(answer, "tests"), i, test)
    {
        if (strcmp(json_string_value(json_object_get(test, "result")), "skipped") == 0)
            expect_missing(json_string_value(json_object_get(test, "name")),
                           json_string_value(json_object_get(test, "detail")));
    }
    const json_t *reasons = json_object_get(answer, "skipped_by_reason");
    const json_int_t known = number(reasons, "operation not there yet");
    EXPECT_INT(known, number(answer, "skipped"));
    EXPECT_INT(json_object_size(reasons), known > 0 ? 1 : 0);
}

static void check_shared(const char *device, const char *mode)
{
    const char *shared = hy_test_shared_dir();
    char folder[1024];
    if (!shared)
        return;
    snprintf(folder, sizeof folder, "%s/conformance", shared);
    json_t *answer = run_vectors(folder, device, mode);
    REQUIRE(answer != NULL);
    EXPECT(number(answer, "passed") > 0);
    EXPECT_INT(number(answer, "failed"), 0);
    EXPECT_INT(number(answer, "passed") + number(answer, "failed") + number(answer, "skipped"),
               json_array_size(json_object_get(answer, "tests")));
    report_failures(answer);
    check_skipped(answer);
    json_decref(answer);
}

static void check_own(const char *device, const char *mode)
{
    json_t *answer = run_vectors(own_vectors, device, mode);
    REQUIRE(answer != NULL);
    EXPECT(number(answer, "passed") > 0);
    EXPECT_INT(number(answer, "failed"), 0);
    EXPECT_INT(number(answer, "skipped"), 0);
    report_failures(answer);
    json_decref(answer);
}

TEST(conformance, own_vectors_pass_by_default)
{
    check_own(NULL, "sync");
    check_own(NULL, "async");
}

TEST(conformance, own_vectors_pass_on_halyard_cpu)
{
    check_own("halyard-cpu", "sync");
}

TEST(conformance, own_vectors_pass_on_nnapi_reference)
{
    check_own("nnapi-reference", "sync");
}

TEST(conformance, shared_vectors_pass_by_default)
{
    check_shared(NULL, "sync");
    check_shared(NULL, "async");
}

TEST(conformance, shared_vectors_pass_on_halyard_cpu)
{
    check_shared("halyard-cpu", "sync");
}

TEST(conformance, shared_vectors_pass_on_nnapi_reference)
{
    check_shared("nnapi-reference", "sync");
}

/* ---- Nothing is left out of our own vectors ----------------------------------------------------
 */

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
                seen[info->code] = true;
        }
    }
}

TEST(conformance, own_vectors_have_every_operation_of_the_cpu_backend)
{
    bool seen[HY_OP_COUNT] = {false};
    DIR *folder = opendir(own_vectors);
    REQUIRE(folder != NULL);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", own_vectors, entry->d_name);
        json_t *file = json_load_file(path, 0, NULL);
        EXPECT(file != NULL);
        note_operations(file, seen);
        json_decref(file);
    }
    closedir(folder);
    for (int32_t code = 0; code < HY_OP_COUNT; code++)
        if (hy_cpu_op_find(code) && !seen[code])
            hy_test_fail(__FILE__, __LINE__, "no vector of %s", hy_operation_name(code));
}
