#include "libhalyard/lower/survey.h"

#include <stdio.h>
#include <string.h>

#include "common/operation.h"
#include "libhalyard/lower/lowering.h"
#include "libhalyard/lower/model.h"

enum { LIST_SIZE = 256 };

/* "SLICE x2, RESHAPE": the operations from `first` on, as far as there is room. */
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

static const char *keep(struct hy_survey *survey, const char *text)
{
    return hy_arena_copy(&survey->arena, text, strlen(text) + 1, 1);
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
static bool survey_node(struct hy_lowering *lowering, const struct hy_graph_node *node,
                        struct hy_survey *survey, struct hy_survey_node *out)
{
    const uint32_t first = lowering->model->operation_count;
    char list[LIST_SIZE];

    lowering->code = HY_OK;
    lowering->pushed_count = 0;
    hy_lower_node(lowering, node);
    if (lowering->code == HY_OK) {
        list_operations(lowering->model, first, list);
        *out = (struct hy_survey_node){.lowering = keep(survey, list), .obstacle = ""};
    } else {
        *out =
            (struct hy_survey_node){.lowering = "", .obstacle = keep(survey, lowering->err->text)};
        make_outputs(lowering);
    }
    return out->lowering && out->obstacle;
}

enum hy_code hy_survey_make(const struct hy_graph *graph, struct hy_survey *out,
                            struct hy_error *err)
{
    struct hy_survey survey = {.nodes = NULL};
    struct hy_lowering lowering;
    struct hy_error words;

    const enum hy_code code = hy_lowering_begin(&lowering, graph, &words);
    if (code != HY_OK)
        return hy_fail(err, code, "%s", words.text);
    survey.nodes =
        hy_arena_alloc(&survey.arena, ((size_t)graph->node_count + 1) * sizeof *survey.nodes);
    bool is_made = survey.nodes != NULL;
    for (uint32_t i = 0; is_made && i < graph->node_count; i++)
        is_made = survey_node(&lowering, &graph->nodes[i], &survey, &survey.nodes[i]);
    hy_lowering_end(&lowering);
    hy_lowered_model_destroy(lowering.model);
    if (!is_made) {
        hy_survey_finish(&survey);
        return hy_fail(err, HY_OUT_OF_MEMORY, "survey of %u operators", graph->node_count);
    }
    *out = survey;
    return HY_OK;
}

void hy_survey_finish(struct hy_survey *survey)
{
    hy_arena_finish(&survey->arena);
    survey->nodes = NULL;
}
