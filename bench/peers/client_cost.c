/*
 * client_cost: the cost of one ADD through an unmodified client, TensorFlow Lite with NNAPI, with
 * Halyard as its library and with a library without function. The client can load a single library
 * only, and uses the level that the library reports: each library and level has a separate process,
 * and the processes run in turns. Prints a Markdown table. docs/performance.md explains the table.
 */
#include <dlfcn.h>
#include <getopt.h>
#include <halyard/halyard.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers/tflite_peer.h"
#include "bench/service/remote_subject.h"

/* Feature levels for which the client uses different calls. */
static const struct {
    const char *level;
    const char *calls;
} feature_levels[] = {
    {"27", "new execution, startCompute, wait"},
    {"28", "new execution, startCompute, wait"},
    {"29", "new execution, compute"},
    {"30", "new execution, compute"},
    {"31", "reused execution, burstCompute"},
    {"1000008", "reused execution, burstCompute"},
};

enum { FEATURE_LEVELS = sizeof feature_levels / sizeof *feature_levels };
enum library { IDLE, HALYARD, LIBRARIES };

struct arguments {
    struct hy_bench_rules rules;
    const char *program;
    const char *client; /* libtensorflowlite_c.so */
    const char *model;
    /* directories with a libneuralnetworks.so: */
    const char *idle;    /* that does nothing */
    const char *lowered; /* reduces either of the others to an older level */
    const char *halyard;
};

/* ---- In the process of one library ----------------------------------------------------------- */

/* The evidence that a library is used: for Halyard the execution counts of its devices, for the
 * other library an uncomputed sum. */
struct api {
    int (*get_device)(uint32_t index, ANeuralNetworksDevice **device);
    int (*get_info)(const ANeuralNetworksDevice *device, struct halyard_device_info *info);
};

static bool find_function(void *library, const char *name, void *function)
{
    /* POSIX promises that a function's address fits a void pointer. */
    void *address = library ? dlsym(library, name) : NULL;
    *(void **)function = address;
    return address != NULL;
}

/* Executions on all devices so far; 0 for other libraries than Halyard. */
static uint64_t count_executions(void)
{
    void *library = dlopen("libneuralnetworks.so.1", RTLD_LAZY | RTLD_NOLOAD);
    ANeuralNetworksDevice *device;
    uint64_t count = 0;
    struct api api;
    if (!find_function(library, "ANeuralNetworks_getDevice", &api.get_device) ||
        !find_function(library, "halyard_device_get_info", &api.get_info))
        return 0;
    for (uint32_t i = 0; api.get_device(i, &device) == ANEURALNETWORKS_NO_ERROR; i++) {
        struct halyard_device_info info = {.struct_size = sizeof info};
        if (api.get_info(device, &info) == ANEURALNETWORKS_NO_ERROR)
            count += info.execution_count;
    }
    return count;
}

static void fill_inputs(struct hy_tflite_peer *client)
{
    for (int i = 0; i < hy_tflite_peer_input_count(client); i++) {
        size_t bytes = 0;
        float *values = hy_tflite_peer_input(client, i, &bytes);
        for (size_t k = 0; k < bytes / sizeof *values; k++)
            values[k] = 1;
    }
}

static enum hy_code run_client(void *self, struct hy_error *err)
{
    return hy_tflite_peer_run(self, err);
}

/* Runs one inference, and checks that the library computed it. */
static enum hy_code try_client(struct hy_tflite_peer *client, bool is_idle, struct hy_error *err)
{
    size_t bytes = 0;
    fill_inputs(client);
    enum hy_code code = run_client(client, err);
    if (code != HY_OK)
        return code;
    const float *sums = hy_tflite_peer_output(client, 0, &bytes);
    const bool is_right = bytes >= sizeof *sums && sums[0] == 2;
    if (is_right == is_idle)
        return hy_fail(err, HY_FAILED, "%s", is_right ? "computed by the client" : "a wrong sum");
    if (!is_idle && count_executions() == 0)
        return hy_fail(err, HY_FAILED, "computed by the client");
    return HY_OK;
}

/* client_cost --serve LIBTENSORFLOWLITE_C.SO MODEL LEVEL idle|halyard */
static int serve(char **arguments)
{
    const bool is_idle = strcmp(arguments[3], "idle") == 0;
    struct hy_bench_subject subject = {.run = run_client};
    struct hy_tflite_peer *client = NULL;
    struct hy_error err = {0};
    enum hy_code code =
        hy_tflite_peer_open(arguments[0], arguments[1], HY_TFLITE_NNAPI, 1, &client, &err);
    if (code == HY_OK)
        code = try_client(client, is_idle, &err);
    subject.self = client;
    if (code == HY_OK)
        code = hy_remote_subject_serve(&subject, NULL, &err);
    if (code != HY_OK)
        fprintf(stderr, "client_cost: level %s, %s: %s\n", arguments[2], arguments[3], err.text);
    hy_tflite_peer_close(client);
    return code == HY_OK ? 0 : 1;
}

/* ---- The race -------------------------------------------------------------------------------- */

static enum hy_code start(const struct arguments *arguments, size_t level, enum library library,
                          struct hy_bench_subject *subject, struct hy_error *err)
{
    const bool is_lowered = level + 1 < FEATURE_LEVELS;
    const char *const dir = library == IDLE ? arguments->idle : arguments->halyard;
    const char *const command[] = {arguments->program,
                                   "--serve",
                                   arguments->client,
                                   arguments->model,
                                   feature_levels[level].level,
                                   library == IDLE ? "idle" : "halyard",
                                   NULL};
    char path[4096];
    snprintf(path, sizeof path, "%s%s%s", is_lowered ? arguments->lowered : "",
             is_lowered ? ":" : "", dir);
    const struct hy_remote_variable variables[] = {
        {"LD_LIBRARY_PATH", path},
        {"HALYARD_TEST_LEVEL", feature_levels[level].level},
        {"HALYARD_CPU_THREADS", "1"},
    };
    struct hy_remote_subject *remote = NULL;
    enum hy_code code = hy_remote_subject_start(command, variables, 3, &remote, err);
    *subject = (struct hy_bench_subject){.time_runs = hy_remote_subject_time_runs, .self = remote};
    return code;
}

static void print_table(struct hy_bench_subject subjects[FEATURE_LEVELS][LIBRARIES])
{
    printf("| level | calls of an inference | does nothing | Halyard | ratio |\n"
           "|---|---|--:|--:|--:|\n");
    for (size_t i = 0; i < FEATURE_LEVELS; i++)
        printf("| %s | %s | %.3f | %.3f | %.2f |\n", feature_levels[i].level,
               feature_levels[i].calls, subjects[i][IDLE].median_us, subjects[i][HALYARD].median_us,
               subjects[i][HALYARD].median_us / subjects[i][IDLE].median_us);
}

static enum hy_code race(const struct arguments *arguments, struct hy_error *err)
{
    struct hy_bench_subject subjects[FEATURE_LEVELS][LIBRARIES] = {0};
    enum hy_code code = HY_OK;
    for (size_t i = 0; code == HY_OK && i < FEATURE_LEVELS; i++)
        for (int k = 0; code == HY_OK && k < LIBRARIES; k++)
            code = start(arguments, i, (enum library)k, &subjects[i][k], err);
    if (code == HY_OK)
        code =
            hy_bench_measure(&subjects[0][0], FEATURE_LEVELS * LIBRARIES, &arguments->rules, err);
    if (code == HY_OK)
        print_table(subjects);
    for (size_t i = 0; i < FEATURE_LEVELS; i++)
        for (int k = 0; k < LIBRARIES; k++)
            hy_remote_subject_stop(subjects[i][k].self);
    return code;
}

static bool parse(int argc, char **argv, struct arguments *arguments)
{
    static const struct option options[] = {
        {"rounds", required_argument, NULL, 'n'},
        {"round-ms", required_argument, NULL, 't'},
        {0},
    };
    /* short rounds: even on a busy machine most rounds are not interrupted */
    *arguments = (struct arguments){.rules = {.rounds = 401, .round_time = 0.0005}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'n')
            arguments->rules.rounds = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 't')
            arguments->rules.round_time = strtod(optarg, NULL) * 1e-3;
        else
            return false;
    }
    if (argc - optind != 5)
        return false;
    arguments->program = argv[0];
    arguments->client = argv[optind];
    arguments->model = argv[optind + 1];
    arguments->idle = argv[optind + 2];
    arguments->lowered = argv[optind + 3];
    arguments->halyard = argv[optind + 4];
    return true;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    struct hy_error err = {0};
    if (argc == 6 && strcmp(argv[1], "--serve") == 0)
        return serve(argv + 2);
    if (!parse(argc, argv, &arguments)) {
        fprintf(stderr,
                "usage: client_cost [--rounds N] [--round-ms N] LIBTENSORFLOWLITE_C.SO MODEL "
                "IDLE_FOLDER LOWERED_FOLDER HALYARD_FOLDER\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN); /* a process that is gone is an error, not the end */
    printf("Times of one inference in microseconds, medians of %u rounds of at least %g ms.\n\n",
           arguments.rules.rounds, arguments.rules.round_time * 1e3);
    fflush(stdout);
    if (race(&arguments, &err) != HY_OK) {
        fprintf(stderr, "client_cost: %s\n", err.text);
        return 1;
    }
    return 0;
}
