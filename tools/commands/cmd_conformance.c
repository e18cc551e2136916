#include <stdio.h>
#include <string.h>

#include "tools/cache/cache_dir.h"
#include "tools/command.h"
#include "tools/commands/conformance.h"
#include "tools/commands/model_command.h"
#include "tools/interrupt.h"
#include "tools/progress.h"
#include "tools/temporary_dir.h"

struct request {
    struct hy_option_list device_names;
    struct hy_option_list mode_names;
    bool isolate;
    const char *junit_path;
    bool json;
    struct json_t *json_modes; /* reports so far, with several modes; NULL: none */
    bool merged;               /* several tests as one model */
    char **paths;
    int path_count;
    struct hy_conformance conformance;
};

static const char about[] =
    "Runs test vectors of the conformance format through the API and compares the outputs.\n\n"
    "A test is skipped only by a rule: a device of a driver does not support an operation; the\n"
    "CPU backend does not support the operation in any valid vector of the given files (--filter\n"
    "has no influence); the format excludes the test from the mode dynamic, fenced, domain or "
    "signed.";

static bool parse(int argc, char **argv, struct request *request, int *status)
{
    const struct hy_option options[] = {
        {"device", HY_OPTION_LIST, "NAME", "test this device; may be repeated",
         &request->device_names},
        {"mode", HY_OPTION_LIST, "MODE",
         "sync (default), async, burst, fenced, reusable: each execution runs twice, dynamic: the "
         "models leave the dimensions of outputs open, domain: inputs and outputs lie in memory "
         "from descriptors (device memory if offered), pool:mmap_fd and pool:hardware_buffer_blob: "
         "inputs and outputs lie in memory objects of this kind, partitioned: several tests as one "
         "model, with copies of tensors between the tests, cached: each model is compiled twice, "
         "the second time from the cache, signed:MODE: the tests of one operation on unsigned "
         "bytes, with signed bytes, in MODE; may be repeated: all tests in one mode after the "
         "other",
         &request->mode_names},
        {"seed", HY_OPTION_COUNT_OR_NONE, "N",
         "seed for mode partitioned: choice of tests and of copies (0)",
         &request->conformance.seed},
        {"cache", HY_OPTION_TEXT, "DIR",
         "the directory for mode cached (a new directory, removed at the end)",
         &request->conformance.cache_dir},
        {"filter", HY_OPTION_TEXT, "WORDS",
         "only tests whose name contains this or matches it "
         "as a glob",
         &request->conformance.filter},
        {"junit", HY_OPTION_TEXT, "FILE", "write a JUnit report", &request->junit_path},
        {"isolate", HY_OPTION_FLAG, NULL,
         "run drivers and halyard-cpu isolated, in separate processes", &request->isolate},
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

static enum hy_code load_files(struct request *request, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    for (int i = 0; code == HY_OK && i < request->path_count; i++)
        code = hy_vector_files_add(&request->conformance.files, request->paths[i], err);
    return code;
}

static void survey_devices(struct request *request)
{
    struct hy_progress progress;
    hy_progress_start(&progress, "asking devices: file", request->conformance.files.count);
    for (uint32_t f = 0; f < request->conformance.files.count; f++) {
        const struct hy_vector_file *file = &request->conformance.files.files[f];
        hy_progress_report(&progress, f);
        for (uint32_t i = 0; i < file->count; i++)
            hy_survey_add(&request->conformance.survey, &file->vectors[i],
                          &request->conformance.devices);
    }
    hy_progress_end(&progress);
}

static enum hy_code print_summary(struct request *request, const char *mode, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    if (request->mode_names.count > 1 && !request->json)
        printf("%s:\n", mode);
    if (request->junit_path)
        code = hy_report_write_junit(&request->conformance.report, request->junit_path, err);
    if (code == HY_OK && request->json && request->mode_names.count > 1)
        return hy_report_add_json(&request->json_modes, mode, &request->conformance.report, err);
    if (code == HY_OK && request->json)
        return hy_report_print_json(&request->conformance.report, err);
    if (code == HY_OK)
        hy_report_print(&request->conformance.report);
    return code;
}

/* All tests in the mode that is chosen. */
static int run_mode(struct request *request, const char *mode)
{
    struct hy_error err;
    const uint32_t total = hy_conformance_count(&request->conformance);
    enum hy_code code = request->merged
                            ? hy_conformance_run_merged(&request->conformance, total, &err)
                            : hy_conformance_run_each(&request->conformance, total, &err);
    if (code == HY_OK)
        code = print_summary(request, mode, &err);
    if (code != HY_OK)
        return hy_exit_failed("conformance", &err);
    if (hy_interrupt_came())
        fprintf(stderr, "halyard conformance: interrupted after %u of %u tests%s%s\n",
                request->conformance.report.count, total,
                request->mode_names.count > 1 ? " of " : "",
                request->mode_names.count > 1 ? mode : "");
    const int status = hy_exit_written("conformance");
    return request->conformance.report.failed ? HY_EXIT_FAILED : status;
}

/* Uses a separate directory, unless the user has named one. */
static int run_mode_cached(struct request *request, const char *mode)
{
    struct hy_error err;
    char *dir = NULL;
    if (!request->conformance.cache_dir && hy_temporary_dir_make(NULL, &dir, &err) != HY_OK)
        return hy_exit_failed("conformance", &err);
    if (hy_cache_dir_make(request->conformance.cache_dir, &err) != HY_OK)
        return hy_exit_failed("conformance", &err);
    if (dir)
        request->conformance.cache_dir = dir;
    const int status = run_mode(request, mode);
    hy_temporary_dir_remove(dir);
    if (dir)
        request->conformance.cache_dir = NULL;
    return status;
}

/* What follows the prefix, or NULL. */
static const char *after_prefix(const char *text, const char *prefix)
{
    const size_t length = strlen(prefix);

    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/* Dynamic and merged models are ways to write them, reuse is one to repeat: all compute in sync. */
static bool choose_mode(struct request *request, const char *name)
{
    struct hy_conformance *conformance = &request->conformance;
    const char *of_signed = after_prefix(name, "signed:");
    const char *mode = of_signed ? of_signed : name;
    const char *pool = after_prefix(mode, "pool:");
    bool *const flag = strcmp(mode, "dynamic") == 0       ? &conformance->passes.dynamic
                       : strcmp(mode, "reusable") == 0    ? &conformance->course.reused
                       : strcmp(mode, "domain") == 0      ? &conformance->course.in_domains
                       : strcmp(mode, "partitioned") == 0 ? &request->merged
                       : strcmp(mode, "cached") == 0      ? &conformance->report.is_cached
                                                          : NULL;

    request->merged = false;
    conformance->passes = (struct hy_vector_passes){.is_signed = of_signed != NULL};
    conformance->course = (struct hy_vector_course){0};
    if (flag)
        return *flag = true;
    conformance->course.in_pools = pool != NULL;
    return pool ? hy_pool_kind_parse(pool, &conformance->course.pool_kind)
                : hy_run_mode_parse(mode, &conformance->course.mode);
}

static int check_modes(struct request *request)
{
    bool is_cached = false;

    for (uint32_t i = 0; i < request->mode_names.count; i++) {
        const char *mode = request->mode_names.items[i];
        if (!choose_mode(request, mode))
            return hy_exit_wrong(
                "conformance",
                "--mode %s: unknown mode; known: %s, reusable, dynamic, domain, pool:mmap_fd, "
                "pool:hardware_buffer_blob, partitioned, cached, and signed: before each",
                mode, HY_RUN_MODES);
        is_cached |= request->conformance.report.is_cached;
    }
    if (request->conformance.cache_dir && !is_cached)
        return hy_exit_wrong("conformance", "--cache is for --mode cached");
    if (request->junit_path && request->mode_names.count > 1)
        return hy_exit_wrong("conformance", "--junit is for one --mode");
    return HY_EXIT_OK;
}

/* The worse of the two. */
static int worse(int a, int b)
{
    return a > b ? a : b;
}

/* The tests are read once for all modes. */
static int run_modes(struct request *request)
{
    int status = HY_EXIT_OK;

    for (uint32_t i = 0;
         i < request->mode_names.count && status <= HY_EXIT_FAILED && !hy_interrupt_came(); i++) {
        struct hy_conformance_report *report = &request->conformance.report;
        const char *mode = request->mode_names.items[i];
        *report = (struct hy_conformance_report){0};
        (void)choose_mode(request, mode);
        status = worse(status, report->is_cached ? run_mode_cached(request, mode)
                                                 : run_mode(request, mode));
        hy_report_finish(report);
    }
    struct hy_error err;
    if (request->json_modes && hy_report_print_modes_json(request->json_modes, &err) != HY_OK)
        return hy_exit_failed("conformance", &err);
    return status;
}

static int run_request(struct request *request)
{
    struct hy_error err;
    if (load_files(request, &err) != HY_OK)
        return hy_exit_failed("conformance", &err);

    const uint32_t total = hy_conformance_count(&request->conformance);
    if (total == 0 && request->conformance.filter)
        return hy_exit_wrong("conformance", "--filter %s: no test has a matching name",
                             request->conformance.filter);
    if (total == 0)
        return hy_exit_wrong("conformance", "%s: no tests found", request->paths[0]);

    request->conformance.complete = hy_device_selection_has_built_in(&request->conformance.devices);
    if (request->conformance.complete)
        survey_devices(request);
    return run_modes(request);
}

int hy_cmd_conformance(int argc, char **argv)
{
    struct request request = {0};
    int status = HY_EXIT_OK;
    if (!parse(argc, argv, &request, &status))
        return status;

    if (request.mode_names.count == 0)
        request.mode_names = (struct hy_option_list){.count = 1, .items = {"sync"}};
    hy_interrupt_watch();
    status = check_modes(&request);
    if (status == HY_EXIT_OK)
        status = hy_model_choose_devices("conformance", &request.device_names, request.isolate,
                                         &request.conformance.devices);
    if (status == HY_EXIT_OK)
        status = run_request(&request);
    hy_vector_files_finish(&request.conformance.files);
    return status;
}
