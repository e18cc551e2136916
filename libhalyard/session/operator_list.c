/* The operators of a signature, and their lowerings. */
#include "libhalyard/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libhalyard/graph/budget.h"
#include "libhalyard/graph/passes/passes.h"
#include "libhalyard/lower/survey.h"
#include "libhalyard/tflite/tflite_graph.h"

enum { TYPES_SIZE = 512 };

/* One subgraph of the file, and its survey. */
struct listing {
    struct hy_operator_list *list;
    const struct hy_tflite_subgraph *subgraph;
    uint32_t index;
    const struct hy_graph *graph; /* after all passes */
    struct hy_survey survey;      /* of the graph */
    uint32_t *first_node; /* of an operator; the graph's node count: the operator has none */
    bool *is_needed;      /* by an output, per operator; and of tensors, per tensor: */
    bool *is_read;        /* a constant that an operator before has read */
};

/* ---- Sub-graphs ------------------------------------------------------------------------------ */

static uint32_t called_subgraphs(const struct hy_tflite_operator *operator_, int32_t called[2])
{
    const struct hy_tflite_options *options = &operator_->options;

    switch (operator_->code) {
    case HY_TFLITE_OP_CALL:
        called[0] = options->call.subgraph;
        return 1;
    case HY_TFLITE_OP_CALL_ONCE:
        called[0] = options->call_once.init_subgraph;
        return 1;
    case HY_TFLITE_OP_IF:
        called[0] = options->if_.then_subgraph;
        called[1] = options->if_.else_subgraph;
        return 2;
    case HY_TFLITE_OP_WHILE:
        called[0] = options->while_.cond_subgraph;
        called[1] = options->while_.body_subgraph;
        return 2;
    default:
        return 0;
    }
}

/* Writes the subgraphs that `first` reaches, beginning with `first`, and returns their count.
 * `order` and `is_found`, initially all false, have one element per subgraph. */
static uint32_t find_reached(const struct hy_tflite_model *model, uint32_t first, uint32_t *order,
                             bool *is_found)
{
    uint32_t count = 0;

    order[count++] = first;
    is_found[first] = true;
    for (uint32_t i = 0; i < count; i++) {
        const struct hy_tflite_subgraph *subgraph = &model->subgraphs[order[i]];
        for (uint32_t j = 0; j < subgraph->operator_count; j++) {
            int32_t called[2];
            for (uint32_t k = called_subgraphs(&subgraph->operators[j], called); k > 0; k--) {
                const uint32_t next = (uint32_t)called[k - 1];
                if (next < model->subgraph_count && !is_found[next]) {
                    is_found[next] = true;
                    order[count++] = next;
                }
            }
        }
    }
    return count;
}

/* ---- One operator ---------------------------------------------------------------------------- */

static const char *copy_text(struct listing *listing, const char *text)
{
    return hy_arena_copy(&listing->list->arena, text, strlen(text) + 1, 1);
}

/* "CUSTOM Mystery": only the name distinguishes custom operators. */
static const char *name_of(struct listing *listing, const struct hy_tflite_operator *operator_)
{
    char name[256];

    if (!operator_->custom_name)
        return hy_tflite_op_name(operator_->code);
    snprintf(name, sizeof name, "%s %s", hy_tflite_op_name(operator_->code),
             operator_->custom_name);
    return copy_text(listing, name);
}

static size_t append_type(const struct hy_graph_tensor *tensor, char *text, size_t length)
{
    length += (size_t)snprintf(text + length, TYPES_SIZE - length, "%s[",
                               hy_element_name(tensor->element));
    for (uint32_t i = 0; i < tensor->rank && length < TYPES_SIZE; i++) {
        const char *comma = i > 0 ? "," : "";
        if (tensor->extents[i] < 0)
            length += (size_t)snprintf(text + length, TYPES_SIZE - length, "%s?", comma);
        else
            length += (size_t)snprintf(text + length, TYPES_SIZE - length, "%s%d", comma,
                                       tensor->extents[i]);
    }
    if (length < TYPES_SIZE)
        length += (size_t)snprintf(text + length, TYPES_SIZE - length, "]");
    return length;
}

/* Capacity for the longest type with its comma, and for the text about omitted types. */
enum { TYPE_CAPACITY = 128 };

static size_t append_types(const struct listing *listing, const struct hy_tflite_ints *tensors,
                           char *text, size_t length)
{
    for (uint32_t i = 0; i < tensors->count; i++) {
        if (length + TYPE_CAPACITY > TYPES_SIZE)
            return length + (size_t)snprintf(text + length, TYPES_SIZE - length, ", ...");
        if (i > 0)
            length += (size_t)snprintf(text + length, TYPES_SIZE - length, ", ");
        if (tensors->values[i] < 0)
            length += (size_t)snprintf(text + length, TYPES_SIZE - length, "-");
        else
            length = append_type(&listing->graph->tensors[tensors->values[i]], text, length);
    }
    return length;
}

static const char *types_of(struct listing *listing, const struct hy_tflite_operator *operator_)
{
    char text[2 * TYPES_SIZE] = "";

    size_t length = append_types(listing, &operator_->inputs, text, 0);
    length += (size_t)snprintf(text + length, sizeof text - length, "%s-> ", length > 0 ? " " : "");
    append_types(listing, &operator_->outputs, text + length, 0);
    return copy_text(listing, text);
}

/* Constants of the file that no operator before has read. */
static void count_parameters(struct listing *listing, const struct hy_tflite_operator *operator_,
                             struct halyard_network_operator *out)
{
    for (uint32_t i = 0; i < operator_->inputs.count; i++) {
        const int32_t index = operator_->inputs.values[i];
        if (index < 0 || listing->is_read[index] || !listing->subgraph->tensors[index].data)
            continue;
        const struct hy_tflite_tensor *tensor = &listing->subgraph->tensors[index];
        const unsigned bits = hy_tflite_type_bits(tensor->type);
        listing->is_read[index] = true;
        out->parameter_bytes += tensor->data_bytes;
        out->parameter_count += bits > 0 ? tensor->data_bytes * 8 / bits : 0;
    }
}

static bool has_constant_outputs(const struct listing *listing,
                                 const struct hy_tflite_operator *operator_)
{
    for (uint32_t i = 0; i < operator_->outputs.count; i++) {
        if (!listing->graph->tensors[operator_->outputs.values[i]].data)
            return false;
    }
    return operator_->outputs.count > 0;
}

/* An operator may have become several nodes. */
static void describe_lowering(struct listing *listing, uint32_t index,
                              struct halyard_network_operator *out)
{
    const struct hy_tflite_operator *operator_ = &listing->subgraph->operators[index];
    const uint32_t node = listing->first_node[index];

    out->lowering = "";
    out->obstacle = "";
    if (node < listing->graph->node_count) {
        out->lowering = copy_text(listing, listing->survey.nodes[node].lowering);
        out->obstacle = copy_text(listing, listing->survey.nodes[node].obstacle);
    } else if (has_constant_outputs(listing, operator_)) {
        out->lowering = "folded";
    } else {
        out->lowering = listing->is_needed[index] ? "fused" : "unused";
    }
}

static bool list_operator(struct listing *listing, uint32_t index)
{
    const struct hy_tflite_operator *operator_ = &listing->subgraph->operators[index];
    struct halyard_network_operator *out = &listing->list->operators[listing->list->count++];

    *out = (struct halyard_network_operator){.struct_size = sizeof *out,
                                             .name = name_of(listing, operator_),
                                             .subgraph = listing->index,
                                             .index = index,
                                             .types = types_of(listing, operator_)};
    count_parameters(listing, operator_, out);
    describe_lowering(listing, index, out);
    return out->name && out->types && out->lowering && out->obstacle;
}

/* ---- One sub-graph --------------------------------------------------------------------------- */

/* Backwards from the outputs: an operator is needed if one of its outputs has a reader. */
static void find_needed(struct listing *listing, bool *is_tensor_needed)
{
    const struct hy_tflite_subgraph *subgraph = listing->subgraph;

    for (uint32_t i = 0; i < subgraph->outputs.count; i++)
        is_tensor_needed[subgraph->outputs.values[i]] = true;
    for (uint32_t i = subgraph->operator_count; i-- > 0;) {
        const struct hy_tflite_operator *operator_ = &subgraph->operators[i];
        for (uint32_t j = 0; j < operator_->outputs.count; j++)
            listing->is_needed[i] |= is_tensor_needed[operator_->outputs.values[j]];
        for (uint32_t j = 0; listing->is_needed[i] && j < operator_->inputs.count; j++) {
            if (operator_->inputs.values[j] >= 0)
                is_tensor_needed[operator_->inputs.values[j]] = true;
        }
    }
}

static bool list_operators(struct listing *listing)
{
    const struct hy_graph *graph = listing->graph;
    const uint32_t count = listing->subgraph->operator_count;
    bool is_made = true;

    for (uint32_t i = 0; i < count; i++)
        listing->first_node[i] = graph->node_count;
    for (uint32_t i = graph->node_count; i-- > 0;) {
        const struct hy_graph_node *node = &graph->nodes[i];
        if (node->subgraph == listing->index && node->origin < count)
            listing->first_node[node->origin] = i;
    }
    for (uint32_t i = 0; is_made && i < count; i++)
        is_made = list_operator(listing, i);
    return is_made;
}

/* `graph`: of this sub-graph, after all passes. */
static enum hy_code list_graph(struct hy_operator_list *list, const struct hy_tflite_model *model,
                               uint32_t subgraph, const struct hy_graph *graph,
                               struct hy_error *err)
{
    struct listing listing = {
        .list = list, .subgraph = &model->subgraphs[subgraph], .index = subgraph, .graph = graph};
    const uint32_t operators = listing.subgraph->operator_count;
    const uint32_t tensors = listing.subgraph->tensor_count;
    bool *is_tensor_needed = calloc((size_t)tensors + 1, sizeof *is_tensor_needed);

    listing.first_node = calloc((size_t)operators + 1, sizeof *listing.first_node);
    listing.is_needed = calloc((size_t)operators + 1, sizeof *listing.is_needed);
    listing.is_read = calloc((size_t)tensors + 1, sizeof *listing.is_read);
    enum hy_code code = HY_OK;
    if (!is_tensor_needed || !listing.first_node || !listing.is_needed || !listing.is_read)
        code = hy_fail(err, HY_OUT_OF_MEMORY, "list of %u operators", operators);
    if (code == HY_OK)
        code = hy_survey_make(graph, &listing.survey, err);
    if (code == HY_OK) {
        find_needed(&listing, is_tensor_needed);
        if (!list_operators(&listing))
            code = hy_fail(err, HY_OUT_OF_MEMORY, "list of %u operators", operators);
        hy_survey_finish(&listing.survey);
    }
    free(is_tensor_needed);
    free(listing.first_node);
    free(listing.is_needed);
    free(listing.is_read);
    return code;
}

/* A subgraph that cannot be imported separately: its obstacle is the obstacle of each operator. */
static enum hy_code list_unreadable(struct hy_operator_list *list,
                                    const struct hy_tflite_model *model, uint32_t subgraph,
                                    const char *reason, struct hy_error *err)
{
    struct listing listing = {.list = list, .subgraph = &model->subgraphs[subgraph]};
    const char *obstacle = copy_text(&listing, reason);
    bool is_made = obstacle != NULL;

    for (uint32_t i = 0; is_made && i < listing.subgraph->operator_count; i++) {
        struct halyard_network_operator *out = &list->operators[list->count++];
        *out = (struct halyard_network_operator){
            .struct_size = sizeof *out,
            .name = name_of(&listing, &listing.subgraph->operators[i]),
            .subgraph = subgraph,
            .index = i,
            .lowering = "",
            .obstacle = obstacle,
            .types = ""};
        is_made = out->name != NULL;
    }
    return is_made ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "list of operators");
}

/* A sub-graph in the shapes of the file. */
static enum hy_code list_subgraph(struct hy_operator_list *list,
                                  const struct hy_tflite_model *model, uint32_t subgraph,
                                  uint64_t memory_limit, struct hy_error *err)
{
    struct hy_budget budget = {.memory_limit = memory_limit};
    struct hy_error reason = {0};
    struct hy_graph graph;

    hy_graph_init(&graph);
    hy_graph_use_budget(&graph, &budget);
    enum hy_code code = hy_tflite_graph(model, subgraph, &graph, &reason);
    if (code == HY_OK)
        code = hy_graph_run_passes(&graph, &reason);
    if (code == HY_OK)
        code = list_graph(list, model, subgraph, &graph, err);
    else
        code = list_unreadable(list, model, subgraph, reason.text, err);
    hy_graph_finish(&graph);
    return code;
}

static enum hy_code list_reached(struct hy_operator_list *list, const struct hy_tflite_model *model,
                                 uint64_t memory_limit, const uint32_t *order, uint32_t count,
                                 struct hy_error *err)
{
    size_t operators = 0;

    for (uint32_t i = 0; i < count; i++)
        operators += model->subgraphs[order[i]].operator_count;
    list->operators = hy_arena_alloc(&list->arena, (operators + 1) * sizeof *list->operators);
    list->first = hy_arena_alloc(&list->arena, model->subgraph_count * sizeof *list->first);
    if (!list->operators || !list->first)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %zu operators", operators);
    for (uint32_t i = 0; i < model->subgraph_count; i++)
        list->first[i] = UINT32_MAX;
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        list->first[order[i]] = list->count;
        code = list_subgraph(list, model, order[i], memory_limit, err);
    }
    return code;
}

enum hy_code hy_operator_list_create(const struct hy_tflite_model *model, uint32_t subgraph,
                                     uint64_t memory_limit, struct hy_operator_list **out,
                                     struct hy_error *err)
{
    const uint32_t most = model->subgraph_count;
    struct hy_operator_list *list = calloc(1, sizeof *list);
    uint32_t *order = calloc(most, sizeof *order);
    bool *is_found = calloc(most, sizeof *is_found);

    enum hy_code code =
        list && order && is_found ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "list of operators");
    if (code == HY_OK)
        code = list_reached(list, model, memory_limit, order,
                            find_reached(model, subgraph, order, is_found), err);
    free(order);
    free(is_found);
    if (code != HY_OK) {
        hy_operator_list_destroy(list);
        return code;
    }
    *out = list;
    return HY_OK;
}

void hy_operator_list_destroy(struct hy_operator_list *list)
{
    if (!list)
        return;
    hy_arena_finish(&list->arena);
    free(list);
}
