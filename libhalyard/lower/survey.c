#include "libhalyard/lower/survey.h"

#include <stdio.h>
#include <string.h>

#include "common/operations/operation.h"
#include "libhalyard/lower/lowering.h"
#include "libhalyard/lower/model.h"

enum { LIST_SIZE = 256 };

/* "SLICE x2, RESHAPE": the operations from `first` on, truncated to the capacity. */
static void list_operations(const struct hy_lowered_model *model, uint32_t first,
                            char list[LIST_SIZE])
{
    size_t length = 0;

    list[0] = '\0';
    for (uint32_t i = first, next; i < model->operation_count; i = next) {
        const int32_t type = model->operations[i].type;
        const char *name = hy_operation_name(type);
        for (next = i + 1; next < model->operation_count; next++) {
            if (model->operations[next].type != type)
                break;
        }
        if (length + strlen(name) + sizeof ", x4294967295, ..." > LIST_SIZE) {
            snprintf(list + length, LIST_SIZE - length, ", ...");
            return;
        }
        length += (size_t)snprintf(list + length, LIST_SIZE - length, "%s%s", i > first ? ", " : "",
                                   name);
        if (next - i > 1)
            length += (size_t)snprintf(list + length, LIST_SIZE - length, " x%u", next - i);
    }
}

static const char *copy_text(struct hy_survey *survey, const char *text)
{
    return hy_arena_copy(&survey->arena, text, strlen(text) + 1, 1);
}

struct surveying {
    struct hy_survey survey;
    bool has_memory;
};

static void set_obstacle(struct surveying *surveying, uint32_t node, const char *text)
{
    struct hy_survey_node *out = &surveying->survey.nodes[node];

    if (*out->obstacle)
        return;
    out->lowering = "";
    out->obstacle = copy_text(&surveying->survey, text);
    surveying->has_memory = surveying->has_memory && out->obstacle;
    if (!out->obstacle)
        out->obstacle = "";
}

/* A node without a legal form. */
static void refuse(void *context, uint32_t node, const struct hy_error *why)
{
    set_obstacle(context, node, why->text);
}

/* Later nodes read the outputs of a node without a form as if the node had one. */
static void make_outputs(struct hy_lowering *lowering)
{
    for (uint32_t i = 0; i < lowering->node->output_count; i++) {
        lowering->code = HY_OK;
        (void)hy_output_operand(lowering, i);
    }
}

/* The operations of a node that failed half-way are of no use, and harm no later node. */
static void lower_legal(struct surveying *surveying, struct hy_lowering *lowering,
                        const struct hy_graph_node *node)
{
    lowering->code = HY_OK;
    lowering->pushed_count = 0;
    hy_lower_node(lowering, node);
    if (lowering->code != HY_OK) {
        set_obstacle(surveying, node->source, lowering->err->text);
        make_outputs(lowering);
    }
}

/* Lowers the legal nodes of one node, from `first` on; returns the index after them. */
static uint32_t survey_node(struct surveying *surveying, struct hy_lowering *lowering,
                            uint32_t first)
{
    const struct hy_graph *legal = lowering->graph;
    const uint32_t source = legal->nodes[first].source;
    struct hy_survey_node *out = &surveying->survey.nodes[source];
    const uint32_t operation = lowering->model->operation_count;
    char list[LIST_SIZE];
    uint32_t i = first;

    for (; i < legal->node_count && legal->nodes[i].source == source; i++)
        lower_legal(surveying, lowering, &legal->nodes[i]);
    if (*out->obstacle)
        return i;
    list_operations(lowering->model, operation, list);
    out->lowering = copy_text(&surveying->survey, list);
    surveying->has_memory = surveying->has_memory && out->lowering;
    return i;
}

static bool begin(struct surveying *surveying, uint32_t count)
{
    struct hy_survey *survey = &surveying->survey;

    survey->nodes = hy_arena_alloc(&survey->arena, ((size_t)count + 1) * sizeof *survey->nodes);
    for (uint32_t i = 0; survey->nodes && i < count; i++)
        survey->nodes[i] = (struct hy_survey_node){.lowering = "folded", .obstacle = ""};
    return survey->nodes != NULL;
}

static enum hy_code walk(struct surveying *surveying, const struct hy_graph *graph,
                         struct hy_error *err)
{
    const struct hy_legal_refusals refusals = {.refuse = refuse, .context = surveying};
    struct hy_lowering lowering;
    struct hy_error reason;

    const enum hy_code code = hy_lowering_begin(&lowering, graph, NULL, &refusals, &reason);
    if (code != HY_OK)
        return hy_fail(err, code, "%s", reason.text);
    for (uint32_t i = 0; surveying->has_memory && i < lowering.graph->node_count;)
        i = survey_node(surveying, &lowering, i);
    hy_lowering_end(&lowering);
    hy_lowered_model_destroy(lowering.model);
    return surveying->has_memory
               ? HY_OK
               : hy_fail(err, HY_OUT_OF_MEMORY, "survey of %u operators", graph->node_count);
}

enum hy_code hy_survey_make(const struct hy_graph *graph, struct hy_survey *out,
                            struct hy_error *err)
{
    struct surveying surveying = {.has_memory = true};

    if (!begin(&surveying, graph->node_count))
        return hy_fail(err, HY_OUT_OF_MEMORY, "survey of %u operators", graph->node_count);
    const enum hy_code code = walk(&surveying, graph, err);
    if (code == HY_OK)
        *out = surveying.survey;
    else
        hy_survey_finish(&surveying.survey);
    return code;
}

void hy_survey_finish(struct hy_survey *survey)
{
    hy_arena_finish(&survey->arena);
    survey->nodes = NULL;
}
