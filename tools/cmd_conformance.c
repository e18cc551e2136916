#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "tools/clock.h"
#include "tools/command.h"
#include "tools/model_command.h"
#include "tools/progress.h"
#include "tools/vectors/files.h"
#include "tools/vectors/refusal.h"
#include "tools/vectors/report.h"
#include "tools/vectors/run.h"
#include "tools/vectors/survey.h"
#include "tools/vectors/transform.h"

struct request {
    struct hy_option_list device_names;
    const char *mode_name;
    const char *filter;
    const char *junit_path;
    bool json;
    char **paths;
    int path_count;

    struct hy_vector_course course;
    struct hy_vector_passes passes;
    struct hy_device_choice devices;
    bool complete; /* the devices have to take every form of an operation that they have at all */
    struct hy_vector_files files;
    struct hy_survey survey;
    struct hy_conformance_report report;
};

static const char about[] =
    "Runs test vectors of the conformance format through the API and compares what comes out.\n\n"
    "A test is skipped only by a rule: a device of a driver says that it does not support an\n"
    "operation; the CPU backend supports an operation in no valid vector of the given files\n"
    "(--filter does not narrow that question); the format leaves the test out of the mode\n"
    "dynamic or fenced, or of --signed.";

static bool parse(int argc, char **argv, struct request *request, int *status)
{
    const struct hy_option options[] = {
        {"device", HY_OPTION_LIST, "NAME", "test this device; may be repeated",
         &request->device_names},
        {"mode", HY_OPTION_TEXT, "MODE",
         "sync (default), async, burst, fenced, reusable: each execution runs twice, dynamic: "
         "models do not tell the dimensions of their outputs",
         &request->mode_name},
        {"signed", HY_OPTION_FLAG, NULL,
         "the tests of one operation on unsigned bytes, with signed ones",
         &request->passes.is_signed},
        {"filter", HY_OPTION_TEXT, "WORDS",
         "only tests whose name contains this or matches it "
         "as a glob",
         &request->filter},
        {"junit", HY_OPTION_TEXT, "FILE", "write a JUnit report", &request->junit_path},
        {"json", HY_OPTION_FLAG, NULL, "print JSON", &request->json},
    };
    const struct hy_syntax syntax = {
        .command = "conformance",
        .operands = "DIR_OR_FILE...",
        .about = about,
        .operands_min = 1,
        .operands_max = UINT32_MAX,
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    int first;
    if (!hy_options_parse(&syntax, argc, argv, &first, status))
        return false;
    request->paths = argv + first;
    request->path_count = argc - first;
    return true;
}

static bool is_wanted(const char *filter, const struct hy_vector *vector)
{
    if (!filter)
        return true;
    if (strpbrk(filter, "*?["))
        return fnmatch(filter, vector->name, 0) == 0;
    return strstr(vector->name, filter) != NULL;
}

static uint32_t count_wanted(const struct request *request)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < request->files.count; f++)
        for (uint32_t i = 0; i < request->files.files[f].count; i++)
            count += is_wanted(request->filter, &request->files.files[f].vectors[i]);
    return count;
}

static enum hy_code load_files(struct request *request, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    for (int i = 0; code == HY_OK && i < request->path_count; i++)
        code = hy_vector_files_add(&request->files, request->paths[i], err);
    return code;
}

static void survey_devices(struct request *request)
{
    struct hy_progress progress;
    hy_progress_start(&progress, "asking devices: file", request->files.count);
    for (uint32_t f = 0; f < request->files.count; f++) {
        const struct hy_vector_file *file = &request->files.files[f];
        hy_progress_tell(&progress, f);
        for (uint32_t i = 0; i < file->count; i++)
            hy_survey_add(&request->survey, &file->vectors[i], &request->devices);
    }
    hy_progress_end(&progress);
}

/* The test in the form of the passes; no rule keeps it out of them. */
static void run_form(const struct request *request, const struct hy_vector *test,
                     struct hy_test_result *result, struct hy_error *words)
{
    if (!request->complete && hy_vector_is_refused(test, &request->devices, words)) {
        result->outcome = HY_SKIPPED;
        result->rule = HY_SKIP_UNSUPPORTED;
    } else if (hy_vector_run(test, &request->devices, &request->course, words) == HY_OK) {
        result->outcome = HY_PASSED;
        words->text[0] = '\0';
    }
}

static void judge(const struct request *request, const struct hy_vector *vector,
                  struct hy_test_result *result, struct hy_error *words)
{
    result->rule = hy_vector_transform_rule(vector, &request->passes);
    if (result->rule == HY_SKIP_NONE)
        result->rule = hy_vector_course_rule(vector, &request->course);
    if (result->rule == HY_SKIP_NONE &&
        hy_survey_missing(&request->survey, vector, words->text, sizeof words->text))
        result->rule = HY_SKIP_NO_OPERATION;
    if (result->rule != HY_SKIP_NONE) {
        result->outcome = HY_SKIPPED;
        return;
    }
    struct hy_arena arena = {0};
    struct hy_vector test;
    if (hy_vector_transform(vector, &request->passes, &arena, &test, words) == HY_OK)
        run_form(request, &test, result, words);
    hy_arena_finish(&arena);
}

static enum hy_code run_one(struct request *request, const char *spec,
                            const struct hy_vector *vector, struct hy_error *err)
{
    struct hy_error words = {0};
    const uint64_t start = hy_clock_ns();
    struct hy_test_result result = {
        .spec = spec, .name = vector->name, .outcome = HY_TEST_FAILED, .detail = words.text};
    judge(request, vector, &result, &words);
    result.seconds = (double)(hy_clock_ns() - start) / 1e9;
    return hy_report_add(&request->report, &result, err);
}

static enum hy_code run_tests(struct request *request, uint32_t total, struct hy_error *err)
{
    struct hy_progress progress;
    hy_progress_start(&progress, "running test", total);
    enum hy_code code = HY_OK;
    for (uint32_t f = 0; f < request->files.count; f++) {
        const struct hy_vector_file *file = &request->files.files[f];
        for (uint32_t i = 0; code == HY_OK && i < file->count; i++) {
            if (!is_wanted(request->filter, &file->vectors[i]))
                continue;
            hy_progress_tell(&progress, request->report.count);
            code = run_one(request, file->spec, &file->vectors[i], err);
        }
    }
    hy_progress_end(&progress);
    return code;
}

static enum hy_code tell(const struct request *request, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    if (request->junit_path)
        code = hy_report_write_junit(&request->report, request->junit_path, err);
    if (code == HY_OK && request->json)
        return hy_report_print_json(&request->report, err);
    if (code == HY_OK)
        hy_report_print(&request->report);
    return code;
}

static int run_request(struct request *request)
{
    struct hy_error err;
    if (load_files(request, &err) != HY_OK)
        return hy_exit_failed("conformance", &err);

    const uint32_t total = count_wanted(request);
    if (total == 0 && request->filter)
        return hy_exit_wrong("conformance", "--filter %s: no test has such a name",
                             request->filter);
    if (total == 0)
        return hy_exit_wrong("conformance", "%s: there are no tests", request->paths[0]);

    request->complete = hy_device_choice_has_built_in(&request->devices);
    if (request->complete)
        survey_devices(request);
    enum hy_code code = run_tests(request, total, &err);
    if (code == HY_OK)
        code = tell(request, &err);
    if (code != HY_OK)
        return hy_exit_failed("conformance", &err);
    const int status = hy_exit_written("conformance");
    return request->report.failed ? HY_EXIT_FAILED : status;
}

static bool is_mode(const struct request *request, const char *name)
{
    return request->mode_name && strcmp(request->mode_name, name) == 0;
}

/* Dynamic shapes are a way to write the model, reuse is one to repeat: both compute in sync. */
static int choose_mode(struct request *request)
{
    request->passes.dynamic = is_mode(request, "dynamic");
    request->course.reused = is_mode(request, "reusable");
    if (request->passes.dynamic || request->course.reused ||
        hy_run_mode_parse(request->mode_name, &request->course.mode))
        return HY_EXIT_OK;
    return hy_exit_wrong("conformance",
                         "--mode %s: there is no such mode; there are: %s, reusable, dynamic",
                         request->mode_name, HY_RUN_MODES);
}

int hy_cmd_conformance(int argc, char **argv)
{
    struct request request = {0};
    int status = HY_EXIT_OK;
    if (!parse(argc, argv, &request, &status))
        return status;

    hy_command_silence_warnings(); /* of thousands of tests that fall back */
    status = choose_mode(&request);
    if (status == HY_EXIT_OK)
        status = hy_model_choose_devices("conformance", &request.device_names, &request.devices);
    if (status == HY_EXIT_OK)
        status = run_request(&request);
    hy_report_finish(&request.report);
    hy_vector_files_finish(&request.files);
    return status;
}
