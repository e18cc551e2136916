/* Drivers that are wrong in one way, and the rule by which check-driver finds each. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/kit/sanitizers.h"
#include "tests/kit/test.h"
#include "tests/unit/tools/kit/check_driver_run.h"

/* The allocator of a sanitizer cannot be asked how much it holds. What AddressSanitizer finds in a
 * driver ends its process, which breaks a rule more. */
#if defined(HY_WITH_ADDRESS_SANITIZER) || defined(HY_WITH_THREAD_SANITIZER)
#define HAS_OTHER_ALLOCATOR
#endif
#if defined(HY_WITH_ADDRESS_SANITIZER)
#define FREED_IS_USED "B22 R8 "
#else
#define FREED_IS_USED "B22 "
#endif

struct fault {
    const char *name;
    const char *broken;   /* all rules that fail, as check_run_broken writes them */
    const char *expected; /* part of what is told about the first of them */
    int needs_groups;     /* the driver has its optional groups */
};

/* Drivers that do not come back are waited for as long as the check is told to, in seconds: long
 * beside what a step takes on a busy machine. */
#define TIMEOUT_TEXT "3"
#define NO_END       "no end within " TIMEOUT_TEXT " s"

static const char *first_rule(const char *broken)
{
    static char name[8];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(broken, " "), broken);
    return name;
}

static void expect_found(const struct fault *faults, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char arguments[96];
        snprintf(arguments, sizeof arguments, "{\"fault\":\"%s\",\"full\":%d}", faults[i].name,
                 faults[i].needs_groups);
        struct check_run run =
            strcmp(faults[i].expected, NO_END) == 0
                ? check_run_patiently(FAULTY_DRIVER_PATH, arguments, TIMEOUT_TEXT)
                : check_run_library(FAULTY_DRIVER_PATH, arguments);
        if (strcmp(check_run_broken(&run), faults[i].broken) != 0)
            hy_test_fail(__FILE__, __LINE__, "%s: failed are %s, expected %s", faults[i].name,
                         check_run_broken(&run), faults[i].broken);
        EXPECT_CONTAINS(check_run_detail(&run, first_rule(faults[i].broken)), faults[i].expected);
        EXPECT_INT(run.status, 1);
        check_run_finish(&run);
    }
}

#define EXPECT_FOUND(faults) expect_found(faults, sizeof(faults) / sizeof *(faults))

TEST(check_driver_libraries, faults_are_found_by_their_rule)
{
    static const struct {
        const char *path, *broken, *expected;
    } libraries[] = {
        {NO_SYMBOL_PATH, "M1 ", "hy_driver_query"},
        {NO_TABLE_PATH, "M2 ", "returned NULL"},
        {OTHER_ABI_PATH, "M2 ", "hy_driver.abi is 2.0"},
        {SMALL_TABLE_PATH, "M3 ", "struct_size is 8"},
        {NO_NAME_PATH, "M3 ", "is missing"},
        {CARELESS_DRIVER_PATH, "M6 ", "asked for ABI 0.1"},
    };
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        struct check_run run = check_run_library(libraries[i].path, NULL);
        EXPECT_STR(check_run_broken(&run), libraries[i].broken);
        EXPECT_CONTAINS(check_run_detail(&run, first_rule(libraries[i].broken)),
                        libraries[i].expected);
        check_run_finish(&run);
    }
}

TEST(check_driver_libraries, faults_of_instances_are_found_by_their_rule)
{
    static const struct fault faults[] = {
        {"create-fails", "M4 ", "DEVICE_UNAVAILABLE (1)", 0},
        {"create-gives-nothing", "M4 ", "without an instance", 0},
        {"create-crashes", "M4 ", "create: the process died of signal 11", 0},
        {"create-exits", "M4 R8 ", "exited with status 3", 0},
        {"one-instance", "M7 ", "the same instance", 0},
        {"prints", "R8 ", "at your service", 0},
        {"prints-errors", "R8 ", "no firmware", 0},
        {"signal-handler", "R8 ", "handler of signal 15", 0},
    };
    EXPECT_FOUND(faults);
    struct check_run run = check_run_library(FAULTY_DRIVER_PATH, "{\"devices\":0}");
    EXPECT_STR(check_run_broken(&run), "M5 ");
    check_run_finish(&run);
}

/* The checks of the library make two instances, that of the device makes one. */
TEST(check_driver_libraries, device_that_opens_no_more_is_told_with_its_reason)
{
    for (int uses = 2; uses <= 3; uses++) {
        char path[] = "/tmp/halyard-uses-XXXXXX", arguments[96];
        const int file = mkstemp(path);
        REQUIRE(file >= 0);
        EXPECT_INT(ftruncate(file, uses), 0);
        close(file);
        snprintf(arguments, sizeof arguments, "{\"uses\":\"%s\"}", path);
        struct check_run run = check_run_library(FAULTY_DRIVER_PATH, arguments);
        EXPECT_STR(check_run_broken(&run), "M7 ");
        EXPECT_STR(check_run_detail(&run, "M7"),
                   "create returned DEVICE_UNAVAILABLE (1): worn out");
        EXPECT_INT(run.status, 1);
        check_run_finish(&run);
        unlink(path);
    }
}

TEST(check_driver_descriptions, faults_are_found_by_their_rule)
{
    static const struct fault faults[] = {
        {"device-fails", "D1 ", "INVALID_ARGUMENT (4)", 0},
        {"table-null", "D1 ", "no table", 0},
        {"table-abi", "M2 ", "hy_device.abi is 2.0", 0},
        {"table-size", "D2 ", "struct_size is 48", 0},
        {"no-execute", "D2 ", "execute is NULL", 0},
        {"half-a-burst", "D3 ", "burst_execute is NULL", 0},
        {"info-size", "D4 ", "set struct_size to 8", 0},
        {"describe-fails", "D4 ", "describe failed", 0},
        {"capabilities-fail", "D4 ", "unknown status (77)", 0},
        {"name-null", "D5 ", "name is NULL", 0},
        {"name-long", "D5 ", "longer than 255", 0},
        {"name-reserved", "D5 ", "name is nnapi-reference, the name of a built-in device", 0},
        {"name-newline", "D5 ", "control character", 0},
        {"version-empty", "D5 ", "version is empty", 0},
        {"type-negative", "D6 ", "type is -1", 0},
        {"level-9", "D6 ", "feature_level is 9", 0},
        {"cache-files", "D6 ", "33 data cache files", 0},
        {"kinds-few", "D6 ", "pool_kinds is 0x2", 0},
        {"kinds-unknown", "D6 ", "pool_kinds is 0x5c", 0},
        {"extension-upper-case", "D7 ", "com.Acme", 0},
        {"extension-code-twice", "D7 ", "type 7 is listed twice", 0},
        {"extension-no-part", "D7 ", "com.acme.fft: partial_extensions has 2", 0},
        {"extension-own-types", "D7 ", "org.halyard.operations.TENSOR_INT64: byte_size 4", 0},
        {"extension-null", "D7 ", "3 extensions at", 0},
        {"figures-descend", "D8 ", "out of order", 0},
        {"figures-nan", "D8 ", "nan", 0},
        {"figures-many", "D8 ", "4294967295 operand types", 0},
        {"describe-changes", "D9 ", "have changed", 0},
        {"figures-change", "D9 ", "have changed", 0},
    };
    EXPECT_FOUND(faults);
}

TEST(check_driver_descriptions, extension_that_is_supported_in_part_is_no_fault)
{
    struct check_run run =
        check_run_library(FAULTY_DRIVER_PATH, "{\"fault\":\"extension-part\",\"full\":0}");

    EXPECT_STR(check_run_broken(&run), "");
    EXPECT_STR(check_run_result(&run, "D7"), "ok");
    check_run_finish(&run);
}

TEST(check_driver_models, faults_are_found_by_their_rule)
{
    static const struct fault faults[] = {
        {"supported-crashes", "B1 ", "died of signal 11", 0},
        {"supported-fails", "B1 ", "for a valid model", 0},
        {"supported-2", "B1 ", "neither 0 nor 1", 0},
        {"supported-too-many", "B1 ", "more than 1 results", 0},
        {"no-reason", "B2 ", "refused without a reason", 0},
        {"empty-reason", "B2 ", "a reason is empty", 0},
        {"prepare-refuses", "B4 ", "prepare fails with GENERAL_FAILURE (2): no firmware", 0},
        {"prepare-hangs", "B4 ", NO_END, 0},
        {"destroy-crashes", "B4 ", "destroying tiny_add_f32: the process died", 0},
        {"trusts-models", "B5 ", "was prepared", 0},
        {"prepare-status", "B6 ", "returned the unknown status 77", 0},
        {"prepare-null", "B6 ", "returned OK and NULL", 0},
        {"prepare-half", "B6 ", "and an object", 0},
        {"message-overflow", "B6 ", "past the end of its message", 0},
    };
    EXPECT_FOUND(faults);
    struct check_run run =
        check_run_library(FAULTY_DRIVER_PATH, "{\"fault\":\"supported-changes\"}");
    EXPECT_CONTAINS(check_run_detail(&run, "B3"), "the results have changed");
    check_run_finish(&run);
}

TEST(check_driver_executions, faults_are_found_by_their_rule)
{
    static const struct fault faults[] = {
        {"execute-status", "B6 B8 ", "returned the unknown status -5", 0},
        {"execute-fails", "B8 ", "GENERAL_FAILURE (2)", 0},
        {"execute-crashes", "B8 ", "executing tiny_add_f32: the process died of signal 11", 0},
        {"execute-hangs", "B8 ", NO_END, 0},
        {"execute-exits", "B8 R8 ", "exited with status 3", 0},
        {"execute-aborts", "B8 R8 ", "died of signal 6", 0},
        {"execute-complains", "B8 R8 ", "signal 6 (Aborted); last output: boot: no firmware", 0},
        {"execute-prints", "R8 ", "executing", 0},
        {"no-shapes-in-requests", "B8 ", "with shapes in the request", 0},
        {"wrong-values", "B8 ", "element 0 is 2.5, expected 1.5", 0},
        {"no-shapes", "B9 ", "is not reported", 0},
        {"wrong-shape", "B9 ", "first extent 3", 0},
        {"wrong-rank", "B9 ", "reported rank 99", 0},
        {"sufficient-2", "B9 ", "sufficient 2", 0},
        {"short-write", "B10 ", "byte 20 of output 0 is not written", 0},
        {"writes-outside", "B11 ", "belongs to no argument", 0},
        {"writes-before", "B11 ", "byte 63", 0},
        {"writes-inputs", "B12 ", "input 0 was modified", 0},
        {"rewrites-inputs", "B12 ", "over inputs that cannot be written: the process died", 0},
    };
    EXPECT_FOUND(faults);
}

TEST(check_driver_requests, faults_are_found_by_their_rule)
{
    static const struct fault faults[] = {
        {"no-ashmem", "B13 ", "over ASHMEM", 0},
        {"no-host", "B13 V1 ", "over HOST", 0},
        {"no-constants-in-ashmem", "B26 ", "with constants in ASHMEM: refused", 0},
        {"aligned-only", "B14 ", "INVALID_ARGUMENT", 0},
        {"trusts-requests", "B15 ", "in a pool that does not exist", 0},
        {"trusts-lengths", "B15 ", "a byte too short was executed", 0},
        {"trusts-counts", "B15 ", "was executed", 0},
        {"small-output", "B16 ", "INVALID_ARGUMENT (4)", 0},
        {"small-output-no-shape", "B16 ", "is not reported", 0},
        {"one-place", "B17 ", "on 4 threads", 0},
        {"times-backwards", "B18 ", "ns on the device", 0},
        {"times-unasked", "B18 ", "times are reported without a request", 0},
        {"times-too-long", "B18 ", "the call took", 0},
    };
    EXPECT_FOUND(faults);
}

TEST(check_driver_extents, faults_are_found_by_their_rule)
{
    static const struct fault faults[] = {
        {"trusts-open-room", "B27 ", "a byte too short: OK (0)", 1},
        {"tells-open-extents", "B27 ", "first extent 0", 1},
        {"empty-crashes", "B27 ", "with inputs of no elements: the process died", 1},
    };
    EXPECT_FOUND(faults);
}

TEST(check_driver_chains, faults_are_found_by_their_rule)
{
    static const struct fault faults[] = {
        {"chain-skips-step", "B29 ", "tiny_add_f32 and then tiny_add_f32: output 0", 1},
        {"chain-drops-output", "B29 ", "both with an output: output 0", 1},
    };
    EXPECT_FOUND(faults);
}

TEST(check_driver_scratch, faults_are_found_by_their_rule)
{
    static const struct fault faults[] = {
        {"scratch-fails", "B28 ", "scratch_needed returned GENERAL_FAILURE", 1},
        {"scratch-alignment", "B28 ", "the wrong alignment 3", 1},
        {"scratch-changes", "B28 ", "has changed", 1},
        {"scratch-content", "B28 ", "with scratch memory of ones", 1},
        {"scratch-behind", "B28 ", "bytes outside the memory were written", 1},
        {"scratch-trusts-size", "B28 ", "a byte too small: bytes outside", 1},
    };
    EXPECT_FOUND(faults);
}

TEST(check_driver_quota, faults_are_found_by_their_rule)
{
    static const struct fault faults[] = {
        {"quota-other-status", "B40 ", "without memory for allocation 1: GENERAL_FAILURE", 1},
        {"quota-kept", "B40 ", "reservations of memory are not released", 1},
    };
    EXPECT_FOUND(faults);
}

TEST(check_driver_blobs, faults_are_found_by_their_rule)
{
    static const struct fault faults[] = {
        {"blob-needs-engine", "B41 V1 ", "with a host that refuses all blobs", 1},
        {"blob-trusts", "B41 ", "while its blobs are being removed", 1},
    };
    EXPECT_FOUND(faults);
}

TEST(check_driver_time, late_calls_are_found_by_their_rule)
{
    static const struct fault faults[] = {
        {"prepare-late", "B7 ", "after its deadline", 0},
        {"execute-late", "B7 ", "after its deadline", 0},
    };
    EXPECT_FOUND(faults);
}

TEST(check_driver_leaks, what_is_left_behind_is_found)
{
    static const struct fault faults[] = {
        {"leak-files", "B19 ", "leave 48 files", 0},
        {"leak-threads", "B19 ", "leave 48 threads", 0},
        {"leak-mappings", "B19 ", "mappings", 0},
#ifndef HAS_OTHER_ALLOCATOR
        {"leak-memory", "B19 ", "bytes of memory", 0},
#endif
    };
    EXPECT_FOUND(faults);
}

TEST(check_driver_groups, faults_are_found_by_their_rule)
{
    static const struct fault faults[] = {
        {"burst-fails", "B20 ", "GENERAL_FAILURE", 1},
        {"burst-no-shapes", "B20 ", "reported rank 0", 1},
        {"burst-release-crashes", "B20 ", "died of signal 11", 1},
        {"burst-keeps-released", "B20 ", "died of signal 11", 1},
        {"reusable-once", "B21 ", "GENERAL_FAILURE", 1},
        {"fence-early", "B22 ", "before the fence", 1},
        {"fence-never", "B22 ", NO_END, 1},
        {"fence-keeps-view", FREED_IS_USED, "", 1},
        {"wait-hangs", "B25 ", NO_END, 1},
        {"wait-fails", "B25 ", "DEVICE_UNAVAILABLE", 1},
    };
    EXPECT_FOUND(faults);
}

/* The command is one whose descriptors are sync_files that ended in error. */
TEST(check_driver_sync_file, fence_that_ended_in_error_is_found)
{
    struct check_run run = check_run_library(FAULTY_DRIVER_PATH, "{\"full\":1}");

    EXPECT_STR(check_run_broken(&run), "B22 ");
    EXPECT_CONTAINS(check_run_detail(&run, "B22"), "or is in error");
    check_run_finish(&run);
}

TEST(check_driver_buffers, faults_are_found_by_their_rule)
{
    static const struct fault faults[] = {
        {"buffer-token", "B23 ", "the same token", 1},
        {"buffer-any-description", "B33 ", "for an input that does not exist: OK", 1},
        {"buffer-any-role", "B34 ", "an output's buffer as an input: OK", 1},
        {"buffer-any-place", "B34 ", "an offset into a buffer: OK", 1},
        {"buffer-both-ways", "B34 ", "one buffer as an input and as an output: OK", 1},
        {"buffer-token-again", "B35 ", "after the creation of new buffers: OK", 1},
        {"buffer-unwritten", "B36 ", "an input buffer without contents: OK", 1},
        {"buffer-keeps-failed", "B36 ", "after an execution that missed its deadline: OK", 1},
        {"buffer-any-size", "B37 ", "copying in one byte too many: OK", 1},
        {"buffer-no-files", "B37 ", "MMAP_FD at an offset: GENERAL_FAILURE", 1},
        {"buffer-one-reader", "B38 ", "on 4 threads: the execution failed", 1},
        {"image-as-bytes", "B39 ", "an image that does not match its input: OK", 0},
    };
    EXPECT_FOUND(faults);
}

TEST(check_driver_caches, faults_are_found_by_their_rule)
{
    static const struct fault faults[] = {
        {"cache-fails-prepare", "B24 ", "read-only cache files", 1},
        {"cache-late", "B7 ", "from its cache files with a deadline: the call returned", 1},
        {"cache-claims", "B30 ", "wrote to none", 1},
        {"cache-at-offset", "B30 ", "the files were written before, and prepare_from_cache failed",
         1},
        {"cache-trusts", "B31 ", "file 0 cut to", 1},
        {"cache-other-model", "B31 ", "from the cache files of another model", 1},
        {"cache-short-crash", "B31 ", "died of signal 11", 1},
        {"cache-reads-later", "B32 ", "after it was prepared with cache files", 1},
        {"cache-closes-files", "B32 ", "the driver closed a descriptor of the caller", 1},
        {"cache-one-too-many", "B32 ", "wrote to the file after the last cache file", 1},
        {"cache-token-alone", "B32 ", "with a token and no files: the driver returned", 1},
        {"cache-unasked", "B32 ", "the driver wrote to a cache without a request", 1},
        {"cache-leaks-files", "B32 ", "rounds leave 16 descriptors open", 1},
    };
    EXPECT_FOUND(faults);
}
