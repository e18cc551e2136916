/*
 * roofline: the time of each layer of a network on one thread of halyard-cpu, compared with the
 * lower limit on this machine: the time of its multiply-adds at the speed of the processor's widest
 * multiplications, or the time of reading its bytes, whichever is longer.
 *
 *     roofline [--features SETS] MODEL.tflite...
 *
 * Prints a Markdown table for each model. SETS is a value of HALYARD_CPU_FEATURES; the limit is
 * then the limit of the best set. Weights are read at the speed of the smallest cache that holds
 * the weights of the whole network, because all other weights are read between two uses; other
 * values are read at the speed of the smallest cache that holds the layer. A layer is an operator
 * of the file with its fused operators, alone in a step: gains across layers are not part of the
 * figures. Layers with fewer multiply-adds than the definition (minimal filtering) can exceed the
 * limit.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <halyard/halyard.h>

#include "bench/inference.h"
#include "bench/kernels/core_peak.h"
#include "bench/kernels/layer_work.h"
#include "common/random.h"
#include "libhalyard/session/network.h"
#include "tools/api_result.h"
#include "tools/profile/step_times.h"

enum { READ_SIZES = 15 }; /* powers of two from 16 KiB to 256 MiB */
#define SMALLEST_READ (16u << 10)

struct limits {
    double float_products, byte_products; /* in a nanosecond */
    double read[READ_SIZES];              /* bytes in a nanosecond, of so many */
};

struct layer {
    const struct hy_graph_node *node; /* the first one of its operator */
    struct hy_layer_work work;
    uint64_t ns;
};

/* ---- The machine ----------------------------------------------------------------------------- */

static bool allows(const char *features, const char *set)
{
    return !features || strstr(features, set);
}

static double best_products(const char *features, enum hy_peak_set narrow, enum hy_peak_set wide)
{
    const double least = hy_peak_products(narrow);
    const double most = allows(features, "avx512") ? hy_peak_products(wide) : 0;
    return most > least ? most : least;
}

static bool measure_limits(const char *features, struct limits *limits)
{
    const size_t most = (size_t)SMALLEST_READ << (READ_SIZES - 1);
    uint64_t *words = aligned_alloc(4096, most);

    if (!words)
        return false;
    memset(words, 1, most);
    for (int i = 0; i < READ_SIZES; i++)
        limits->read[i] = hy_peak_read(words, (size_t)SMALLEST_READ << i);
    free(words);
    limits->float_products = best_products(features, HY_FLOATS_AVX2, HY_FLOATS_AVX512);
    if (limits->float_products == 0)
        limits->float_products = hy_peak_products(HY_FLOATS_NEON);
    limits->byte_products = best_products(features, HY_BYTES_AVX2, HY_BYTES_VNNI);
    return true;
}

/* The time to read `bytes` of a working set of `all` bytes: between two measured sizes the speed
 * changes with the logarithm. */
static double read_ns(const struct limits *limits, double bytes, double all)
{
    const double position = fmin(fmax(log2(all / SMALLEST_READ), 0), READ_SIZES - 1);
    const int below = (int)position, above = below + 1 < READ_SIZES ? below + 1 : below;
    const double part = position - below;

    return bytes / (limits->read[below] * (1 - part) + limits->read[above] * part);
}

/* ---- The layers ------------------------------------------------------------------------------ */

static struct layer *find_layer(struct layer *layers, uint32_t count, uint32_t subgraph,
                                uint32_t origin)
{
    for (uint32_t i = 0; i < count; i++) {
        if (layers[i].node->subgraph == subgraph && layers[i].node->origin == origin)
            return &layers[i];
    }
    return NULL;
}

/* Nodes of the same operator of the file are one layer. */
static uint32_t collect(const struct hy_graph *graph, struct layer *layers)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct hy_graph_node *node = &graph->nodes[i];
        const struct hy_layer_work work = hy_layer_work_of(graph, node);
        struct layer *layer = find_layer(layers, count, node->subgraph, node->origin);
        if (!layer) {
            layers[count++] = (struct layer){.node = node, .work = work};
            continue;
        }
        layer->work.products += work.products;
        layer->work.constant_bytes += work.constant_bytes;
        layer->work.value_bytes += work.value_bytes;
    }
    return count;
}

static enum hy_code run_once(void *inference, struct hy_error *err)
{
    return hy_inference_run(inference, HY_INFERENCE_REUSED, err);
}

static enum hy_code assign_times(const struct hy_inference *inference, const uint64_t *step_ns,
                                 struct layer *layers, uint32_t count, struct hy_error *err)
{
    const struct hy_lowered_model *model = hy_inference_network(inference)->model;
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < hy_lowered_model_operation_count(model); i++) {
        struct halyard_plan_operation operation = {.struct_size = sizeof operation};
        struct layer *layer = find_layer(layers, count, hy_lowered_model_subgraph(model, i),
                                         hy_lowered_model_operator(model, i));
        code = hy_api_result(
            halyard_compilation_get_operation(hy_inference_compilation(inference), i, &operation),
            "compilation_get_operation", err);
        if (code == HY_OK && layer)
            layer->ns += step_ns[operation.step];
    }
    return code;
}

static enum hy_code measure_layers(struct hy_inference *inference, struct layer *layers,
                                   uint32_t count, struct hy_error *err)
{
    ANeuralNetworksCompilation *compilation = hy_inference_compilation(inference);
    struct halyard_plan plan = {.struct_size = sizeof plan};
    enum hy_code code = hy_api_result(halyard_compilation_get_plan(compilation, &plan),
                                      "compilation_get_plan", err);
    if (code != HY_OK)
        return code;
    uint64_t *step_ns = calloc((size_t)plan.step_count + 1, sizeof *step_ns);
    if (!step_ns)
        return hy_fail(err, HY_OUT_OF_MEMORY, "times of %u steps", plan.step_count);
    code = hy_step_times_measure(compilation, plan.step_count, run_once, inference, step_ns, err);
    if (code == HY_OK)
        code = assign_times(inference, step_ns, layers, count, err);
    free(step_ns);
    return code;
}

/* ---- The table ------------------------------------------------------------------------------- */

static void print_shape(const struct hy_graph *graph, const struct hy_graph_node *node)
{
    const struct hy_graph_tensor *output = &graph->tensors[node->outputs[0]];

    for (uint32_t i = 0; i < output->rank; i++)
        printf("%s%d", i ? "x" : " ", output->extents[i]);
}

/* Returns the limit in nanoseconds. */
static double print_layer(const struct limits *limits, const struct hy_graph *graph,
                          const struct layer *layer, double all_constants)
{
    const struct hy_layer_work *work = &layer->work;
    const double compute =
        work->products / (work->is_float ? limits->float_products : limits->byte_products);
    const double bytes = work->constant_bytes + work->value_bytes;
    const double move = read_ns(limits, work->constant_bytes, all_constants) +
                        read_ns(limits, work->value_bytes, bytes);
    const double limit = compute > move ? compute : move;
    const double ns = (double)layer->ns;

    printf("| %u %s |", layer->node->origin, hy_operator_name(layer->node->operator_));
    print_shape(graph, layer->node);
    printf(" | %.2f | %.0f | %.1f | %.1f | %s | %.0f %% |\n", work->products * 1e-6, bytes / 1024,
           ns * 1e-3, limit * 1e-3, compute > move ? "products" : "bytes",
           ns > 0 ? limit / ns * 100 : 0);
    return limit;
}

static void print_layers(const struct limits *limits, const char *path,
                         const struct hy_graph *graph, const struct layer *layers, uint32_t count)
{
    const char *slash = strrchr(path, '/');
    double all_constants = 0, limit = 0, ns = 0;

    for (uint32_t i = 0; i < count; i++)
        all_constants += layers[i].work.constant_bytes;
    printf("%s:\n\n| layer | output | products, millions | KiB | us | limit, us | bound by "
           "| of the limit |\n|---|---|--:|--:|--:|--:|---|--:|\n",
           slash ? slash + 1 : path);
    for (uint32_t i = 0; i < count; i++) {
        limit += print_layer(limits, graph, &layers[i], all_constants);
        ns += (double)layers[i].ns;
    }
    printf("| all | | | | %.1f | %.1f | | %.0f %% |\n\n", ns * 1e-3, limit * 1e-3,
           ns > 0 ? limit / ns * 100 : 0);
}

static void fill_inputs(const struct hy_inference *inference)
{
    struct hy_random random = {1};

    for (uint32_t i = 0; i < hy_inference_input_count(inference); i++) {
        const struct hy_tflite_tensor *tensor = hy_inference_input_tensor(inference, i);
        float *values = hy_inference_input(inference, i);
        for (uint64_t k = 0; tensor->type == HY_TFLITE_FLOAT32 && k < tensor->bytes / 4; k++)
            values[k] = hy_random_real(&random, -1, 1);
    }
}

static enum hy_code print_model(const struct limits *limits, const char *path, struct hy_error *err)
{
    const struct hy_inference_options options = {.device = "halyard-cpu", .split_operations = true};
    struct hy_inference *inference = NULL;
    struct layer *layers = NULL;
    uint32_t count = 0;

    enum hy_code code = hy_inference_open(path, &options, &inference, err);
    if (code != HY_OK)
        return code;
    const struct hy_graph *graph = &hy_inference_network(inference)->graph;
    layers = calloc((size_t)graph->node_count + 1, sizeof *layers);
    if (!layers) {
        code = hy_fail(err, HY_OUT_OF_MEMORY, "%u layers", graph->node_count);
    } else {
        fill_inputs(inference);
        count = collect(graph, layers);
        code = measure_layers(inference, layers, count, err);
    }
    if (code == HY_OK)
        print_layers(limits, path, graph, layers, count);
    free(layers);
    hy_inference_destroy(inference);
    return code;
}

static void print_limits(const struct limits *limits)
{
    printf("Products in a nanosecond: %.0f of floats, %.0f of bytes. Bytes read in a nanosecond:",
           limits->float_products, limits->byte_products);
    for (int i = 0; i < READ_SIZES; i += 2)
        printf(" %.0f of %u KiB%s", limits->read[i], 16u << i, i + 2 < READ_SIZES ? "," : ".\n\n");
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"features", required_argument, NULL, 'f'}, {0}};
    const char *features = NULL;
    struct limits limits;
    int status = 0;

    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option != 'f')
            return 2;
        features = optarg;
    }
    if (optind == argc) {
        fprintf(stderr, "usage: roofline [--features SETS] MODEL.tflite...\n");
        return 2;
    }
    if (features)
        setenv("HALYARD_CPU_FEATURES", features, 1);
    setenv("HALYARD_CPU_THREADS", "1", 1);
    if (!measure_limits(features, &limits)) {
        fprintf(stderr, "roofline: out of memory\n");
        return 1;
    }
    print_limits(&limits);
    for (int i = optind; i < argc; i++) {
        struct hy_error err = {0};
        if (print_model(&limits, argv[i], &err) == HY_OK)
            continue;
        fprintf(stderr, "roofline: %s: %s\n", argv[i], err.text);
        status = 1;
    }
    return status;
}
