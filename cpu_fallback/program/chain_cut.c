#include "cpu_fallback/program/chain_parts.h"

#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/conv/conv_cut.h"

/* Bytes of an intermediate band, unless a single multiple of lines is larger. The L2 cache holds a
 * band and the data of the kernels. Smaller bands would give kernels of convolutions too few
 * lines. */
#define BAND_BYTES         131072u
#define ELEMENT_BAND_BYTES 32768u

/* The least bands per image of a chain with windows. With fewer bands the line buffers would be as
 * large as the tensors. */
#define WINDOW_BANDS 4u

/* The least bands per task, if there are enough lines, so that other tasks can relieve a late
 * task. */
#define TASK_BANDS 4u

/* Work between two checks for cancellation, see stop.h. */
#define STOP_US 256.0

/* The largest number of intermediate bytes per line of the last segment. */
static size_t bytes_between(const struct hy_chain *chain)
{
    const struct hy_cpu_lines *last = &hy_chain_last(chain)->lines;
    size_t most = 0;

    for (uint32_t s = 0; s < chain->segment_count; s++) {
        const struct hy_chain_segment *segment = &chain->segments[s];
        const size_t lines =
            hy_chain_round_up(segment->lines.of_image, last->of_image) / last->of_image;
        for (uint32_t i = segment->first; i < segment->end && i + 1 < chain->count; i++) {
            const size_t bytes = lines * segment->lines.pixels * chain->members[i].pixel_bytes;
            most = bytes > most ? bytes : most;
        }
    }
    return most;
}

/* The lines per band for a single task. */
static size_t band_of(const struct hy_chain *chain)
{
    const struct hy_cpu_lines *lines = &hy_chain_last(chain)->lines;
    const size_t line_bytes = bytes_between(chain), most = lines->of_image / WINDOW_BANDS;
    bool has_weights = false;

    for (uint32_t i = 0; i < chain->count; i++)
        has_weights |= chain->members[i].banded->weight_bytes != NULL;
    /* Two members have bytes between them. NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
    const size_t band = (has_weights ? BAND_BYTES : ELEMENT_BAND_BYTES) / line_bytes;
    return chain->segment_count > 1 && band > most ? most : band;
}

bool hy_chain_cut(struct hy_chain *chain, double us, uint32_t threads, uint64_t l2_bytes)
{
    const struct hy_cpu_lines *lines = &hy_chain_last(chain)->lines;
    const size_t line_bytes = bytes_between(chain);
    const double enough = us / HY_CPU_TASK_US + .5;
    size_t tasks = threads;

    if (enough < (double)tasks)
        tasks = enough > 1 ? (size_t)enough : 1;
    chain->band = band_of(chain);
    if (tasks > 1 && chain->band > lines->count / (tasks * TASK_BANDS))
        chain->band = lines->count / (tasks * TASK_BANDS);
    chain->band = chain->band < lines->multiple ? lines->multiple
                                                : chain->band / lines->multiple * lines->multiple;
    chain->bands_of_image = (lines->of_image + chain->band - 1) / chain->band;
    chain->band = hy_chain_round_up(
        (lines->of_image + chain->bands_of_image - 1) / chain->bands_of_image, lines->multiple);
    chain->bands_of_image = (lines->of_image + chain->band - 1) / chain->band;

    const size_t bands = lines->count / lines->of_image * chain->bands_of_image;
    if (tasks > bands)
        tasks = bands;
    chain->chunk_queue = (struct hy_conv_chunk_queue){
        .tasks = (uint32_t)tasks,
        .is_by_pixels = true,
        .units = bands,
        .tiles = bands,
        .least = hy_conv_cut_least(bands, (uint32_t)tasks, us),
    };
    chain->stop_units = (size_t)(us / STOP_US * (double)HY_STOP_UNITS / (double)bands) + 1;
    return bands > 1 && chain->band * line_bytes <= l2_bytes / 2;
}

/* ---- Scratch --------------------------------------------------------------------------------- */

/* The most that any band needs: lines per segment, and bytes of kernel scratch. */
struct needs {
    size_t lines[HY_CHAIN_SEGMENTS];
    size_t kernels;
};

static void note_kernels(const struct hy_chain *chain, const struct hy_call *calls,
                         uint32_t segment, struct hy_cpu_band band, struct needs *needs)
{
    for (uint32_t i = chain->segments[segment].first; i < chain->segments[segment].end; i++) {
        const struct hy_chain_member *member = &chain->members[i];
        if (!member->banded->scratch_bytes || band.count == 0)
            continue;
        band.call = &calls[i];
        band.params = member->params;
        band.input = member->input;
        const size_t bytes = member->banded->scratch_bytes(&band);
        needs->kernels = bytes > needs->kernels ? bytes : needs->kernels;
    }
}

static void note_band(const struct hy_chain *chain, const struct hy_call *calls, size_t index,
                      const struct hy_chain_lines *lines, struct needs *needs)
{
    for (uint32_t s = 0; s < chain->segment_count; s++) {
        const size_t count = lines[s].end - lines[s].first;
        needs->lines[s] = count > needs->lines[s] ? count : needs->lines[s];
        note_kernels(chain, calls, s, hy_chain_band(chain, s, index, lines), needs);
    }
}

/* A band either continues the previous band, or is the first band of a task. */
static struct needs needs_of(const struct hy_chain *chain, const struct hy_call *calls)
{
    struct hy_chain_lines alone[HY_CHAIN_SEGMENTS], following[2][HY_CHAIN_SEGMENTS];
    struct needs needs = {0};

    for (size_t index = 0; index < chain->chunk_queue.units; index++) {
        const bool is_first = index % chain->bands_of_image == 0;
        hy_chain_find_lines(chain, index, NULL, alone);
        hy_chain_find_lines(chain, index, is_first ? NULL : following[(index + 1) % 2],
                            following[index % 2]);
        note_band(chain, calls, index, alone, &needs);
        note_band(chain, calls, index, following[index % 2], &needs);
    }
    return needs;
}

static bool alloc_buffers(struct hy_chain *chain, const struct needs *needs)
{
    size_t between[2] = {0};

    for (uint32_t s = 0; s < chain->segment_count; s++) {
        struct hy_chain_segment *segment = &chain->segments[s];
        const size_t pixels = needs->lines[s] * segment->lines.pixels;
        for (uint32_t i = segment->first; i + 1 < segment->end; i++) {
            const size_t bytes = pixels * chain->members[i].pixel_bytes;
            between[i % 2] = bytes > between[i % 2] ? bytes : between[i % 2];
        }
        segment->line_bytes = segment->lines.pixels * chain->members[segment->end - 1].pixel_bytes;
        if (s + 1 < chain->segment_count &&
            !hy_cpu_scratch_alloc(&chain->task_bytes, needs->lines[s] * segment->line_bytes,
                                  &segment->buffer_offset))
            return false;
    }
    return hy_cpu_scratch_alloc(&chain->task_bytes, between[0], &chain->buffer_offsets[0]) &&
           hy_cpu_scratch_alloc(&chain->task_bytes, between[1], &chain->buffer_offsets[1]);
}

bool hy_chain_alloc_scratch(struct hy_chain *chain, const struct hy_call *calls, size_t *scratch)
{
    const struct needs needs = needs_of(chain, calls);
    size_t offset;

    if (!alloc_buffers(chain, &needs) ||
        !hy_cpu_scratch_alloc(&chain->task_bytes, needs.kernels, &chain->scratch_offset) ||
        !hy_cpu_scratch_alloc(scratch,
                              chain->chunk_queue.tasks * sizeof(struct hy_conv_chunk_cursor),
                              &chain->cursors_offset))
        return false;
    chain->tasks_offset = *scratch;
    for (uint32_t i = 0; i < chain->chunk_queue.tasks; i++)
        if (!hy_cpu_scratch_alloc(scratch, chain->task_bytes, &offset))
            return false;
    return true;
}
