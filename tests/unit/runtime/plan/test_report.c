/* The report of a compilation: as an object, as a graph, and in the file that HALYARD_REPORT names.
 */
#include "runtime/handle/handle.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char dir[] = "/tmp/halyard-report-XXXXXX";
static char path[64];

/* The environment is read once, so it must be there before the first test. */
TEST_SETUP(name_the_file)
{
    if (!mkdtemp(dir))
        abort();
    snprintf(path, sizeof path, "%s/report.json", dir);
    setenv("HALYARD_REPORT", path, 1);
}

__attribute__((destructor)) static void remove_the_file(void)
{
    unlink(path);
    rmdir(dir);
}

static struct fake_device npu, cpu;
static struct fake_device *const both[] = {&npu, &cpu};

/* RELU and FLOOR on the CPU, MUL and ADD between them on the other device. */
static struct hy_compilation *compile_chain(void)
{
    fake_device_init(&npu, "acme-\"npu\"", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_MUL | FAKE_ADD);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    npu.reason = "not \"wired\"";
    return compile(chain_model(), both, 2, false, NULL);
}

static char *report_text(const struct hy_compilation *own, int32_t format)
{
    const ANeuralNetworksCompilation *compilation = hy_compilation_handle(own);
    size_t length = 0, same = 0;

    if (halyard_compilation_write_report(compilation, format, NULL, 0, &length) !=
        ANEURALNETWORKS_NO_ERROR)
        return NULL;
    char *text = malloc(length + 1);
    EXPECT_INT(halyard_compilation_write_report(compilation, format, text, length + 1, &same),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(same, length);
    EXPECT_INT(strlen(text), length);
    return text;
}

static json_t *report_of(const struct hy_compilation *own)
{
    char *text = report_text(own, HALYARD_REPORT_JSON);
    json_t *report = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return report;
}

static void run_once(struct hy_compilation *own)
{
    struct hy_execution *execution = NULL;
    float in[EXTENT] = {1, 2, 3, 4}, out[EXTENT];
    struct hy_argument_source from = {.buffer = in, .length = sizeof in};
    struct hy_argument_source to = {.buffer = out, .length = sizeof out};

    REQUIRE(hy_execution_create(own, &execution, NULL) == HY_OK);
    EXPECT_INT(hy_execution_set(execution, false, 0, NULL, &from, NULL), HY_OK);
    EXPECT_INT(hy_execution_set(execution, true, 0, NULL, &to, NULL), HY_OK);
    EXPECT_INT(hy_execution_begin(execution, HY_RUN_SYNC, NULL), HY_OK);
    EXPECT_INT(hy_execution_run(execution, NULL, HY_NO_DEADLINE, NULL), HY_OK);
    hy_execution_release(execution);
}

/* ---- The object ------------------------------------------------------------------------------ */

TEST(report, tells_operations_steps_and_refusals)
{
    struct hy_compilation *own = compile_chain();
    REQUIRE(own);
    json_t *report = report_of(own);
    const char *device, *runner_up, *reason;
    int step;
    double cost, other;

    EXPECT_INT(json_array_size(json_object_get(report, "operations")), 4);
    EXPECT_INT(json_array_size(json_object_get(report, "steps")), 3);
    EXPECT_INT(json_array_size(json_object_get(report, "refusals")), 2);
    EXPECT_INT(json_array_size(json_object_get(report, "devices")), 2);
    EXPECT_INT(json_unpack(json_array_get(json_object_get(report, "operations"), 1),
                           "{s:s, s:s, s:i, s:F, s:F}", "device", &device, "runner_up", &runner_up,
                           "step", &step, "cost", &cost, "runner_up_cost", &other),
               0);
    EXPECT_STR(device, "acme-\"npu\"");
    EXPECT_STR(runner_up, "halyard-cpu");
    EXPECT_INT(step, 1);
    EXPECT(cost > 0 && cost < other);
    EXPECT_INT(json_unpack(json_array_get(json_object_get(report, "refusals"), 1), "{s:s}",
                           "reason", &reason),
               0);
    EXPECT_STR(reason, "not \"wired\"");
    json_decref(report);
    hy_compilation_release(own);
}

TEST(report, has_measured_times_after_runs)
{
    struct hy_compilation *own = compile_chain();
    REQUIRE(own);
    run_once(own);
    run_once(own);
    json_t *report = report_of(own);
    const json_t *step = json_array_get(json_object_get(report, "steps"), 1);

    EXPECT_INT(json_integer_value(json_object_get(step, "runs")), 2);
    EXPECT(json_is_integer(json_object_get(step, "measured_ns")));
    EXPECT_INT(json_integer_value(json_object_get(report, "executions")), 2);
    json_decref(report);
    hy_compilation_release(own);
}

/* ---- The page that specifies it -------------------------------------------------------------- */

static char *page_text(void)
{
    FILE *file = fopen(EXPLAIN_PAGE, "r");
    char *text = file ? calloc(1, 65536) : NULL;
    if (text && fread(text, 1, 65535, file) == 0)
        text[0] = '\0';
    if (file)
        fclose(file);
    return text;
}

static void expect_on_page(const char *page, const char *prefix, const json_t *object)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)object, key, value)
    {
        char row[96];
        snprintf(row, sizeof row, "\n| `%s%s%s` |", prefix, key, json_is_array(value) ? "[]" : "");
        if (!strstr(page, row))
            hy_test_fail(__FILE__, __LINE__, "docs/explain.md has no row for %s%s", prefix, key);
        if (json_is_array(value) && json_is_object(json_array_get(value, 0))) {
            snprintf(row, sizeof row, "%s%s[].", prefix, key);
            for (size_t i = 0; i < json_array_size(value); i++)
                expect_on_page(page, row, json_array_get(value, i));
        }
    }
}

/* ---- The file -------------------------------------------------------------------------------- */

static json_t *next_line(FILE *file)
{
    char *line = NULL;
    size_t capacity = 0;
    json_t *report = getline(&line, &capacity, file) > 0 ? json_loads(line, 0, NULL) : NULL;

    free(line);
    return report;
}

TEST(report, every_member_is_specified)
{
    unlink(path);
    struct hy_compilation *own = compile_chain();
    REQUIRE(own);
    run_once(own);
    hy_compilation_release(own);

    char *page = page_text();
    FILE *file = fopen(path, "r");
    REQUIRE(page && file);
    json_t *first = next_line(file), *second = next_line(file);
    REQUIRE(first && second);
    expect_on_page(page, "", first);
    expect_on_page(page, "", second);
    json_decref(first);
    json_decref(second);
    fclose(file);
    free(page);
}

TEST(report, a_line_at_finish_and_one_at_the_end)
{
    unlink(path);
    struct hy_compilation *own = compile_chain();
    REQUIRE(own);
    run_once(own);
    hy_compilation_release(own);

    struct stat status;
    FILE *file = fopen(path, "r");
    REQUIRE(file);
    EXPECT(fstat(fileno(file), &status) == 0 && (status.st_mode & 0777) == 0600);
    json_t *first = next_line(file), *second = next_line(file), *third = next_line(file);
    EXPECT_STR(json_string_value(json_object_get(first, "event")), "finish");
    EXPECT_INT(json_integer_value(json_object_get(first, "executions")), 0);
    EXPECT_STR(json_string_value(json_object_get(second, "event")), "free");
    EXPECT_INT(json_integer_value(json_object_get(second, "executions")), 1);
    EXPECT_INT(json_integer_value(json_object_get(second, "process")), getpid());
    EXPECT_STR(json_string_value(json_object_get(second, "program")), "test_runtime_plan");
    const json_int_t passed =
        time(NULL) - json_integer_value(json_object_get(second, "time")) / 1000000000;
    EXPECT(passed >= -1 && passed < 600);
    EXPECT(
        json_equal(json_object_get(first, "compilation"), json_object_get(second, "compilation")));
    EXPECT(third == NULL);
    json_decref(first);
    json_decref(second);
    fclose(file);
}

TEST(report, a_file_that_cannot_be_written_fails_nothing)
{
    unlink(path);
    REQUIRE(mkdir(path, 0700) == 0);
    struct hy_compilation *own = compile_chain();
    EXPECT(own != NULL);
    if (own)
        run_once(own);
    hy_compilation_release(own);
    rmdir(path);
}

/* ---- The graph ------------------------------------------------------------------------------- */

static uint32_t count_of(const char *text, const char *part)
{
    uint32_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

TEST(report, graph_has_a_box_per_step_and_an_arrow_per_tensor)
{
    struct hy_compilation *own = compile_chain();
    REQUIRE(own);
    char *graph = report_text(own, HALYARD_REPORT_DOT);
    REQUIRE(graph);

    EXPECT(strncmp(graph, "digraph plan {\n", 15) == 0);
    EXPECT_INT(count_of(graph, "subgraph cluster_"), 3);
    EXPECT_INT(count_of(graph, "{"), count_of(graph, "}"));
    EXPECT_INT(count_of(graph, " -> "), 5); /* input, three between operations, output */
    EXPECT_INT(count_of(graph, "penwidth=2, label=\"16 B\""), 2);
    EXPECT_CONTAINS(graph, "acme-\\\"npu\\\"");
    free(graph);
    hy_compilation_release(own);
}

/* ---- Misuse ---------------------------------------------------------------------------------- */

TEST(report, wrong_arguments_are_refused)
{
    struct hy_compilation *own = compile_chain();
    REQUIRE(own);
    const ANeuralNetworksCompilation *compilation = hy_compilation_handle(own);
    size_t length = 7;
    char text[8];

    EXPECT_INT(halyard_compilation_write_report(NULL, 0, text, 8, &length),
               ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_compilation_write_report(compilation, 0, NULL, 8, &length),
               ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_compilation_write_report(compilation, 0, text, 8, NULL),
               ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_compilation_write_report(compilation, 2, text, 8, &length),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(length, 7);
    EXPECT_INT(halyard_compilation_write_report(compilation, 0, text, 8, &length),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(strlen(text), 7);
    EXPECT(length > 8);
    hy_compilation_release(own);

    own = compile_start(chain_model(), both, 2, false);
    REQUIRE(own);
    EXPECT_INT(halyard_compilation_write_report(hy_compilation_handle(own), 0, text, 8, &length),
               ANEURALNETWORKS_BAD_STATE);
    hy_compilation_release(own);
}
