#include "artefact.h"

#include "digest.h"
#include "driver_kit/quota_memory.h"
#include "run.h"

#include <string.h>

#define ALIGNMENT UINT64_C(64) /* of each constant in its file */

static const char magic[8] = "sample1";

/* One data file, as it was written. */
struct data_file {
    uint64_t length;
    uint64_t checksum;
};

/* The model cache: this, then data files, steps, tensors, blocks and arguments. */
struct header {
    char magic[8];
    uint32_t step_count, tensor_count, block_count, input_count, output_count, data_count;
    uint64_t scratch_bytes;
};

/* Where a constant lies in its data file. */
struct place {
    uint64_t offset, length;
};

/* A position in the model's bytes, which may end sooner than expected. */
struct cursor {
    const uint8_t *at;
    uint64_t left;
};

static uint64_t aligned(uint64_t length)
{
    return (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static bool is_used(const struct sample_program *program, uint32_t block)
{
    for (uint32_t i = 0; i < program->tensor_count; i++)
        if (program->tensors[i].block == block)
            return true;
    return false;
}

/* Gives each constant that is used its place, and the data files their lengths. */
static void place_blocks(const struct sample_program *program, struct place *places,
                         struct sample_artefact *artefact)
{
    for (uint32_t i = 0; i < program->block_count; i++) {
        uint64_t *length = &artefact->data[i % artefact->data_count].length;
        if (!is_used(program, i))
            continue;
        places[i] = (struct place){.offset = *length, .length = program->blocks[i].length};
        *length += aligned(places[i].length);
    }
}

static uint64_t model_length(const struct header *header)
{
    return sizeof *header + header->data_count * sizeof(struct data_file) +
           header->step_count * sizeof(struct sample_step) +
           header->tensor_count * sizeof(struct sample_tensor) +
           header->block_count * sizeof(struct place) +
           ((uint64_t)header->input_count + header->output_count) * sizeof(uint32_t);
}

/* The model's bytes stand first, then the files of data. */
static bool make_room(const struct hy_host *host, const struct header *header,
                      struct sample_artefact *artefact)
{
    uint64_t total = aligned(model_length(header));
    for (uint32_t i = 0; i < artefact->data_count; i++)
        total += artefact->data[i].length;
    artefact->memory = hy_quota_zeros(host, total, 1);
    if (!artefact->memory)
        return false;
    uint64_t used = aligned(model_length(header));
    artefact->model = (struct hy_bytes){artefact->memory, model_length(header)};
    for (uint32_t i = 0; i < artefact->data_count; i++) {
        artefact->data[i].data = artefact->memory + used;
        used += artefact->data[i].length;
    }
    return true;
}

static void put(uint8_t **at, const void *bytes, uint64_t length)
{
    if (length > 0)
        memcpy(*at, bytes, length);
    *at += length;
}

static void write_data(const struct sample_program *program, const struct place *places,
                       const struct sample_artefact *artefact)
{
    for (uint32_t i = 0; i < program->block_count; i++) {
        uint8_t *file = (uint8_t *)artefact->data[i % artefact->data_count].data;
        if (places[i].length > 0)
            memcpy(file + places[i].offset, program->blocks[i].data, places[i].length);
    }
}

static void write_model(const struct sample_program *program, const struct header *header,
                        const struct place *places, const struct sample_artefact *artefact)
{
    uint8_t *at = (uint8_t *)artefact->model.data;
    put(&at, header, sizeof *header);
    for (uint32_t i = 0; i < artefact->data_count; i++) {
        const struct hy_bytes *data = &artefact->data[i];
        const struct data_file file = {data->length, sample_checksum(data->data, data->length)};
        put(&at, &file, sizeof file);
    }
    put(&at, program->steps, program->step_count * sizeof *program->steps);
    put(&at, program->tensors, program->tensor_count * sizeof *program->tensors);
    put(&at, places, program->block_count * sizeof *places);
    put(&at, program->arguments,
        ((uint64_t)program->input_count + program->output_count) * sizeof *program->arguments);
}

bool sample_artefact_make(const struct sample_program *program, uint32_t data_count,
                          struct sample_artefact *artefact)
{
    struct header header = {.step_count = program->step_count,
                            .tensor_count = program->tensor_count,
                            .block_count = program->block_count,
                            .input_count = program->input_count,
                            .output_count = program->output_count,
                            .data_count = data_count,
                            .scratch_bytes = program->scratch_bytes};
    memcpy(header.magic, magic, sizeof magic);
    *artefact = (struct sample_artefact){.data_count = data_count};
    struct place *places =
        hy_quota_zeros(program->host, (uint64_t)program->block_count + 1, sizeof *places);
    if (places)
        place_blocks(program, places, artefact);
    const bool made = places && make_room(program->host, &header, artefact);
    if (made) {
        write_data(program, places, artefact);
        write_model(program, &header, places, artefact);
    }
    hy_quota_free(places);
    return made;
}

void sample_artefact_finish(struct sample_artefact *artefact)
{
    hy_quota_free(artefact->memory);
    *artefact = (struct sample_artefact){0};
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void take(struct cursor *cursor, void *out, uint64_t length)
{
    if (length > 0)
        memcpy(out, cursor->at, length);
    cursor->at += length;
    cursor->left -= length;
}

/* The header, where the bytes are as long as it says. */
static bool read_header(const struct hy_bytes *model, uint32_t data_count, struct header *header,
                        struct cursor *cursor)
{
    *cursor = (struct cursor){model->data, model->length};
    if (model->length < sizeof *header)
        return false;
    take(cursor, header, sizeof *header);
    return memcmp(header->magic, magic, sizeof magic) == 0 && header->data_count == data_count &&
           model_length(header) == model->length;
}

bool sample_artefact_has_data(const struct hy_bytes *model, const struct hy_bytes *data,
                              uint32_t data_count)
{
    struct header header;
    struct cursor cursor;
    if (!read_header(model, data_count, &header, &cursor))
        return false;
    for (uint32_t i = 0; i < data_count; i++) {
        struct data_file file;
        take(&cursor, &file, sizeof file);
        if (file.length != data[i].length ||
            file.checksum != sample_checksum(data[i].data, data[i].length))
            return false;
    }
    return true;
}

/* Points the blocks into the data, whose lengths nothing in the model can vouch for. */
static bool find_blocks(struct sample_program *program, struct cursor *cursor,
                        const struct hy_bytes *data, uint32_t data_count)
{
    for (uint32_t i = 0; i < program->block_count; i++) {
        const struct hy_bytes *file = &data[i % data_count];
        struct place place;
        take(cursor, &place, sizeof place);
        if (place.offset > file->length || place.length > file->length - place.offset)
            return false;
        if (place.length > 0)
            program->blocks[i] = (struct sample_block){
                .data = (const uint8_t *)file->data + place.offset, .length = place.length};
    }
    return true;
}

static bool fill(struct sample_program *program, const struct header *header, struct cursor *cursor,
                 const struct hy_bytes *data)
{
    program->block_count = header->block_count;
    program->input_count = header->input_count;
    program->output_count = header->output_count;
    program->scratch_bytes = header->scratch_bytes;
    cursor->at += header->data_count * sizeof(struct data_file);
    take(cursor, program->steps, program->step_count * sizeof *program->steps);
    take(cursor, program->tensors, program->tensor_count * sizeof *program->tensors);
    if (!find_blocks(program, cursor, data, header->data_count))
        return false;
    take(cursor, program->arguments,
         ((uint64_t)program->input_count + program->output_count) * sizeof *program->arguments);
    return sample_scratch_ready(program);
}

struct sample_program *sample_artefact_read(const struct hy_host *host,
                                            const struct hy_bytes *model,
                                            const struct hy_bytes *data, uint32_t data_count)
{
    struct header header;
    struct cursor cursor;
    if (!read_header(model, data_count, &header, &cursor))
        return NULL;
    struct sample_program *program =
        sample_program_create(host, header.step_count, header.tensor_count,
                              header.input_count + header.output_count, header.block_count);
    if (program && !fill(program, &header, &cursor, data)) {
        sample_program_destroy(program);
        program = NULL;
    }
    return program;
}
