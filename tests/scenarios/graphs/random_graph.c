#include "tests/scenarios/graphs/random_graph.h"

#include "tests/scenarios/graphs/generator.h"

uint32_t random_graph_size(uint64_t seed)
{
    struct hy_random chance = {seed};
    return 1 + hy_random_below(&chance, RANDOM_GRAPH_MAX);
}

static void choose_outputs(struct graph *graph, uint64_t seed)
{
    for (uint32_t i = 0; i < graph->operand_count; i++) {
        struct graph_operand *operand = &graph->operands[i];
        if (operand->role == GRAPH_RESULT)
            operand->is_output = !operand->is_read || hy_random_mix(seed, i) % 8 == 0;
    }
}

struct graph *random_graph_make(uint64_t seed, uint32_t count, struct hy_arena *arena)
{
    struct graph *graph = graph_make(arena);
    if (!graph)
        return NULL;
    struct generator generator = {
        .graph = graph,
        .chance = {hy_random_mix(seed, 1)},
        .is_dynamic = seed % 2 == 1,
        .is_flat = seed % 4 < 2,
    };
    generator_inputs(&generator);
    generator_operations(&generator, count);
    choose_outputs(graph, seed);
    return graph->failed ? NULL : graph;
}
