#include "runtime/support_library/diagnostic_details.h"

#include "plugins/device_info.h"
#include "runtime/compile/compilation.h"
#include "runtime/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Data classes ---------------------------------------------------------------------------- */

static ANeuralNetworksDiagnosticDataClass class_of(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
        return ANNDIAG_DATA_CLASS_FLOAT32;
    case ANEURALNETWORKS_TENSOR_FLOAT16:
        return ANNDIAG_DATA_CLASS_FLOAT16;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL:
    case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
        return ANNDIAG_DATA_CLASS_QUANT;
    default:
        return ANNDIAG_DATA_CLASS_OTHER;
    }
}

/* UNKNOWN and OTHER yield to any class; two different other classes are mixed. */
static ANeuralNetworksDiagnosticDataClass join(ANeuralNetworksDiagnosticDataClass so_far,
                                               ANeuralNetworksDiagnosticDataClass next)
{
    if (so_far == ANNDIAG_DATA_CLASS_UNKNOWN || so_far == ANNDIAG_DATA_CLASS_OTHER)
        return next;
    return next == so_far || next == ANNDIAG_DATA_CLASS_OTHER ? so_far : ANNDIAG_DATA_CLASS_MIXED;
}

static ANeuralNetworksDiagnosticDataClass class_of_all(const struct hy_subgraph *graph,
                                                       uint32_t count, const uint32_t *operands)
{
    ANeuralNetworksDiagnosticDataClass all = ANNDIAG_DATA_CLASS_UNKNOWN;

    for (uint32_t i = 0; i < count; i++)
        all = join(all, class_of(graph->operands[operands[i]].type));
    return all;
}

/* ---- Devices --------------------------------------------------------------------------------- */

#define ID_SIZE (2 * HY_MAX_TEXT + 2) /* "name=version" */

static int compare_ids(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Sorts the ids and joins them with commas. `text` is large enough. */
static void join_ids(char (*ids)[ID_SIZE], uint32_t count, char *text)
{
    qsort(ids, count, sizeof ids[0], compare_ids);
    for (uint32_t i = 0; i < count; i++) {
        const size_t length = strlen(ids[i]);
        memcpy(text, ids[i], length);
        text[length] = i + 1 < count ? ',' : '\0';
        text += length + 1;
    }
}

/* Allocates the properties and the device ids in one block. NULL: out of memory. */
static struct hy_diagnostic_details *create(const struct hy_compilation *compilation)
{
    const uint32_t count = compilation->device_count;
    char(*ids)[ID_SIZE] = calloc(count, sizeof *ids);
    size_t size = 0;

    for (uint32_t i = 0; ids && i < count; i++) {
        const struct hy_device_info *info = &compilation->devices[i]->info;
        snprintf(ids[i], sizeof ids[i], "%s=%s", info->name, info->version);
        size += strlen(ids[i]) + 1;
    }
    struct hy_diagnostic_details *details = ids ? calloc(1, sizeof *details + size) : NULL;
    if (details) {
        join_ids(ids, count, (char *)(details + 1));
        details->device_ids = (const char *)(details + 1);
    }
    free(ids);
    return details;
}

/* ---- The rest -------------------------------------------------------------------------------- */

static bool has_control_flow(const struct hy_subgraph *graph)
{
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (graph->operations[i].type == ANEURALNETWORKS_IF ||
            graph->operations[i].type == ANEURALNETWORKS_WHILE)
            return true;
    }
    return false;
}

static bool has_dynamic_tensors(const struct hy_plan *plan)
{
    for (uint32_t i = 0; plan && i < plan->tensor_count; i++) {
        if (plan->tensors[i].bytes == 0)
            return true;
    }
    return false;
}

static void fill(struct hy_diagnostic_details *details, const struct hy_compilation *compilation)
{
    const struct hy_model *model = hy_app_model_view(compilation->model);
    const struct hy_subgraph *graph = model->main;
    struct hy_error err;

    if (hy_architecture_hash(model, details->architecture, &err) != HY_OK)
        hy_log(HY_LOG_WARNING, "diagnostics", "no architecture hash: %s", err.text);
    details->input_class = class_of_all(graph, graph->input_count, graph->inputs);
    details->output_class = class_of_all(graph, graph->output_count, graph->outputs);
    details->wants_caching = compilation->caching.is_wanted;
    details->has_control_flow = has_control_flow(graph);
    details->has_dynamic_tensors = has_dynamic_tensors(compilation->plan);
}

const struct hy_diagnostic_details *hy_diagnostic_details_of(struct hy_compilation *compilation)
{
    static const struct hy_diagnostic_details nothing = {.device_ids = ""};
    struct hy_diagnostic_details *cached =
        atomic_load_explicit(&compilation->diagnostic_details, memory_order_acquire);
    if (cached)
        return cached;

    struct hy_diagnostic_details *details = create(compilation);
    if (!details)
        return &nothing;
    fill(details, compilation);
    if (atomic_compare_exchange_strong_explicit(&compilation->diagnostic_details, &cached, details,
                                                memory_order_acq_rel, memory_order_acquire))
        return details;
    hy_diagnostic_details_destroy(details); /* another thread was first */
    return cached;
}

void hy_diagnostic_details_destroy(struct hy_diagnostic_details *details)
{
    free(details);
}
