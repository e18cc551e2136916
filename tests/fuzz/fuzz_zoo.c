/*
 * Changed structures of `.tflite` files, as far as they come: reader, graph, lowering, compilation
 * on both CPU devices, and a run of what is small.
 *
 * HALYARD_FUZZ_SEEDS names folders, with ':' between them, whose small `.tflite` files are seeds
 * beside random models of every operator.
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libhalyard/graph/budget.h"
#include "libhalyard/lower/survey.h"
#include "libhalyard/session/network.h"
#include "tests/fuzz/tflite_mutator.h"
#include "tests/fuzz/zoo_session.h"
#include "tests/unit/tools/kit/tflite_samples.h"
#include "tests/unit/tools/operators/op_case.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

enum {
    MOST_SECONDS = 60,    /* of one file; then SIGALRM ends the fuzzer */
    MOST_OPERATIONS = 64, /* that are compiled */
    MOST_SEED_BYTES = 40 << 10,
    MOST_FILES = 400,
};

#define MAX_MEMORY     (64 * MIB)
#define MAX_RESIDENT   (1024 * MIB) /* with what sanitizers keep */
#define MOST_RUN_BYTES (64 * KIB)   /* of the tensors of a run */

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_zoo: %s\n", what);
    abort();
}

/* How far the files came. */
static struct {
    unsigned long inputs, lowered, ran;
} counts;

static void print_counts(void)
{
    printf("%lu were lowered, %lu sessions ran\n", counts.lowered, counts.ran);
}

/* ---- The property ---------------------------------------------------------------------------- */

/* What graph.h promises of every graph that a pass returned. */
static void check_graph(const struct hy_graph *graph)
{
    for (uint32_t i = 0; i < graph->tensor_count; i++) {
        const struct hy_graph_tensor *tensor = &graph->tensors[i];
        uint64_t bytes;
        check(tensor->rank <= HY_GRAPH_MAX_RANK, "a rank is too high");
        if (tensor->data && !tensor->sparsity && hy_element_bits(tensor->element) > 0)
            check(hy_element_bytes(tensor->element, tensor->rank, tensor->extents, &bytes) &&
                      bytes == tensor->bytes,
                  "a constant has not the bytes of its shape");
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct hy_graph_node *node = &graph->nodes[i];
        for (uint32_t j = 0; j < node->input_count; j++)
            check(node->inputs[j] == HY_NO_TENSOR || node->inputs[j] < graph->tensor_count,
                  "an input is out of range");
        for (uint32_t j = 0; j < node->output_count; j++)
            check(node->outputs[j] < graph->tensor_count, "an output is out of range");
    }
}

static bool is_small(const struct hy_network *network)
{
    struct hy_graph_peak peak;

    return network->graph.node_count <= MOST_OPERATIONS &&
           hy_graph_find_peak(&network->graph, &peak, NULL) == HY_OK &&
           peak.bytes <= MOST_RUN_BYTES;
}

static void check_error_text(enum hy_code code, const struct hy_error *err)
{
    check(code == HY_OK || err->text[0] != '\0', "refused without words");
}

/* Each node has a lowering or an obstacle, and some obstacle stops the network. */
static void check_survey(const struct hy_network *network, enum hy_code lowered)
{
    struct hy_survey survey;
    bool has_obstacle = false;

    if (hy_survey_make(&network->graph, &survey, NULL) != HY_OK)
        return;
    for (uint32_t i = 0; i < network->graph.node_count; i++) {
        const bool is_stopped = survey.nodes[i].obstacle[0] != '\0';
        check(!is_stopped || survey.nodes[i].lowering[0] == '\0', "lowered, and not lowered");
        has_obstacle |= is_stopped;
    }
    check(!has_obstacle || lowered != HY_OK, "an obstacle that does not stop the network");
    hy_survey_finish(&survey);
}

static void check_memory(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    check((uint64_t)usage.ru_maxrss * 1024 <= MAX_RESIDENT, "more memory than max_memory allows");
}

/* True where the network is lowered, and small enough for a run. */
static bool check_network(struct hy_network *network)
{
    struct hy_error err = {0};

    check_graph(&network->graph);
    enum hy_code code = hy_graph_check_memory(&network->graph, MAX_MEMORY, &err);
    check_error_text(code, &err);
    if (code != HY_OK)
        return false;
    code = hy_network_lower(network, &err);
    check_error_text(code, &err);
    check_survey(network, code);
    if (code != HY_OK)
        return false;
    counts.lowered++;
    return is_small(network);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const devices[] = {"halyard-cpu", "nnapi-reference", NULL};
    struct hy_tflite_limits limits = hy_tflite_default_limits;
    struct hy_tflite_model *source = NULL;
    struct hy_network *network = NULL;
    struct hy_error err = {0};

    if (counts.inputs++ == 0)
        atexit(print_counts);
    limits.memory = MAX_MEMORY;
    limits.operations = 10000;
    alarm(MOST_SECONDS);
    enum hy_code code = hy_network_read(data, size, &limits, &source, &err);
    if (code == HY_OK)
        code = hy_network_import(source, 0, NULL, &limits, &network, &err);
    check_error_text(code, &err);
    const bool may_run = code == HY_OK && check_network(network);
    hy_network_close(network);
    hy_tflite_close(source);
    if (may_run || counts.inputs % 8 == 0)
        counts.ran +=
            hy_zoo_session_try(data, size, MAX_MEMORY, MOST_RUN_BYTES, devices[counts.inputs % 3]);
    alarm(0);
    check_memory();
    return 0;
}

/* Some changes are those of bytes alone. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    const size_t length = seed % 8 > 0 ? hy_tflite_mutate(data, size, most, seed) : 0;

    return length > 0 ? length : LLVMFuzzerMutate(data, size, most);
}

/* ---- Seeds ----------------------------------------------------------------------------------- */

static char *seed_files[MOST_FILES];
static unsigned seed_file_count;

static void add_file(const char *dir, const char *name)
{
    char path[4096];
    struct stat info;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (seed_file_count < MOST_FILES && strstr(name, ".tflite") && stat(path, &info) == 0 &&
        S_ISREG(info.st_mode) && info.st_size <= MOST_SEED_BYTES)
        seed_files[seed_file_count++] = strdup(path);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_files(void)
{
    static bool is_listed;
    char dirs[4096];

    if (is_listed)
        return;
    is_listed = true;
    snprintf(dirs, sizeof dirs, "%s",
             getenv("HALYARD_FUZZ_SEEDS") ? getenv("HALYARD_FUZZ_SEEDS") : "");
    char *rest = dirs;
    for (char *dir; (dir = strsep(&rest, ":")) != NULL;) {
        DIR *opened = *dir ? opendir(dir) : NULL;
        for (struct dirent *entry; opened && (entry = readdir(opened)) != NULL;)
            add_file(dir, entry->d_name);
        if (opened)
            closedir(opened);
    }
    qsort(seed_files, seed_file_count, sizeof *seed_files, by_path);
}

static uint8_t *read_seed_file(unsigned index, size_t *length)
{
    list_files();
    FILE *file = index < seed_file_count ? fopen(seed_files[index], "rb") : NULL;
    uint8_t *bytes = file ? malloc(MOST_SEED_BYTES) : NULL;

    if (bytes)
        *length = fread(bytes, 1, MOST_SEED_BYTES, file);
    if (file)
        fclose(file);
    return bytes;
}

/* Type number `which` of those of a row; false where there are fewer. */
static bool type_of(const struct hy_op_row *row, unsigned which, enum hy_tflite_type *type)
{
    uint32_t types = row->types;

    while (which-- > 0)
        types &= types - 1;
    *type = types ? (enum hy_tflite_type)__builtin_ctz(types) : HY_TFLITE_FLOAT32;
    return types != 0;
}

/* Two samples, then random models of each operator in each type, then files. */
uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    struct hy_op_case made;
    enum hy_tflite_type type;
    unsigned left = index - 2;

    if (index < 2)
        return index == 0 ? hy_sample_convolution(length) : hy_sample_branches(length);
    for (size_t row = 0; row < hy_op_row_count; row++) {
        for (unsigned which = 0; type_of(&hy_op_rows[row], which, &type); which++) {
            if (left-- > 0)
                continue;
            hy_op_case_make(&hy_op_rows[row], type, index, &made);
            uint8_t *copy = malloc(made.length);
            if (copy)
                memcpy(copy, made.model, made.length);
            *length = made.length;
            hy_op_case_finish(&made);
            return copy;
        }
    }
    return read_seed_file(left, length);
}
