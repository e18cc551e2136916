#include "artefact.h"

#include "driver_kit/archive.h"
#include "driver_kit/quota_memory.h"
#include "run.h"

#include <string.h>

static const char format[HY_ARCHIVE_FORMAT_SIZE] = "sample3";

/* The parts of the model cache, which is one archive. */
enum part { FACTS, STEPS, TENSORS, ARGUMENTS, LENGTHS, PART_COUNT };

struct facts {
    uint64_t scratch_bytes;
    uint32_t input_count, data_count;
};

/* ---- Writing --------------------------------------------------------------------------------- */

/* The model's bytes stand first, then the files of data. */
static bool make_room(const struct sample_program *program, const uint64_t *lengths,
                      const struct hy_bytes *parts, uint32_t data_count,
                      struct sample_artefact *artefact)
{
    uint64_t total = artefact->model.length = hy_archive_bytes(parts, PART_COUNT);
    for (uint32_t i = 0; i < program->block_count; i++) {
        artefact->data[i % data_count].length += hy_archive_aligned(lengths[i]);
        total += hy_archive_aligned(lengths[i]);
    }
    artefact->model.data = artefact->memory = hy_quota_zeros(program->host, total, 1);
    uint64_t used = artefact->model.length;
    for (uint32_t i = 0; artefact->memory && i < data_count; i++) {
        artefact->data[i].data = artefact->memory + used;
        used += artefact->data[i].length;
    }
    return artefact->memory;
}

static void write_data(const struct sample_program *program, const uint64_t *lengths,
                       uint32_t data_count, const struct sample_artefact *artefact)
{
    uint64_t used[HY_MAX_CACHE_FILES] = {0};
    for (uint32_t i = 0; i < program->block_count; i++) {
        const uint32_t file = i % data_count;
        if (lengths[i] > 0)
            memcpy((uint8_t *)artefact->data[file].data + used[file], program->blocks[i].data,
                   lengths[i]);
        used[file] += hy_archive_aligned(lengths[i]);
    }
}

bool sample_artefact_make(const struct sample_program *program, uint32_t data_count,
                          struct sample_artefact *artefact)
{
    *artefact = (struct sample_artefact){0};
    const struct facts facts = {program->scratch_bytes, program->input_count, data_count};
    const uint64_t arguments = (uint64_t)program->input_count + program->output_count;
    /* Where each constant lies follows from the lengths. */
    uint64_t *lengths =
        hy_quota_zeros(program->host, (uint64_t)program->block_count + 1, sizeof *lengths);
    for (uint32_t i = 0; lengths && i < program->block_count; i++)
        lengths[i] = program->blocks[i].length;
    const struct hy_bytes parts[PART_COUNT] = {
        [FACTS] = {&facts, sizeof facts},
        [STEPS] = {program->steps, program->step_count * sizeof *program->steps},
        [TENSORS] = {program->tensors, program->tensor_count * sizeof *program->tensors},
        [ARGUMENTS] = {program->arguments, arguments * sizeof *program->arguments},
        [LENGTHS] = {lengths, program->block_count * sizeof *lengths},
    };
    const bool made = lengths && make_room(program, lengths, parts, data_count, artefact);
    if (made) {
        hy_archive_write(format, parts, PART_COUNT, artefact->memory);
        write_data(program, lengths, data_count, artefact);
    }
    hy_quota_free(lengths);
    return made;
}

void sample_artefact_finish(struct sample_artefact *artefact)
{
    hy_quota_free(artefact->memory);
    *artefact = (struct sample_artefact){0};
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Points the blocks into the data, whose lengths nothing in the model can vouch for. */
static bool find_blocks(struct sample_program *program, const uint64_t *lengths,
                        const struct hy_bytes *data, uint32_t data_count)
{
    uint64_t used[HY_MAX_CACHE_FILES] = {0};
    for (uint32_t i = 0; i < program->block_count; i++) {
        const uint32_t file = i % data_count;
        if (lengths[i] > data[file].length - used[file] ||
            hy_archive_aligned(lengths[i]) > data[file].length - used[file])
            return false;
        if (lengths[i] > 0)
            program->blocks[i] = (struct sample_block){
                .data = (const uint8_t *)data[file].data + used[file], .length = lengths[i]};
        used[file] += hy_archive_aligned(lengths[i]);
    }
    return true;
}

static void copy(void *to, const struct hy_bytes *part)
{
    if (part->length > 0)
        memcpy(to, part->data, part->length);
}

static bool fill(struct sample_program *program, const struct facts *facts,
                 const struct hy_bytes *parts, const struct hy_bytes *data)
{
    const uint64_t arguments = parts[ARGUMENTS].length / sizeof *program->arguments;
    program->input_count = facts->input_count;
    program->output_count = (uint32_t)arguments - facts->input_count;
    program->block_count = (uint32_t)(parts[LENGTHS].length / sizeof(uint64_t));
    program->scratch_bytes = facts->scratch_bytes;
    copy(program->steps, &parts[STEPS]);
    copy(program->tensors, &parts[TENSORS]);
    copy(program->arguments, &parts[ARGUMENTS]);
    return find_blocks(program, parts[LENGTHS].data, data, facts->data_count) &&
           sample_scratch_ready(program);
}

struct sample_program *sample_artefact_read(const struct hy_host *host,
                                            const struct hy_bytes *model,
                                            const struct hy_bytes *data, uint32_t data_count)
{
    struct hy_bytes parts[PART_COUNT];
    struct facts facts;
    if (!hy_archive_read(model, format, parts, PART_COUNT) || parts[FACTS].length != sizeof facts)
        return NULL;
    memcpy(&facts, parts[FACTS].data, sizeof facts);
    if (facts.data_count != data_count)
        return NULL;
    struct sample_program *program =
        sample_program_create(host, (uint32_t)(parts[STEPS].length / sizeof(struct sample_step)),
                              (uint32_t)(parts[TENSORS].length / sizeof(struct sample_tensor)),
                              (uint32_t)(parts[ARGUMENTS].length / sizeof(uint32_t)),
                              (uint32_t)(parts[LENGTHS].length / sizeof(uint64_t)));
    if (program && !fill(program, &facts, parts, data)) {
        sample_program_destroy(program);
        program = NULL;
    }
    return program;
}
