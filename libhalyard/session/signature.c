/* The results of an imported signature: names, inputs, outputs, memory. */
#include "libhalyard/graph/io_copy.h"
#include "libhalyard/session/session.h"

#include <stdlib.h>
#include <string.h>

/* ---- Inputs and outputs ---------------------------------------------------------------------- */

/* One side of a signature, in the file and in the graph. */
struct side {
    const struct hy_tflite_subgraph *subgraph;
    const struct hy_tflite_named_tensor *names;
    uint32_t name_count;
    const struct hy_tflite_ints *order; /* that metadata have; NULL: there are none */
    const uint32_t *tensors;            /* of the graph */
    const uint32_t *io_tensors;         /* the same of the signature's copy */
    uint32_t count;
};

/* Per tensor of the sub-graph: the name in the signature, or NULL, and the place in the order. */
struct position {
    const char *name;
    bool is_copied;    /* the name: a tensor may be listed any number of times */
    uint32_t position; /* UINT32_MAX: none */
};

static struct position *find_positions(const struct side *side)
{
    const uint32_t count = side->subgraph->tensor_count;
    struct position *positions = malloc(((size_t)count + 1) * sizeof *positions);

    for (uint32_t i = 0; positions && i < count; i++)
        positions[i] = (struct position){.position = UINT32_MAX};
    for (uint32_t i = side->name_count; positions && i-- > 0;) /* the first counts */
        positions[side->names[i].tensor].name = side->names[i].name;
    for (uint32_t i = side->order ? side->order->count : 0; positions && i-- > 0;)
        positions[side->order->values[i]].position = i;
    return positions;
}

/* Metadata describe the inputs and outputs of the first sub-graph in its order. A signature may
 * have another order, which shows in its tensors, or another sub-graph. */
static uint32_t find_position(const struct side *side, const struct position *position,
                              uint32_t index)
{
    const struct hy_tflite_ints *order = side->order;

    if (!order)
        return UINT32_MAX;
    if (index < order->count && (uint32_t)order->values[index] == side->tensors[index])
        return index; /* also of a tensor that is listed twice */
    if (position && position->position != UINT32_MAX)
        return position->position;
    return index; /* a tensor that folding has put in the place of the file's */
}

/* The extents that the file leaves open, where the shape has not become another one. */
static bool copy_signature(struct hy_graph *io, const struct hy_tflite_tensor *from,
                           struct hy_graph_tensor *copy)
{
    if (copy->signature || !from->signature || from->rank != copy->rank)
        return true;
    copy->signature =
        hy_arena_copy(&io->arena, from->signature, from->rank, sizeof *from->signature);
    return copy->signature != NULL;
}

static bool copy_name(struct hy_graph *io, struct position *position)
{
    if (!position->name || position->is_copied)
        return true;
    position->name = hy_arena_copy(&io->arena, position->name, strlen(position->name) + 1, 1);
    position->is_copied = true;
    return position->name != NULL;
}

static bool describe_tensor(struct hy_graph *io, const struct side *side,
                            struct position *positions, uint32_t index,
                            struct hy_signature_tensor *out)
{
    const uint32_t tensor = side->tensors[index];
    const bool is_of_file = tensor < side->subgraph->tensor_count;
    struct position *position = is_of_file ? &positions[tensor] : NULL;
    struct hy_graph_tensor *copy = &io->tensors[side->io_tensors[index]];

    if (position &&
        (!copy_signature(io, &side->subgraph->tensors[tensor], copy) || !copy_name(io, position)))
        return false;
    out->position = find_position(side, position, index);
    out->name = position && position->name ? position->name : copy->name;
    return true;
}

static struct hy_signature_tensor *describe_side(struct hy_graph *io, const struct side *side)
{
    struct hy_signature_tensor *tensors =
        hy_arena_alloc(&io->arena, ((size_t)side->count + 1) * sizeof *tensors);
    struct position *positions = find_positions(side);
    bool is_made = tensors && positions;

    for (uint32_t i = 0; is_made && i < side->count; i++)
        is_made = describe_tensor(io, side, positions, i, &tensors[i]);
    free(positions);
    return is_made ? tensors : NULL;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Constants that the file has, whether operators still read them or not. */
static uint64_t mapped_bytes(const struct hy_tflite_subgraph *subgraph)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < subgraph->tensor_count; i++)
        bytes += subgraph->tensors[i].data_bytes;
    return bytes;
}

static enum hy_code describe_memory(struct hy_signature *signature, struct hy_error *err)
{
    const struct hy_network *network = signature->network;
    struct hy_graph_peak peak;

    const enum hy_code code = hy_graph_find_peak(&network->graph, &peak, err);
    if (code != HY_OK)
        return code;
    signature->memory = (struct halyard_network_memory){
        .mapped = mapped_bytes(&network->source->subgraphs[signature->subgraph]),
        .made = hy_graph_made_bytes(&network->graph),
        .io = peak.io_bytes,
        .peak = peak.bytes,
    };
    return HY_OK;
}

/* ---- Signatures ------------------------------------------------------------------------------ */

enum hy_code hy_signature_describe(struct hy_signature *signature, uint32_t index,
                                   struct hy_error *err)
{
    const struct hy_graph *graph = &signature->network->graph;
    const struct hy_tflite_model *source = signature->network->source;
    const struct hy_tflite_signature *named = &source->signatures[index];
    const struct hy_tflite_subgraph *subgraph = &source->subgraphs[named->subgraph];
    const bool has_metadata = named->subgraph == 0;
    struct hy_graph *io = &signature->io;

    signature->subgraph = named->subgraph;
    enum hy_code code = describe_memory(signature, err);
    if (code == HY_OK)
        code = hy_graph_copy_io(graph, io, err);
    if (code != HY_OK)
        return code;
    const struct side inputs = {subgraph,
                                named->inputs,
                                named->input_count,
                                has_metadata ? &subgraph->inputs : NULL,
                                graph->inputs,
                                io->inputs,
                                hy_graph_own_input_count(graph)};
    const struct side outputs = {subgraph,
                                 named->outputs,
                                 named->output_count,
                                 has_metadata ? &subgraph->outputs : NULL,
                                 graph->outputs,
                                 io->outputs,
                                 hy_graph_own_output_count(graph)};
    signature->inputs = describe_side(io, &inputs);
    signature->outputs = describe_side(io, &outputs);
    if (signature->inputs && signature->outputs)
        return HY_OK;
    return hy_fail(err, HY_OUT_OF_MEMORY, "%u inputs and %u outputs", inputs.count, outputs.count);
}

void hy_signature_finish(struct hy_signature *signature)
{
    hy_operator_list_destroy(signature->operators);
    hy_network_close(signature->network);
    hy_graph_finish(&signature->io);
    signature->operators = NULL;
    signature->network = NULL;
}

const int32_t *hy_network_file_extents(const struct hy_graph_tensor *tensor)
{
    return tensor->signature ? tensor->signature : tensor->extents;
}
