/*
 * A cached request is identified by the addresses and shapes of its arguments. The addresses come
 * from the map of pools, which drops the address of a released pool. A cached request is therefore
 * never run on memory that is gone, and needs no check at the release of a pool.
 */
#include "cpu_fallback/cpu_burst.h"

#include <string.h>

#include "cpu_fallback/run/pool.h"
#include "cpu_fallback/run/resolved_request.h"
#include "driver_kit/pool_map.h"

/* The properties of an argument besides its address. */
struct argument {
    uint32_t flags;
    uint32_t rank;
    uint64_t length;
    uint32_t dims[HY_MAX_RANK];
};

struct cached_request {
    struct hy_cpu_resolved_request resolved; /* plan NULL: unused */
    struct argument *arguments;              /* inputs, then outputs */
};

struct hy_cpu_burst {
    struct hy_cpu_prepared *prepared;
    struct hy_pool_map pools;
    struct cached_request cached[HY_CPU_BURST_REQUESTS];
    uint32_t oldest;  /* index in `kept`, replaced next */
    void **addresses; /* of the current request's inputs, then outputs */
    uint64_t repeats;
    bool keeps_awake; /* counted in the program's bursts */
};

/* ---- Life ------------------------------------------------------------------------------------ */

static bool allocate(struct hy_cpu_burst *burst)
{
    const struct hy_cpu_graph *graph = &burst->prepared->program.graph;
    const size_t arguments = (size_t)graph->input_count + graph->output_count;
    bool is_whole = true;

    burst->addresses = hy_cpu_calloc(graph->host, arguments, sizeof *burst->addresses);
    for (uint32_t i = 0; is_whole && i < HY_CPU_BURST_REQUESTS; i++) {
        struct cached_request *cached = &burst->cached[i];
        is_whole = hy_cpu_resolved_request_init(&cached->resolved, burst->prepared);
        cached->arguments = hy_cpu_calloc(graph->host, arguments, sizeof *cached->arguments);
        is_whole = is_whole && cached->arguments;
    }
    return is_whole && burst->addresses;
}

enum hy_code hy_cpu_burst_create(struct hy_cpu_prepared *prepared, struct hy_cpu_burst **out,
                                 struct hy_error *err)
{
    const struct hy_host *host = prepared->program.host;
    struct hy_cpu_burst *burst = hy_cpu_calloc(host, 1, sizeof *burst);

    if (!burst)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a burst");
    burst->prepared = prepared;
    hy_pool_map_init(&burst->pools, host);
    if (!allocate(burst)) {
        hy_cpu_burst_destroy(burst);
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the requests of a burst");
    }
    burst->keeps_awake = HY_HAS(host, keep_awake);
    if (burst->keeps_awake)
        atomic_fetch_add_explicit(&prepared->program.bursts, 1, memory_order_relaxed);
    *out = burst;
    return HY_OK;
}

void hy_cpu_burst_destroy(struct hy_cpu_burst *burst)
{
    if (!burst)
        return;
    if (burst->keeps_awake)
        atomic_fetch_sub_explicit(&burst->prepared->program.bursts, 1, memory_order_relaxed);
    for (uint32_t i = 0; i < HY_CPU_BURST_REQUESTS; i++) {
        hy_cpu_resolved_request_finish(&burst->cached[i].resolved);
        hy_cpu_free(burst->cached[i].arguments);
    }
    hy_cpu_free(burst->addresses);
    hy_cpu_free(burst);
}

void hy_cpu_burst_release(struct hy_cpu_burst *burst, uint64_t pool_id)
{
    hy_pool_map_release(&burst->pools, pool_id);
}

uint64_t hy_cpu_burst_repeats(const struct hy_cpu_burst *burst)
{
    return burst->repeats;
}

/* ---- Requests that are known ----------------------------------------------------------------- */

/* Finds the address of an argument. False: the argument is an image, a buffer, or invalid, and
 * needs the full check. */
static bool locate(struct hy_cpu_burst *burst, const struct hy_request *request,
                   const struct hy_argument *argument, uint32_t protection, void **address)
{
    const struct hy_location *at = &argument->location;
    struct hy_error none;

    *address = NULL;
    if (argument->flags == HY_ARGUMENT_NO_VALUE)
        return argument->rank == 0;
    if (argument->flags != 0 || at->length == 0 || argument->rank > HY_MAX_RANK ||
        (argument->rank > 0 && !argument->dims) ||
        hy_cpu_location_check(at, request->pools, request->pool_count, &none) != HY_OK ||
        hy_cpu_pool_map(burst->prepared->program.host, &burst->pools, &request->pools[at->pool],
                        at->pool, protection, address, &none) != HY_OK)
        return false;
    *address = (uint8_t *)*address + at->offset;
    return true;
}

static bool locate_all(struct hy_cpu_burst *burst, const struct hy_request *request)
{
    const struct hy_cpu_graph *graph = &burst->prepared->program.graph;
    void **address = burst->addresses;
    bool is_located = HY_REACHES(request, pools) && request->input_count == graph->input_count &&
                      request->output_count == graph->output_count &&
                      (request->input_count == 0 || request->inputs) && request->outputs &&
                      (request->pool_count == 0 || request->pools);

    for (uint32_t i = 0; is_located && i < graph->input_count; i++)
        is_located = locate(burst, request, &request->inputs[i], HY_PROTECT_READ, address++);
    for (uint32_t i = 0; is_located && i < graph->output_count; i++)
        is_located = locate(burst, request, &request->outputs[i],
                            HY_PROTECT_READ | HY_PROTECT_WRITE, address++);
    return is_located;
}

static bool are_same(const struct argument *known, const struct hy_argument *arguments,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, known++) {
        const struct hy_argument *argument = &arguments[i];
        if (argument->flags != known->flags || argument->rank != known->rank ||
            argument->location.length != known->length)
            return false;
        for (uint32_t d = 0; d < known->rank; d++) {
            if (argument->dims[d] != known->dims[d])
                return false;
        }
    }
    return true;
}

/* The cached request equal to the located one, or NULL. */
static const struct cached_request *find(const struct hy_cpu_burst *burst,
                                         const struct hy_request *request)
{
    const uint32_t inputs = request->input_count, outputs = request->output_count;

    for (uint32_t i = 0; i < HY_CPU_BURST_REQUESTS; i++) {
        const struct cached_request *cached = &burst->cached[i];
        if (cached->resolved.plan &&
            memcmp(cached->resolved.arguments, burst->addresses,
                   ((size_t)inputs + outputs) * sizeof *burst->addresses) == 0 &&
            are_same(cached->arguments, request->inputs, inputs) &&
            are_same(cached->arguments + inputs, request->outputs, outputs))
            return cached;
    }
    return NULL;
}

static void note(struct argument *known, const struct hy_argument *arguments, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        known[i].flags = arguments[i].flags;
        known[i].rank = arguments[i].rank;
        known[i].length = arguments[i].location.length;
        if (arguments[i].rank > 0)
            memcpy(known[i].dims, arguments[i].dims, arguments[i].rank * sizeof *known[i].dims);
    }
}

/* Caches the request in place of the oldest, if it can be finalized. */
static void cache_request(struct hy_cpu_burst *burst, const struct hy_request *request,
                          const struct hy_cpu_context *context)
{
    struct cached_request *cached = &burst->cached[burst->oldest];

    hy_cpu_resolved_request_capture(&cached->resolved, context, request);
    if (!cached->resolved.plan)
        return;
    note(cached->arguments, request->inputs, request->input_count);
    note(cached->arguments + request->input_count, request->outputs, request->output_count);
    burst->oldest = (burst->oldest + 1) % HY_CPU_BURST_REQUESTS;
}

/* ---- Executions ------------------------------------------------------------------------------ */

static enum hy_code execute_anew(struct hy_cpu_burst *burst, const struct hy_request *request,
                                 bool is_located, struct hy_cpu_block given,
                                 const struct hy_cpu_limits *limits, struct hy_output_shape *shapes,
                                 struct hy_error *err)
{
    struct hy_cpu_prepared *prepared = burst->prepared;
    struct hy_cpu_context *context =
        hy_cpu_context_acquire(&prepared->contexts, &prepared->program.graph);

    if (!context)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for an execution");
    context->given = given;
    context->pools = &burst->pools;
    const enum hy_code code =
        hy_cpu_prepared_execute_in(prepared, request, context, limits, shapes, err);
    if (code == HY_OK && is_located)
        cache_request(burst, request, context);
    hy_cpu_context_release(context);
    return code;
}

enum hy_code hy_cpu_burst_execute(struct hy_cpu_burst *burst, const struct hy_request *request,
                                  struct hy_cpu_block given, const struct hy_cpu_limits *limits,
                                  struct hy_output_shape *shapes, struct hy_error *err)
{
    const bool is_located = locate_all(burst, request);
    const struct cached_request *cached = is_located ? find(burst, request) : NULL;

    if (!cached)
        return execute_anew(burst, request, is_located, given, limits, shapes, err);
    burst->repeats++;
    return hy_cpu_resolved_request_run(&cached->resolved, &given, NULL, limits, shapes, err);
}
