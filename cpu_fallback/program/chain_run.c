#include "cpu_fallback/program/chain_parts.h"

#include <string.h>

#include "cpu_fallback/kernels/stop.h"

/* ---- Bands ----------------------------------------------------------------------------------- */

/* The lines that `reader` needs for its lines [from, end), rounded to the multiple of the
 * segment. */
static struct hy_chain_lines lines_under(const struct hy_cpu_lines *lines,
                                         const struct hy_chain_member *reader, size_t from,
                                         size_t end)
{
    struct hy_chain_lines under;

    reader->banded->window(reader->params, from, end - from, &under.first, &under.end);
    under.first -= under.first % lines->multiple;
    under.from = under.first;
    under.end = hy_chain_round_up(under.end, lines->multiple);
    if (under.end > lines->of_image)
        under.end = lines->of_image;
    return under;
}

void hy_chain_find_lines(const struct hy_chain *chain, size_t index,
                         const struct hy_chain_lines *before, struct hy_chain_lines *lines)
{
    const uint32_t last = chain->segment_count - 1;
    const size_t line = index % chain->bands_of_image * chain->band;
    const size_t left = chain->segments[last].lines.of_image - line;

    lines[last] =
        (struct hy_chain_lines){line, line, line + (left < chain->band ? left : chain->band)};
    for (uint32_t s = last; s-- > 0;) {
        const struct hy_chain_lines *above = &lines[s + 1];
        if (before && above->from == above->end) { /* the lines left over suffice */
            lines[s] = (struct hy_chain_lines){before[s].first, before[s].end, before[s].end};
            continue;
        }
        lines[s] =
            lines_under(&chain->segments[s].lines, &chain->members[chain->segments[s + 1].first],
                        above->from, above->end);
        if (!before || before[s].end <= lines[s].first)
            continue;
        lines[s].from = before[s].end;
        if (lines[s].end < before[s].end)
            lines[s].end = before[s].end;
    }
}

struct hy_cpu_band hy_chain_band(const struct hy_chain *chain, uint32_t segment, size_t index,
                                 const struct hy_chain_lines *lines)
{
    const struct hy_cpu_lines *own = &chain->segments[segment].lines;
    const size_t image = index / chain->bands_of_image;

    return (struct hy_cpu_band){
        .first = (image * own->of_image + lines[segment].from) * own->pixels,
        .count = (lines[segment].end - lines[segment].from) * own->pixels,
    };
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Data of a run, common to all tasks. */
struct chain_run {
    const struct hy_chain *chain;
    const struct hy_call *calls;
    uint8_t *scratch; /* scratch of the step */
};

/* Runs the members of a segment in order. `out`: the destination of the last member; NULL: its
 * output tensor. */
static void run_members(const struct chain_run *run, const struct hy_chain_segment *segment,
                        struct hy_cpu_band band, uint8_t *out, uint8_t *scratch)
{
    const struct hy_chain *chain = run->chain;

    band.scratch = scratch + chain->scratch_offset;
    for (uint32_t i = segment->first; i < segment->end; i++) {
        const struct hy_chain_member *member = &chain->members[i];
        band.call = &run->calls[member->operation];
        band.params = member->params;
        band.input = member->input;
        band.pixel_elements = member->pixel_elements;
        if (i + 1 < segment->end)
            band.out = scratch + chain->buffer_offsets[i % 2];
        else
            band.out = out ? out
                           : (uint8_t *)hy_call_output(band.call, 0)->data +
                                 band.first * member->pixel_bytes;
        member->banded->run(&band);
        band.in = band.out;
        band.in_first = band.first;
    }
}

/* Moves the lines that are left over from the previous band to the start of the buffer. */
static void preserve_lines(const struct hy_chain_segment *segment,
                           const struct hy_chain_lines *before, const struct hy_chain_lines *lines,
                           uint8_t *buffer)
{
    if (lines->from > lines->first && lines->first > before->first)
        memmove(buffer, buffer + (lines->first - before->first) * segment->line_bytes,
                (lines->from - lines->first) * segment->line_bytes);
}

/* `before`: the lines of the previous band, or NULL. */
static void run_band(const struct chain_run *run, uint8_t *scratch, size_t index,
                     const struct hy_chain_lines *before, struct hy_chain_lines *lines)
{
    const struct hy_chain *chain = run->chain;
    const size_t image = index / chain->bands_of_image;
    const uint8_t *in = NULL;
    size_t in_first = 0;

    hy_chain_find_lines(chain, index, before, lines);
    for (uint32_t s = 0; s < chain->segment_count; s++) {
        const struct hy_chain_segment *segment = &chain->segments[s];
        struct hy_cpu_band band = hy_chain_band(chain, s, index, lines);
        uint8_t *buffer = NULL, *out = NULL;
        if (s + 1 < chain->segment_count) {
            buffer = scratch + segment->buffer_offset;
            out = buffer + (lines[s].from - lines[s].first) * segment->line_bytes;
            if (before)
                preserve_lines(segment, &before[s], &lines[s], buffer);
        }
        band.in = in;
        band.in_first = in_first;
        if (band.count > 0)
            run_members(run, segment, band, out, scratch);
        in = buffer;
        in_first = (image * segment->lines.of_image + lines[s].first) * segment->lines.pixels;
    }
}

static void run_task(void *argument, uint32_t index)
{
    const struct chain_run *run = argument;
    const struct hy_chain *chain = run->chain;
    struct hy_conv_chunk_cursor *cursor =
        (struct hy_conv_chunk_cursor *)(run->scratch + chain->cursors_offset);
    uint8_t *scratch = run->scratch + chain->tasks_offset + index * chain->task_bytes;
    struct hy_stop_watch *watch = hy_stop_here();
    struct hy_chain_lines lines[2][HY_CHAIN_SEGMENTS];
    size_t first, end, next = SIZE_MAX;

    while (hy_conv_chunk_queue_pop(&chain->chunk_queue, cursor, index, &first, &end)) {
        for (; first < end; first++) {
            const bool goes_on = first == next && first % chain->bands_of_image != 0;
            if (hy_stop_after(watch, chain->stop_units))
                return;
            run_band(run, scratch, first, goes_on ? lines[(first + 1) % 2] : NULL,
                     lines[first % 2]);
            next = first + 1;
        }
    }
}

enum hy_code hy_chain_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct hy_chain *chain = work->params;
    struct chain_run run = {chain, work->calls, work->scratch};

    (void)err;
    hy_conv_chunk_queue_start(
        &chain->chunk_queue,
        (struct hy_conv_chunk_cursor *)(work->scratch + chain->cursors_offset));
    hy_cpu_parallel_for(work, chain->chunk_queue.tasks, run_task, &run);
    return HY_OK;
}
