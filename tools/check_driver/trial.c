#include "tools/check_driver/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/status.h"
#include "tools/vectors/compare.h"

#define ALIGNMENT    64u
#define WATCHED      64u /* guard bytes around each tensor */
#define WATCHED_BYTE 0xc5
#define LOOP_TIMEOUT UINT64_C(2000000000)
#define NOT_TOLD     UINT32_MAX

#define SAY(words, ...) hy_error_set(words, HY_FAILED, __FILE__, __LINE__, __VA_ARGS__)

const char *hy_status_text(int32_t status)
{
    static _Thread_local char texts[3][64];
    static _Thread_local unsigned next;
    char *text = texts[next++ % 3];
    snprintf(text, sizeof texts[0], "%s (%d)", hy_status_name(status), (int)status);
    return text;
}

/* ---- Layout ---------------------------------------------------------------------------------- */

static const struct hy_vector_operand *operand_of(const struct hy_trial *trial, uint32_t argument)
{
    const struct hy_vector_model *model = &trial->vector->models[0];
    const uint32_t index = argument < trial->input_count
                               ? model->inputs.items[argument]
                               : model->outputs.items[argument - trial->input_count];
    return &model->operands[index];
}

static const struct hy_vector_value *value_of(const struct hy_trial *trial, uint32_t argument)
{
    return argument < trial->input_count ? &trial->example->inputs[argument]
                                         : &trial->example->outputs[argument - trial->input_count];
}

/* Inputs have full shapes in the request, outputs only a rank. */
static void tell_shape(struct hy_trial *trial, uint32_t argument)
{
    const struct hy_vector_operand *operand = operand_of(trial, argument);
    if (operand->rank > HY_MAX_RANK)
        return;
    trial->arguments[argument].rank = operand->rank;
    trial->arguments[argument].dims = operand->rank == 0              ? NULL
                                      : argument < trial->input_count ? operand->dims
                                                                      : trial->open_dims;
}

/* Places one argument after the others of its pool; returns the used bytes with the argument. */
static size_t place(struct hy_trial *trial, uint32_t argument, size_t used)
{
    const bool is_input = argument < trial->input_count;
    const struct hy_vector_value *value = value_of(trial, argument);
    const size_t offset =
        (used + WATCHED + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + trial->form.shift;
    size_t length = value->length;

    if (is_input && value->omitted) {
        trial->arguments[argument] = (struct hy_argument){.flags = HY_ARGUMENT_NO_VALUE};
        return used;
    }
    if (!is_input && trial->form.shortened)
        length -= length < trial->form.shortened ? length : trial->form.shortened;
    trial->arguments[argument] = (struct hy_argument){
        .location = {.pool = is_input ? 0 : 1, .offset = offset, .length = length}};
    if (trial->form.has_shapes)
        tell_shape(trial, argument);
    return offset + length;
}

static enum hy_code make_pool(struct hy_trial *trial, uint32_t index, struct hy_error *err)
{
    const uint32_t first = index == 0 ? 0 : trial->input_count;
    const uint32_t count = index == 0 ? trial->input_count : trial->output_count;
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++)
        used = place(trial, first + i, used);

    const enum hy_code code =
        hy_memory_create(trial->form.kind, used + WATCHED, &trial->memory[index], err);
    if (code == HY_OK)
        trial->pools[index] =
            hy_memory_pool(&trial->memory[index], trial->form.kind,
                           index == 0 ? HY_PROTECT_READ : HY_PROTECT_READ | HY_PROTECT_WRITE);
    return code;
}

enum hy_code hy_trial_make(const struct hy_vector *vector, const struct hy_trial_form *form,
                           struct hy_trial *out, struct hy_error *err)
{
    const struct hy_vector_model *model = &vector->models[0];
    out->vector = vector;
    out->example = &vector->examples[0];
    out->form = *form;
    out->memory[0].fd = out->memory[1].fd = -1;
    out->input_count = model->inputs.count;
    out->output_count = model->outputs.count;
    out->arguments =
        calloc((size_t)out->input_count + out->output_count + 1, sizeof *out->arguments);
    out->shapes = calloc((size_t)out->output_count + 1, sizeof *out->shapes);
    out->open_dims = calloc(HY_MAX_RANK, sizeof *out->open_dims);
    if (!out->arguments || !out->shapes || !out->open_dims)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a request for %s", vector->name);

    enum hy_code code = make_pool(out, 0, err);
    if (code == HY_OK)
        code = make_pool(out, 1, err);
    if (code != HY_OK)
        return code;
    out->request = (struct hy_request){.struct_size = sizeof out->request,
                                       .input_count = out->input_count,
                                       .output_count = out->output_count,
                                       .pool_count = 2,
                                       .inputs = out->arguments,
                                       .outputs = out->arguments + out->input_count,
                                       .pools = out->pools};
    out->options = (struct hy_run_options){.struct_size = sizeof out->options,
                                           .deadline = HY_NO_DEADLINE,
                                           .loop_timeout = LOOP_TIMEOUT,
                                           .message = {out->words, sizeof out->words}};
    hy_trial_reset(out, 0);
    return HY_OK;
}

void hy_trial_finish(struct hy_trial *trial)
{
    hy_memory_destroy(&trial->memory[0]);
    hy_memory_destroy(&trial->memory[1]);
    free(trial->arguments);
    free(trial->shapes);
    free(trial->open_dims);
    *trial = (struct hy_trial){0};
}

static void put_bytes(struct hy_trial *trial, uint32_t argument, uint8_t fill)
{
    const struct hy_location *at = &trial->arguments[argument].location;
    const bool is_input = argument < trial->input_count;
    if (at->length == 0)
        return;
    if (is_input)
        memcpy(trial->memory[0].bytes + at->offset, value_of(trial, argument)->bytes, at->length);
    else
        memset(trial->memory[1].bytes + at->offset, fill, at->length);
}

enum hy_code hy_trial_move(struct hy_trial *trial, uint32_t pool, struct hy_error *err)
{
    const enum hy_code code = hy_memory_move(&trial->memory[pool], err);

    trial->pools[pool].address = trial->memory[pool].bytes;
    return code;
}

void hy_trial_reset(struct hy_trial *trial, uint8_t fill)
{
    hy_memory_protect(&trial->memory[0], 0);
    memset(trial->memory[0].bytes, WATCHED_BYTE, trial->memory[0].size);
    memset(trial->memory[1].bytes, WATCHED_BYTE, trial->memory[1].size);
    for (uint32_t i = 0; i < trial->input_count + trial->output_count; i++)
        put_bytes(trial, i, fill);
    hy_memory_protect(&trial->memory[0], trial->form.has_frozen_inputs);

    for (uint32_t i = 0; i < trial->output_count; i++)
        trial->shapes[i] = (struct hy_output_shape){.rank = NOT_TOLD, .sufficient = NOT_TOLD};
    trial->result = (struct hy_result){.struct_size = sizeof trial->result,
                                       .output_count = trial->output_count,
                                       .outputs = trial->shapes,
                                       .time_on_device = HY_NO_TIME,
                                       .time_in_driver = HY_NO_TIME};
    trial->words[0] = '\0';
}

const uint8_t *hy_trial_output(const struct hy_trial *trial, uint32_t index)
{
    return trial->memory[1].bytes + trial->arguments[trial->input_count + index].location.offset;
}

/* ---- Judging --------------------------------------------------------------------------------- */

enum hy_trial_fault hy_trial_judge_shapes(const struct hy_trial *trial, struct hy_error *words)
{
    for (uint32_t i = 0; i < trial->output_count; i++) {
        const struct hy_output_shape *told = &trial->shapes[i];
        const struct hy_vector_operand *operand = operand_of(trial, trial->input_count + i);
        const uint32_t enough = trial->arguments[trial->input_count + i].location.length >=
                                value_of(trial, trial->input_count + i)->length;
        if (told->rank == NOT_TOLD) {
            SAY(words, "the shape of output %u is not told", i);
            return HY_TRIAL_SHAPE;
        }
        bool is_same = told->rank == operand->rank;
        for (uint32_t d = 0; is_same && d < told->rank; d++)
            is_same = told->dims[d] == operand->dims[d];
        if (!is_same || told->sufficient != enough) {
            SAY(words,
                "output %u: told rank %u, first extent %u, sufficient %u; it has rank %u, "
                "first extent %u, sufficient %u",
                i, told->rank, told->dims[0], told->sufficient, operand->rank,
                operand->rank ? operand->dims[0] : 0, enough);
            return HY_TRIAL_SHAPE;
        }
    }
    return HY_TRIAL_GOOD;
}

/* Whether a byte of a pool belongs to one of its arguments. */
static bool belongs(const struct hy_trial *trial, uint32_t pool, size_t byte)
{
    const uint32_t first = pool == 0 ? 0 : trial->input_count;
    const uint32_t count = pool == 0 ? trial->input_count : trial->output_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct hy_location *at = &trial->arguments[first + i].location;
        if (byte >= at->offset && byte - at->offset < at->length)
            return true;
    }
    return false;
}

static enum hy_trial_fault judge_watched(const struct hy_trial *trial, uint32_t pool,
                                         struct hy_error *words)
{
    for (size_t i = 0; i < trial->memory[pool].size; i++) {
        if (trial->memory[pool].bytes[i] == WATCHED_BYTE || belongs(trial, pool, i))
            continue;
        SAY(words, "byte %zu of the pool of the %s was written, it belongs to no argument", i,
            pool == 0 ? "inputs" : "outputs");
        return pool == 0 ? HY_TRIAL_INPUTS : HY_TRIAL_OUTSIDE;
    }
    return HY_TRIAL_GOOD;
}

enum hy_trial_fault hy_trial_judge_memory(const struct hy_trial *trial, struct hy_error *words)
{
    for (uint32_t i = 0; i < trial->input_count; i++) {
        const struct hy_location *at = &trial->arguments[i].location;
        if (at->length == 0 ||
            memcmp(trial->memory[0].bytes + at->offset, value_of(trial, i)->bytes, at->length) == 0)
            continue;
        SAY(words, "input %u was modified", i);
        return HY_TRIAL_INPUTS;
    }
    const enum hy_trial_fault outputs = judge_watched(trial, 1, words);
    return outputs != HY_TRIAL_GOOD ? outputs : judge_watched(trial, 0, words);
}

static enum hy_trial_fault judge_values(const struct hy_trial *trial, struct hy_error *words)
{
    const bool half = hy_vector_is_half_exact(trial->vector);
    for (uint32_t i = 0; i < trial->output_count; i++) {
        const struct hy_vector_operand *operand = operand_of(trial, trial->input_count + i);
        struct hy_error difference;
        if (operand->ignored || hy_compare_values(operand->type, half, &trial->example->outputs[i],
                                                  hy_trial_output(trial, i), &difference) == HY_OK)
            continue;
        SAY(words, "output %u: %s", i, difference.text);
        return HY_TRIAL_VALUES;
    }
    return HY_TRIAL_GOOD;
}

enum hy_trial_fault hy_trial_judge(const struct hy_trial *trial, int32_t status,
                                   struct hy_error *words)
{
    if (status != HY_STATUS_OK) {
        SAY(words, "it failed with %s%s%.200s", hy_status_text(status), trial->words[0] ? ": " : "",
            trial->words);
        return HY_TRIAL_STATUS;
    }
    enum hy_trial_fault found = hy_trial_judge_memory(trial, words);
    if (found == HY_TRIAL_GOOD)
        found = hy_trial_judge_shapes(trial, words);
    return found == HY_TRIAL_GOOD ? judge_values(trial, words) : found;
}
