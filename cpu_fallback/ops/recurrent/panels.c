#include "cpu_fallback/ops/recurrent/panels.h"

#include <string.h>

#include "common/checked.h"
#include "cpu_fallback/ops/recurrent/step_barrier.h"

/* Offsets in the packed block: per direction the weights of the input, then those of the state. */
struct layout {
    size_t in[HY_DIRECTIONS], hidden[HY_DIRECTIONS], bytes;
};

/* The sources of the packed block. */
struct source {
    const struct hy_host *host;
    const struct hy_call *call;
    const struct hy_sequence *shape;
    const struct hy_cpu_gates *gates;
    const struct hy_cpu_panels *panels;
    const struct layout *layout;
};

/* True if nothing is empty and each extent suits convolutions. */
static bool fits(const struct hy_sequence *shape, const struct hy_direction *way,
                 const struct hy_cpu_gates *gates)
{
    const uint64_t rows = (uint64_t)shape->steps * shape->batch;
    const uint64_t columns = (uint64_t)gates->count * gates->units;

    return rows > 0 && rows <= INT32_MAX && columns > 0 && columns <= INT32_MAX &&
           way->in_size > 0 && way->in_size <= INT32_MAX && way->sizes[0] > 0 &&
           way->sizes[0] <= INT32_MAX && way->aux_size == 0;
}

static bool suits_panels(const struct hy_cpu_resolve_ctx *ctx,
                         const struct hy_cpu_sequence *sequence, const struct hy_cpu_gates *gates)
{
    const struct hy_sequence *shape = &sequence->shape;
    bool all = ctx->weights && sequence->floats.element == HY_ELEMENT_F32 &&
               ctx->kernels->conv[HY_ELEMENT_F32].pack;

    for (uint32_t d = 0; d < shape->count; d++)
        all = all && fits(shape, &shape->directions[d], &gates[d]);
    return all;
}

/* True if all inputs to pack have values. A cache may have them only packed. */
static bool has_values(const struct hy_call *call, const struct hy_sequence *shape,
                       const struct hy_cpu_gates *gates)
{
    bool all = true;

    for (uint32_t d = 0; d < shape->count; d++)
        for (uint32_t g = 0; g < gates[d].count; g++)
            all = all && hy_call_input(call, gates[d].weights + g)->data &&
                  hy_call_input(call, gates[d].recurrent + g)->data &&
                  hy_call_input(call, gates[d].bias + g)->data;
    return all;
}

/* Estimated microseconds of the product on one thread. */
static double estimate_us(const struct hy_conv_kernel *kernel, const struct hy_conv_params *product)
{
    return (double)product->in_w * product->in_c * product->out_c / kernel->products_per_us;
}

static uint32_t plan_tasks(const struct hy_conv_kernel *kernel, const struct hy_conv_params *in,
                           uint32_t threads)
{
    const double worth = estimate_us(kernel, in) / HY_CPU_TASK_US;
    const size_t units = kernel->units(in);
    uint32_t tasks = worth < threads ? (uint32_t)worth : threads;

    if (units < tasks)
        tasks = (uint32_t)units;
    return tasks > 1 ? tasks : 1;
}

/* Approximate bytes per microsecond that a core reads from its L2 cache. */
#define BYTES_PER_US 150000.0

/* The least work of a part of a step, in microseconds. Waiting at the end of a step costs some
 * tenths of a microsecond. */
#define STEP_PART_US 0.8

/* Estimated microseconds on one thread of a step's product, whose weights exceed the L1 cache. */
static double estimate_step_us(const struct hy_conv_kernel *kernel,
                               const struct hy_conv_params *hidden)
{
    const double products = estimate_us(kernel, hidden);
    const double reading_us = (double)kernel->packed_bytes(hidden) / BYTES_PER_US;

    return products > reading_us ? products : reading_us;
}

/* The number of parts of a step. A part is whole panels, with the same units of every gate. */
static uint32_t plan_parts(const struct hy_conv_kernel *kernel, const struct hy_cpu_gates *gates,
                           uint32_t steps, double step_us, uint32_t threads)
{
    uint32_t parts = threads < HY_CPU_STEP_BARRIER_PARTS ? threads : HY_CPU_STEP_BARRIER_PARTS;

    if (!gates->has_parts || kernel->panel == 0 || gates->units % kernel->panel != 0 ||
        steps * step_us < 2 * HY_CPU_TASK_US)
        return 1;
    if (step_us / STEP_PART_US < parts)
        parts = (uint32_t)(step_us / STEP_PART_US);
    while (parts > 1 && gates->units / kernel->panel % parts != 0)
        parts--;
    return parts > 1 ? parts : 1;
}

/* Weights of this size exceed the L1 cache, which leaves time for other products while they are
 * read. */
#define READ_BYTES 65536

/* True if a thread interleaves the input-to-gate products of later steps with the products of a
 * step. */
static bool plan_interleaved(const struct hy_conv_kernel *kernel, const struct hy_sequence *shape,
                             const struct hy_conv_params *hidden)
{
    return kernel->run_interleaved && shape->batch == 1 &&
           shape->steps >= 2 * kernel->interleaved_rows && hidden->out_c % kernel->panel == 0 &&
           kernel->packed_bytes(hidden) > READ_BYTES;
}

/* The LSTM kernel, for a batch of 1 with units in whole panels; else NULL. */
static const struct hy_lstm_kernel *plan_lstm(const struct hy_conv_kernel *kernel,
                                              const struct hy_sequence *shape,
                                              const struct hy_cpu_gates *gates)
{
    const bool suits = gates->is_lstm && shape->batch == 1 && kernel->panel > 0 &&
                       gates->units % kernel->panel == 0;
    return suits ? kernel->lstm : NULL;
}

static bool plan_way(const struct hy_cpu_resolve_ctx *ctx, const struct hy_sequence *shape,
                     uint32_t d, const struct hy_cpu_gates *gates, struct hy_cpu_panels *panels,
                     size_t *scratch)
{
    const struct hy_direction *way = &shape->directions[d];
    const uint32_t columns = gates->count * gates->units, rows = shape->steps * shape->batch;
    const struct hy_activation none = hy_activation_bounds(0, HY_ELEMENT_F32, 0, 0);
    struct hy_cpu_panels_way *planned = &panels->ways[d];

    *planned = (struct hy_cpu_panels_way){
        .in.activation = none,
        .hidden.activation = none,
        .in_step = (size_t)columns * (shape->time_major ? 1 : shape->steps),
    };
    hy_conv_params_set_fully_connected(&planned->in, rows, way->in_size, columns);
    hy_conv_params_set_fully_connected(&planned->hidden, shape->batch, way->sizes[0], columns);
    planned->tasks = plan_tasks(panels->kernel, &planned->in, ctx->threads);
    planned->gates = gates->count;
    const double step_us = estimate_step_us(panels->kernel, &planned->hidden);
    planned->parts = plan_parts(panels->kernel, gates, shape->steps, step_us, ctx->threads);
    if (planned->parts > 1)
        planned->hidden.block = gates->units / planned->parts;
    planned->is_interleaved = plan_interleaved(panels->kernel, shape, &planned->hidden);
    planned->lstm = plan_lstm(panels->kernel, shape, gates);
    panels->us += estimate_us(panels->kernel, &planned->in) + shape->steps * step_us;
    return hy_cpu_scratch_alloc_rows(scratch, rows, columns, sizeof(float), &planned->brought);
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* The units that `way->lstm` packs. */
static struct hy_lstm_units lstm_units_of(const struct hy_cpu_panels_way *way)
{
    return (struct hy_lstm_units){.units = way->hidden.out_c / way->gates,
                                  .depth = way->hidden.in_c,
                                  .is_coupled = way->gates < HY_LSTM_GATES};
}

static size_t hidden_bytes(const struct hy_cpu_panels *panels, const struct hy_cpu_panels_way *way)
{
    const struct hy_lstm_units units = lstm_units_of(way);
    return way->lstm ? way->lstm->packed_bytes(&units) : panels->kernel->packed_bytes(&way->hidden);
}

static bool lay_out(const struct hy_cpu_panels *panels, uint32_t count, struct layout *layout)
{
    bool all = true;

    *layout = (struct layout){0};
    for (uint32_t d = 0; d < count; d++) {
        const struct hy_cpu_panels_way *way = &panels->ways[d];
        all = all &&
              hy_cpu_scratch_alloc(&layout->bytes, panels->kernel->packed_bytes(&way->in),
                                   &layout->in[d]) &&
              hy_cpu_scratch_alloc(&layout->bytes, hidden_bytes(panels, way), &layout->hidden[d]);
    }
    return all;
}

/* A product of a direction: inputs `weights` and following, one per gate. */
struct product_source {
    const struct hy_host *host;
    const struct hy_call *call;
    const struct hy_conv_kernel *kernel;
    const struct hy_conv_params *product;
    uint32_t gates, weights;
    int64_t bias; /* the first bias input, or -1: zeros */
};

static const void *value_of(const struct product_source *source, uint32_t first, uint32_t gate)
{
    return hy_call_input(source->call, first + gate)->data;
}

/* Packs gate by gate, for units in whole panels. */
static void pack_gates(const struct product_source *source, struct hy_conv_params *gate,
                       const float *zeros, uint8_t *bytes)
{
    for (uint32_t g = 0; g < source->gates; g++, bytes += source->kernel->packed_bytes(gate))
        source->kernel->pack(gate, value_of(source, source->weights, g),
                             source->bias < 0 ? zeros : value_of(source, (uint32_t)source->bias, g),
                             bytes);
}

/* Packs all gates together, since a panel has columns of two gates. `filter` and `bias` have
 * capacity for all gates. */
static void pack_joined(const struct product_source *source, uint32_t units, float *filter,
                        float *bias, uint8_t *bytes)
{
    const size_t count = (size_t)units * source->product->in_c;

    for (uint32_t g = 0; g < source->gates; g++) {
        memcpy(filter + g * count, value_of(source, source->weights, g), count * sizeof *filter);
        if (source->bias >= 0)
            memcpy(bias + (size_t)g * units, value_of(source, (uint32_t)source->bias, g),
                   units * sizeof *bias);
    }
    source->kernel->pack(source->product, filter, bias, bytes);
}

/* Clears the gap up to the next multiple of the alignment, because it may be written to a cache
 * file. */
static void clear_gap(uint8_t *bytes, size_t length)
{
    memset(bytes + length, 0, -length % HY_KERNEL_ALIGNMENT);
}

static bool pack_product(const struct product_source *source, uint8_t *bytes)
{
    const struct hy_conv_params *product = source->product;
    const uint32_t units = product->out_c / source->gates, panel = source->kernel->panel;
    const bool whole = panel > 0 && units % panel == 0;
    struct hy_conv_params gate = *product;

    gate.out_c = units;
    float *bias = hy_cpu_calloc(source->host, product->out_c, sizeof *bias);
    float *filter =
        whole ? NULL : hy_cpu_calloc(source->host, product->out_c, product->in_c * sizeof *filter);
    const bool done = bias && (whole || filter);
    if (done && whole)
        pack_gates(source, &gate, bias, bytes);
    else if (done)
        pack_joined(source, units, filter, bias, bytes);
    clear_gap(bytes, source->kernel->packed_bytes(product));
    hy_cpu_free(filter);
    hy_cpu_free(bias);
    return done;
}

static void pack_lstm(const struct hy_call *call, const struct hy_cpu_panels_way *way,
                      uint32_t recurrent, uint8_t *bytes)
{
    const struct hy_lstm_units units = lstm_units_of(way);
    const float *matrices[HY_LSTM_GATES];

    for (uint32_t g = 0; g < way->gates; g++)
        matrices[g] = hy_call_input(call, recurrent + g)->data;
    way->lstm->pack(&units, matrices, bytes);
    clear_gap(bytes, way->lstm->packed_bytes(&units));
}

static int fill(const void *context, void *bytes)
{
    const struct source *source = context;
    bool done = true;

    for (uint32_t d = 0; done && d < source->shape->count; d++) {
        const struct hy_cpu_gates *gates = &source->gates[d];
        const struct hy_cpu_panels_way *way = &source->panels->ways[d];
        const struct hy_conv_kernel *kernel = source->panels->kernel;
        const struct product_source in = {source->host, source->call,   kernel,     &way->in,
                                          gates->count, gates->weights, gates->bias};
        const struct product_source hidden = {source->host, source->call,     kernel, &way->hidden,
                                              gates->count, gates->recurrent, -1};
        uint8_t *hidden_at = (uint8_t *)bytes + source->layout->hidden[d];

        done = pack_product(&in, (uint8_t *)bytes + source->layout->in[d]);
        if (done && way->lstm)
            pack_lstm(source->call, way, gates->recurrent, hidden_at);
        else
            done = done && pack_product(&hidden, hidden_at);
    }
    return done;
}

/* Gets the packed weights; NULL: the slot holds weights for another call. */
static enum hy_code acquire_weights(const struct hy_cpu_resolve_ctx *ctx,
                                    const struct source *source, const uint8_t **bytes,
                                    struct hy_error *err)
{
    const struct hy_cpu_packing packing = {
        .kernel = source->panels->kernel->name,
        .layout = source->panels->ways[0].in.in_c,
        .length = source->layout->bytes,
        .fill = fill,
        .context = source,
    };
    const void *packed = NULL;
    enum hy_code code = HY_OK;

    if (hy_cpu_weights_peek(ctx->weights) || has_values(ctx->call, source->shape, source->gates))
        code = hy_cpu_weights_acquire(ctx->weights, &packing, &packed, err);
    *bytes = packed;
    return code;
}

/* ---------------------------------------------------------------------------------------------- */

static enum hy_code plan(const struct hy_cpu_resolve_ctx *ctx, const struct hy_sequence *shape,
                         const struct hy_cpu_gates *gates, struct hy_cpu_panels *panels,
                         size_t *scratch, struct hy_error *err)
{
    struct layout layout;
    const struct source source = {ctx->host, ctx->call, shape, gates, panels, &layout};
    const uint8_t *bytes;
    bool all = true;

    for (uint32_t d = 0; d < shape->count; d++)
        all = all && plan_way(ctx, shape, d, &gates[d], panels, scratch);
    if (!all || !lay_out(panels, shape->count, &layout))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the products are too large");
    enum hy_code code = acquire_weights(ctx, &source, &bytes, err);
    for (uint32_t d = 0; code == HY_OK && bytes && d < shape->count; d++) {
        panels->ways[d].in_weights = bytes + layout.in[d];
        panels->ways[d].hidden_weights = bytes + layout.hidden[d];
    }
    if (code == HY_OK && !bytes)
        panels->kernel = NULL;
    return code;
}

enum hy_code hy_cpu_panels_plan(const struct hy_cpu_resolve_ctx *ctx,
                                const struct hy_cpu_sequence *sequence,
                                const struct hy_cpu_gates *gates, bool suits,
                                struct hy_cpu_panels *panels, size_t *scratch, struct hy_error *err)
{
    const struct hy_sequence *shape = &sequence->shape;
    enum hy_code code = HY_OK;

    *panels = (struct hy_cpu_panels){0};
    if (suits && suits_panels(ctx, sequence, gates)) {
        panels->kernel = &ctx->kernels->conv[HY_ELEMENT_F32];
        code = plan(ctx, shape, gates, panels, scratch, err);
    }
    if (code == HY_OK && !panels->kernel && ctx->weights && !has_values(ctx->call, shape, gates))
        return hy_fail(err, HY_FAILED, "the weights exist only packed for other shapes");
    return code;
}

/* ---- Running --------------------------------------------------------------------------------- */

struct product {
    const struct hy_conv_kernel *kernel;
    const struct hy_cpu_panels_way *way;
    const void *in;
    float *out;
    uint32_t direction;
    bool is_interleaved;
};

static void run_task(void *argument, uint32_t index)
{
    const struct product *product = argument;
    const struct hy_cpu_panels_way *way = product->way;
    const uint64_t units = product->kernel->units(&way->in);

    product->kernel->run(&way->in, product->in, way->in_weights, NULL, product->out, NULL,
                         (size_t)(units * index / way->tasks),
                         (size_t)(units * (index + 1) / way->tasks));
}

/* Computes a block of columns of `in` for all rows. With interleaved steps, only the rows of the
 * first steps, and the remaining rows that are too few for a share. */
static void run_rows(const struct product *product, const struct hy_conv_params *in, size_t block)
{
    const struct hy_conv_kernel *kernel = product->kernel;
    const size_t blocks = in->block == 0 ? 1 : in->out_c / in->block;
    const size_t first = block * (kernel->units(in) / blocks),
                 end = first + kernel->units(in) / blocks;
    size_t rest = first;

    if (product->is_interleaved) {
        const size_t whole = first + in->in_w / kernel->interleaved_rows;
        if (product->direction == 0)
            kernel->run(in, product->in, product->way->in_weights, NULL, product->out, NULL, first,
                        first + 1);
        rest = product->direction == 0 ? whole : whole - 1;
    }
    kernel->run(in, product->in, product->way->in_weights, NULL, product->out, NULL, rest, end);
}

/* Computes the input-to-gate products of a part, on the thread that uses them, so that they are in
 * its cache. */
static void run_part(void *argument, uint32_t part)
{
    const struct product *product = argument;
    const struct hy_cpu_panels_way *way = product->way;
    const uint32_t blocks = way->gates * way->parts;
    struct hy_conv_params in = way->in;

    in.block = in.out_c / blocks;
    for (size_t block = part; block < blocks; block += way->parts)
        run_rows(product, &in, block);
}

/* Sets the shares of the steps in the remaining rows. */
static void set_partitions(const struct product *product, uint32_t parts,
                           struct hy_conv_partition *partitions)
{
    const struct hy_cpu_panels_way *way = product->way;
    const uint32_t units = way->in.out_c / way->gates;

    for (uint32_t part = 0; part < parts; part++) {
        partitions[part] = (struct hy_conv_partition){
            .params = &way->in,
            .in = product->in,
            .weights = way->in_weights,
            .out = product->out,
        };
        if (parts > 1) {
            partitions[part].first = units / parts * part;
            partitions[part].width = units / parts;
            partitions[part].step = units;
        }
    }
}

const float *hy_cpu_panels_bring(const struct hy_cpu_panels *panels, const struct hy_cpu_work *work,
                                 const struct hy_direction *way, uint32_t direction,
                                 struct hy_conv_partition *partitions)
{
    const struct hy_cpu_panels_way *planned = &panels->ways[direction];
    const bool has_parts = planned->parts > 1 && !work->is_alone;
    const bool is_alone = work->is_alone || (planned->tasks == 1 && planned->parts == 1);
    struct product product = {
        .kernel = panels->kernel,
        .way = planned,
        .in = hy_call_input(work->call, way->in)->data,
        .out = hy_cpu_scratch_floats(work, planned->brought),
        .direction = direction,
        .is_interleaved = planned->is_interleaved && (is_alone || (has_parts && planned->lstm)),
    };

    partitions[0] = (struct hy_conv_partition){0};
    if (product.is_interleaved)
        set_partitions(&product, has_parts ? planned->parts : 1, partitions);
    if (has_parts && planned->tasks > 1)
        hy_cpu_parallel_for(work, planned->parts, run_part, &product);
    else if (has_parts)
        for (uint32_t part = 0; part < planned->parts; part++)
            run_part(&product, part);
    else if (product.is_interleaved)
        run_rows(&product, &planned->in, 0);
    else
        hy_cpu_parallel_for(work, planned->tasks, run_task, &product);
    return product.out;
}

struct hy_cell_panels hy_cpu_panels_of(const struct hy_cpu_panels *panels, uint32_t direction,
                                       const struct hy_conv_partition *partitions)
{
    const struct hy_cpu_panels_way *way = &panels->ways[direction];

    return (struct hy_cell_panels){
        .kernel = panels->kernel,
        .product = &way->hidden,
        .weights = way->hidden_weights,
        .gates = way->gates,
        .parts = way->parts,
        .interleaved = partitions[0].params ? partitions : NULL,
    };
}
