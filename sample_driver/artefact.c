#include "artefact.h"

#include "sample_run.h"

#include <string.h>

static const char format[HY_ARCHIVE_FORMAT_SIZE] = "sample4";

enum part { INFO, STEPS, TENSORS, ARGUMENTS, PART_COUNT };

struct info {
    uint64_t scratch_bytes;
    uint64_t input_count;
};

bool sample_artefact_make(const struct sample_program *program, uint32_t data_count,
                          struct hy_artefact *artefact)
{
    const struct info info = {program->scratch_bytes, program->input_count};
    const uint64_t arguments = (uint64_t)program->input_count + program->output_count;
    const struct hy_bytes parts[PART_COUNT] = {
        [INFO] = {&info, sizeof info},
        [STEPS] = {program->steps, program->step_count * sizeof *program->steps},
        [TENSORS] = {program->tensors, program->tensor_count * sizeof *program->tensors},
        [ARGUMENTS] = {program->arguments, arguments * sizeof *program->arguments},
    };
    return hy_artefact_make(program->host, format, parts, PART_COUNT, program->constants,
                            program->constant_count, data_count, artefact);
}

struct sample_program *sample_artefact_read(const struct hy_host *host,
                                            const struct hy_artefact *artefact)
{
    struct hy_artefact_content content;
    struct info info;
    if (!hy_artefact_read(artefact, format, PART_COUNT, &content) ||
        content.parts[INFO].length != sizeof info)
        return NULL;
    memcpy(&info, content.parts[INFO].data, sizeof info);
    const uint64_t arguments = content.parts[ARGUMENTS].length / sizeof(uint32_t);
    const struct sample_program view = {
        .host = host,
        .steps = (struct sample_step *)content.parts[STEPS].data,
        .tensors = (struct sample_tensor *)content.parts[TENSORS].data,
        .arguments = (uint32_t *)content.parts[ARGUMENTS].data,
        .step_count = (uint32_t)(content.parts[STEPS].length / sizeof(struct sample_step)),
        .tensor_count = (uint32_t)(content.parts[TENSORS].length / sizeof(struct sample_tensor)),
        .input_count = (uint32_t)info.input_count,
        .output_count = (uint32_t)(arguments - info.input_count),
        .constant_count = content.constant_count,
        .scratch_bytes = info.scratch_bytes,
    };
    struct sample_program *program = sample_program_copy(&view, 0);
    if (!program)
        return NULL;
    if (hy_artefact_find_constants(artefact, &content, program->constants) &&
        sample_scratch_ready(program))
        return program;
    sample_program_destroy(program);
    return NULL;
}
