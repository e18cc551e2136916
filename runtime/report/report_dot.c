/* A plan as a graph: a box per step with its operations, and edges for tensors. */
#include "runtime/report/report.h"

#include "runtime/extension/code_text.h"
#include "runtime/plan/plan_counters.h"

#include <stdio.h>
#include <stdlib.h>

/* Colors of the devices: names known to Graphviz, light enough for dark text. */
static const char *const colours[] = {"lightblue", "palegreen",   "khaki",         "lightpink",
                                      "lavender",  "lightsalmon", "paleturquoise", "thistle"};
enum { COLOUR_COUNT = sizeof colours / sizeof *colours };

static void print_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void print_step(FILE *out, const struct hy_plan *plan, uint32_t index)
{
    const struct hy_step *step = &plan->steps[index];
    const struct hy_step_counters *counters = &plan->counters->steps[index];
    const struct hy_plan_assignment assignment = plan->assigned[step->operations[0]];
    const uint64_t runs = atomic_load_explicit(&counters->run_count, memory_order_relaxed);
    const uint64_t total = atomic_load_explicit(&counters->total_ns, memory_order_relaxed);

    fprintf(out,
            "  subgraph cluster_%u {\n    style=filled; fillcolor=%s;\n    label=\"%u: ", index,
            colours[assignment.device % COLOUR_COUNT], index);
    print_escaped(out, step->device->info.name);
    fprintf(out, "\\npredicted %.2f us", (double)step->predicted_ns / 1e3);
    if (runs > 0)
        fprintf(out, ", measured %.2f us", (double)total / (double)runs / 1e3);
    if (step->cache.kind != HY_CACHE_OFF)
        fprintf(out, "\\ncache: %s",
                hy_report_cache_text(hy_cache_session_outcome(&step->cache).kind));
    fputs("\";\n", out);
    for (uint32_t i = 0; i < step->operation_count; i++) {
        const uint32_t operation = step->operations[i];
        fprintf(out, "    o%u [label=\"%s\"];\n", operation,
                hy_operation_text(plan->request.model->main->operations[operation].type));
    }
    fputs("  }\n", out);
}

/* True if the step reads the operand from device memory. */
static bool is_on_device(const struct hy_plan *plan, uint32_t operand, uint32_t step)
{
    for (uint32_t i = 0; plan->device_tensor_count > 0 && i < plan->tensor_count; i++) {
        if (plan->tensors[i].operand == operand)
            return plan->tensors[i].device == plan->steps[step].device;
    }
    return false;
}

/* An edge. Edges between steps are bold and show the bytes; they are dashed for device memory. */
static void print_edge(FILE *out, const struct hy_plan *plan, uint32_t writer, uint32_t reader,
                       uint32_t number)
{
    const struct hy_operand *operand = &plan->request.model->main->operands[number];
    const char *style = is_on_device(plan, number, plan->step_of[reader]) ? "style=dashed, " : "";

    fprintf(out, "  o%u -> o%u", writer, reader);
    if (plan->step_of[writer] != plan->step_of[reader]) {
        const uint64_t bytes = hy_operand_bytes(operand);
        if (bytes > 0)
            fprintf(out, " [%spenwidth=2, label=\"%llu B\"]", style, (unsigned long long)bytes);
        else
            fputs(" [penwidth=2, label=\"? B\"]", out);
    }
    fputs(";\n", out);
}

static void print_inputs(FILE *out, const struct hy_plan *plan, const uint32_t *writers,
                         uint32_t operation)
{
    const struct hy_subgraph *graph = plan->request.model->main;
    const struct hy_operation *reader = &graph->operations[operation];

    for (uint32_t i = 0; i < reader->input_count; i++) {
        const uint32_t operand = reader->inputs[i];
        if (graph->operands[operand].lifetime == HY_LIFETIME_INPUT)
            fprintf(out, "  v%u -> o%u;\n", operand, operation);
        else if (writers[operand] != UINT32_MAX)
            print_edge(out, plan, writers[operand], operation, operand);
    }
}

static void print_arguments(FILE *out, const char *name, const uint32_t *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "  v%u [shape=ellipse, label=\"%s %u\"];\n", operands[i], name, i);
}

static void print_graph(FILE *out, const struct hy_plan *plan, uint32_t *writers)
{
    const struct hy_subgraph *graph = plan->request.model->main;

    for (uint32_t i = 0; i < graph->operand_count; i++)
        writers[i] = UINT32_MAX;
    fputs("digraph plan {\n  node [shape=box, style=filled, fillcolor=white];\n", out);
    print_arguments(out, "input", graph->inputs, graph->input_count);
    print_arguments(out, "output", graph->outputs, graph->output_count);
    for (uint32_t i = 0; i < plan->step_count; i++)
        print_step(out, plan, i);
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        print_inputs(out, plan, writers, i);
        for (uint32_t k = 0; k < graph->operations[i].output_count; k++) {
            const uint32_t operand = graph->operations[i].outputs[k];
            writers[operand] = i;
            if (graph->operands[operand].lifetime == HY_LIFETIME_OUTPUT)
                fprintf(out, "  o%u -> v%u;\n", i, operand);
        }
    }
    fputs("}\n", out);
}

enum hy_code hy_report_dot(const struct hy_compilation *compilation, char **text, size_t *length,
                           struct hy_error *err)
{
    const struct hy_plan *plan = compilation->plan;
    uint32_t *writers =
        calloc((size_t)plan->request.model->main->operand_count + 1, sizeof *writers);
    char *made = NULL;
    FILE *out = writers ? open_memstream(&made, length) : NULL;

    if (out)
        print_graph(out, plan, writers);
    free(writers);
    const int failed = out ? ferror(out) : 1;
    if ((out && fclose(out) != 0) || failed) {
        free(made);
        return hy_fail(err, HY_OUT_OF_MEMORY, "graph of %u operations",
                       plan->support_matrix.operation_count);
    }
    *text = made;
    return HY_OK;
}
