#include "tests/fuzz/fuzz.h"

#include "cpu_fallback/cache/format.h"
#include "cpu_fallback/cpu_driver.h"
#include "cpu_fallback/cpu_prepared.h"
#include "tests/unit/cpu_fallback/kit/cache_host.h"
#include "tests/unit/cpu_fallback/kit/flow_model.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is run is no larger than this: the property is about memory, not about time. */
#define MOST_BYTES ((uint64_t)1 << 16)

static void demand(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_cpu_cache: %s\n", what);
    abort();
}

/* ---- Running what was restored --------------------------------------------------------------- */

struct memory {
    uint8_t *pieces[2 * HY_RUNNER_ARGUMENTS];
    uint32_t count;
};

static uint8_t *alloc(struct memory *memory, uint64_t bytes)
{
    uint8_t *piece = calloc(1, bytes + 1);

    demand(piece != NULL, "out of memory");
    memory->pieces[memory->count++] = piece;
    return piece;
}

static int is_small(const struct hy_cpu_prepared *prepared)
{
    const struct hy_cpu_graph *graph = &prepared->program.graph;
    const struct hy_cpu_plan *plan = prepared->declared;

    if (!plan || plan->dynamic_count > 0 || plan->arena.total > MOST_BYTES ||
        plan->scratch_size > MOST_BYTES || graph->input_count > HY_RUNNER_ARGUMENTS ||
        graph->output_count > HY_RUNNER_ARGUMENTS)
        return 0;
    for (uint32_t i = 0; i < graph->operand_count; i++) {
        if (hy_cpu_value_bytes(&plan->values[i]) > MOST_BYTES)
            return 0;
    }
    return 1;
}

/* Any status will do: the model may ask for what no request can give. */
static void run(struct hy_runner *runner)
{
    const struct hy_cpu_prepared *prepared = runner->prepared;
    const struct hy_cpu_graph *graph = &prepared->program.graph;
    struct memory memory = {.count = 0};

    if (!is_small(prepared))
        return;
    hy_runner_clear(runner);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        uint64_t bytes = hy_cpu_value_bytes(&graph->values[graph->inputs[i]]);
        hy_runner_input(runner, alloc(&memory, bytes), bytes, 0, NULL);
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        uint64_t bytes = hy_cpu_value_bytes(&prepared->declared->values[graph->outputs[i]]);
        hy_runner_output(runner, alloc(&memory, bytes), bytes, 0, NULL);
    }
    (void)hy_runner_execute(runner);
    while (memory.count > 0)
        free(memory.pieces[--memory.count]);
}

/* ---- The property ---------------------------------------------------------------------------- */

/* As many bytes of data as the file asks for, if those are few. */
static uint64_t data_length(const uint8_t *bytes, size_t size)
{
    struct hy_cpu_cache_header header;

    if (size < sizeof header)
        return 0;
    memcpy(&header, bytes, sizeof header);
    return header.data_length <= MOST_BYTES ? header.data_length : 0;
}

/* A model cache is refused with words, or says a model that can be run. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hy_cache_host host;
    struct hy_runner runner;

    hy_cache_host_init(&host);
    host.memory = HY_CACHE_HEAP;
    host.model = malloc(size + 1);
    host.data_length = data_length(data, size);
    host.data = malloc(host.data_length + 1);
    demand(host.model && host.data, "out of memory");
    host.model_length = size;
    if (size > 0)
        memcpy(host.model, data, size);
    memset(host.data, 0x3c, host.data_length);
    demand(hy_runner_open_on(&runner, &host.host, hy_cpu_driver(), 0) == HY_STATUS_OK, "no device");
    if (hy_cache_host_restore(&runner) == HY_STATUS_OK)
        run(&runner);
    else
        demand(runner.message[0] != '\0', "refused without words");
    hy_runner_close(&runner);
    demand(host.released == host.restored, "files are not given back");
    hy_cache_host_finish(&host);
    return 0;
}

/* ---- Seeds ----------------------------------------------------------------------------------- */

static uint8_t *cache_of(const struct hy_model *model, size_t *length)
{
    struct hy_cache_host host;
    struct hy_runner runner;
    uint8_t *seed;

    hy_cache_host_init(&host);
    demand(hy_runner_open_on(&runner, &host.host, hy_cpu_driver(), 0) == HY_STATUS_OK, "no device");
    demand(hy_cache_host_prepare(&runner, model) == HY_STATUS_OK && host.saved == 1, "no seed");
    seed = malloc(host.model_length);
    demand(seed != NULL, "out of memory");
    memcpy(seed, host.model, host.model_length);
    *length = host.model_length;
    hy_runner_close(&runner);
    hy_cache_host_finish(&host);
    return seed;
}

static uint8_t *network_seed(uint32_t batch, size_t *length)
{
    struct hy_builder builder;

    hy_builder_init(&builder);
    hy_sample_network(&builder, batch);
    uint8_t *seed = cache_of(hy_builder_model(&builder), length);
    hy_builder_finish(&builder);
    return seed;
}

static uint8_t *flow_seed(size_t *length)
{
    struct hy_flow flow;

    hy_flow_init(&flow);
    const uint32_t then_body = hy_flow_add_body(&flow, 1, 1);
    const uint32_t inner = hy_flow_add_body(&flow, 1, 20);
    hy_flow_if_main(&flow, 1, then_body, hy_flow_if_body(&flow, 1, 0, then_body, inner));
    uint8_t *seed = cache_of(hy_flow_model(&flow), length);
    hy_flow_finish(&flow);
    return seed;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    switch (index) {
    case 0:
        return network_seed(1, length);
    case 1:
        return network_seed(0, length);
    case 2:
        return flow_seed(length);
    default:
        return NULL;
    }
}
