#include "cpu_fallback/ops/conv/conv_cut.h"

#include "cpu_fallback/ops/conv/conv_step.h"
#include "cpu_fallback/program/op.h"

/* Approximate bytes of weights per microsecond from memory. */
#define WEIGHT_BYTES_PER_US 30000.0

/* The least work to claim at once, in microseconds. */
#define PIECE_US 20.0

/* With fewer tiles, a convolution has few pixels. */
#define FEW_TILES 4u

/* Tasks divide pixels only if the tiles missing in the smaller parts are at most this fraction of
 * all tiles. */
#define UNEVEN_PART 8u

/* The rule alone decides for shorter work, because there is little to gain. */
#define BLOCKING_US 20.0

/* Other blocks are offered only if weights exceed this fraction of the L2 cache. On some machines
 * the usable cache is smaller than reported. */
#define LEAST_WEIGHTS_PART 8u

/* Estimated microseconds on one thread: the larger of computing products and loading weights. */
static double estimate_us(const struct hy_conv_work *work)
{
    const struct hy_conv_params *p = work->params;
    const bool is_depthwise = hy_conv_is_depthwise(work->operation);
    const bool is_transposed = hy_conv_is_transposed(work->operation);
    const double depth = is_depthwise ? 1 : (double)p->in_c / p->groups;
    const double weights = (double)p->out_c * p->filter_h * p->filter_w * depth;
    const double pixels = is_transposed ? (double)p->in_h * p->in_w : (double)p->out_h * p->out_w;
    const double products = weights * p->batch * pixels;
    const double products_us = products / work->kernel->products_per_us;
    const double weights_us = weights * work->element_size / WEIGHT_BYTES_PER_US;

    return products_us > weights_us ? products_us : weights_us;
}

static size_t units_of(const struct hy_conv_work *work, uint32_t block)
{
    struct hy_conv_params params = *work->params;

    params.block = block;
    return work->kernel->units(&params);
}

static uint64_t weight_bytes(const struct hy_conv_work *work)
{
    return work->kernel->packed_bytes ? work->kernel->packed_bytes(work->params) : 0;
}

/* ---- The rule -------------------------------------------------------------------------------- */

/* The largest block in channels, a multiple of the panel, whose weights take at most `bytes`. At
 * least a panel; 0: all channels. */
static uint32_t block_of(const struct hy_conv_work *work, uint64_t bytes)
{
    const uint32_t panel = work->kernel->panel, channels = work->params->out_c;
    const uint64_t weights = weight_bytes(work);

    if (weights <= bytes || channels <= panel)
        return 0;
    const uint32_t block = (uint32_t)((double)bytes / (double)weights * channels);
    return block > panel ? block / panel * panel : panel;
}

static uint32_t rule_block(const struct hy_conv_work *work, size_t tiles)
{
    if (work->kernel->panel == 0)
        return 0;
    if (tiles < FEW_TILES)
        return work->kernel->panel;
    if (weight_bytes(work) <= work->l2_bytes / 2)
        return 0;
    return block_of(work, work->l2_bytes / 4);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static bool has_block(const struct hy_cpu_blockings *blockings, uint32_t block)
{
    for (uint32_t i = 0; i < blockings->count; i++) {
        if (blockings->blocks[i] == block)
            return true;
    }
    return false;
}

/* Appends a block that is not in the list yet. */
static void add_block(struct hy_cpu_blockings *blockings, uint32_t block)
{
    if (blockings->count < HY_CPU_BLOCKS && !has_block(blockings, block))
        blockings->blocks[blockings->count++] = block;
}

void hy_conv_cut(const struct hy_conv_work *work, struct hy_cpu_blockings *blockings, double *us)
{
    const size_t tiles = units_of(work, 0);

    *us = estimate_us(work);
    *blockings = (struct hy_cpu_blockings){.selected = rule_block(work, tiles)};
    add_block(blockings, blockings->selected);
    /* With all pixels in a single tile, every weight is read once for any block. */
    if (!work->is_packed || *us < BLOCKING_US || work->kernel->panel == 0 || tiles < 2 ||
        weight_bytes(work) < work->l2_bytes / LEAST_WEIGHTS_PART)
        return;
    add_block(blockings, 0);
    add_block(blockings, block_of(work, work->l2_bytes / 2));
    add_block(blockings, block_of(work, work->l2_bytes / 8));
}

bool hy_conv_cut_select(struct hy_cpu_blockings *blockings, uint32_t block)
{
    if (!has_block(blockings, block))
        return false;
    blockings->selected = block;
    return true;
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

uint32_t hy_conv_cut_tasks(const struct hy_conv_work *work, uint32_t block, double us)
{
    const size_t units = units_of(work, block);
    const double enough = us / HY_CPU_TASK_US + .5;
    double tasks = work->threads;

    if (enough < tasks)
        tasks = enough;
    if ((double)units < tasks)
        tasks = (double)units;
    return tasks > 1 ? (uint32_t)tasks : 1;
}

uint32_t hy_conv_cut_most_tasks(const struct hy_conv_work *work,
                                const struct hy_cpu_blockings *blockings, double us)
{
    uint32_t most = 1;

    for (uint32_t i = 0; i < blockings->count; i++) {
        const uint32_t tasks = hy_conv_cut_tasks(work, blockings->blocks[i], us);
        most = tasks > most ? tasks : most;
    }
    return most;
}

bool hy_conv_cut_is_by_pixels(size_t tiles, uint32_t tasks)
{
    const size_t most = (tiles + tasks - 1) / tasks, lacking = most * tasks - tiles;

    return tiles >= tasks && tiles >= FEW_TILES && lacking * UNEVEN_PART <= tiles;
}

size_t hy_conv_cut_least(size_t units, uint32_t tasks, double us)
{
    if (tasks == 1 || us <= PIECE_US)
        return units;
    return (size_t)((double)units * PIECE_US / us) + 1;
}
