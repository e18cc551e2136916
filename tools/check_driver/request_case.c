#include "tools/check_driver/request_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/status.h"
#include "tools/vectors/compare.h"

#define ALIGNMENT    64u
#define WATCHED      64u /* guard bytes around each tensor */
#define WATCHED_BYTE 0xc5
#define LOOP_TIMEOUT UINT64_C(2000000000)
#define UNREPORTED   UINT32_MAX

#define SET_TEXT(reason, ...) hy_error_set(reason, HY_FAILED, __FILE__, __LINE__, __VA_ARGS__)

const char *hy_status_text(int32_t status)
{
    static _Thread_local char texts[3][64];
    static _Thread_local unsigned next;
    char *text = texts[next++ % 3];
    snprintf(text, sizeof texts[0], "%s (%d)", hy_status_name(status), (int)status);
    return text;
}

/* ---- Layout ---------------------------------------------------------------------------------- */

static const struct hy_vector_operand *operand_of(const struct hy_request_case *test_case,
                                                  uint32_t argument)
{
    const struct hy_vector_model *model = &test_case->vector->models[0];
    const uint32_t index = argument < test_case->input_count
                               ? model->inputs.items[argument]
                               : model->outputs.items[argument - test_case->input_count];
    return &model->operands[index];
}

static const struct hy_vector_value *value_of(const struct hy_request_case *test_case,
                                              uint32_t argument)
{
    return argument < test_case->input_count
               ? &test_case->example->inputs[argument]
               : &test_case->example->outputs[argument - test_case->input_count];
}

/* Inputs have full shapes in the request, outputs only a rank. */
static void set_shape(struct hy_request_case *test_case, uint32_t argument)
{
    const struct hy_vector_operand *operand = operand_of(test_case, argument);
    if (operand->rank > HY_MAX_RANK)
        return;
    test_case->arguments[argument].rank = operand->rank;
    test_case->arguments[argument].dims = operand->rank == 0 ? NULL
                                          : argument < test_case->input_count
                                              ? operand->dims
                                              : test_case->open_dims;
}

/* Places one argument after the others of its pool; returns the used bytes with the argument. */
static size_t position(struct hy_request_case *test_case, uint32_t argument, size_t used)
{
    const bool is_input = argument < test_case->input_count;
    const struct hy_vector_value *value = value_of(test_case, argument);
    const size_t offset =
        (used + WATCHED + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + test_case->form.shift;
    size_t length = value->length;

    if (is_input && value->omitted) {
        test_case->arguments[argument] = (struct hy_argument){.flags = HY_ARGUMENT_NO_VALUE};
        return used;
    }
    if (!is_input && test_case->form.shortened)
        length -= length < test_case->form.shortened ? length : test_case->form.shortened;
    test_case->arguments[argument] = (struct hy_argument){
        .location = {.pool = is_input ? 0 : 1, .offset = offset, .length = length}};
    if (test_case->form.has_shapes)
        set_shape(test_case, argument);
    return offset + length;
}

static enum hy_code make_pool(struct hy_request_case *test_case, uint32_t index,
                              struct hy_error *err)
{
    const uint32_t first = index == 0 ? 0 : test_case->input_count;
    const uint32_t count = index == 0 ? test_case->input_count : test_case->output_count;
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++)
        used = position(test_case, first + i, used);

    const enum hy_code code =
        hy_memory_create(test_case->form.kind, used + WATCHED, &test_case->memory[index], err);
    if (code == HY_OK)
        test_case->pools[index] =
            hy_memory_pool(&test_case->memory[index], test_case->form.kind,
                           index == 0 ? HY_PROTECT_READ : HY_PROTECT_READ | HY_PROTECT_WRITE);
    return code;
}

enum hy_code hy_request_case_make(const struct hy_vector *vector,
                                  const struct hy_request_case_form *form,
                                  struct hy_request_case *out, struct hy_error *err)
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
                                           .message = {out->text, sizeof out->text}};
    hy_request_case_reset(out, 0);
    return HY_OK;
}

void hy_request_case_finish(struct hy_request_case *test_case)
{
    hy_memory_destroy(&test_case->memory[0]);
    hy_memory_destroy(&test_case->memory[1]);
    free(test_case->arguments);
    free(test_case->shapes);
    free(test_case->open_dims);
    *test_case = (struct hy_request_case){0};
}

static void put_bytes(struct hy_request_case *test_case, uint32_t argument, uint8_t fill)
{
    const struct hy_location *at = &test_case->arguments[argument].location;
    const bool is_input = argument < test_case->input_count;
    if (at->length == 0)
        return;
    if (is_input)
        memcpy(test_case->memory[0].bytes + at->offset, value_of(test_case, argument)->bytes,
               at->length);
    else
        memset(test_case->memory[1].bytes + at->offset, fill, at->length);
}

enum hy_code hy_request_case_move(struct hy_request_case *test_case, uint32_t pool,
                                  struct hy_error *err)
{
    const enum hy_code code = hy_memory_move(&test_case->memory[pool], err);

    test_case->pools[pool].address = test_case->memory[pool].bytes;
    return code;
}

void hy_request_case_reset(struct hy_request_case *test_case, uint8_t fill)
{
    hy_memory_protect(&test_case->memory[0], 0);
    memset(test_case->memory[0].bytes, WATCHED_BYTE, test_case->memory[0].size);
    memset(test_case->memory[1].bytes, WATCHED_BYTE, test_case->memory[1].size);
    for (uint32_t i = 0; i < test_case->input_count + test_case->output_count; i++)
        put_bytes(test_case, i, fill);
    hy_memory_protect(&test_case->memory[0], test_case->form.has_frozen_inputs);

    for (uint32_t i = 0; i < test_case->output_count; i++)
        test_case->shapes[i] =
            (struct hy_output_shape){.rank = UNREPORTED, .sufficient = UNREPORTED};
    test_case->result = (struct hy_result){.struct_size = sizeof test_case->result,
                                           .output_count = test_case->output_count,
                                           .outputs = test_case->shapes,
                                           .time_on_device = HY_NO_TIME,
                                           .time_in_driver = HY_NO_TIME};
    test_case->text[0] = '\0';
}

const uint8_t *hy_request_case_output(const struct hy_request_case *test_case, uint32_t index)
{
    return test_case->memory[1].bytes +
           test_case->arguments[test_case->input_count + index].location.offset;
}

/* ---- Judging --------------------------------------------------------------------------------- */

enum hy_request_case_fault hy_request_case_check_shapes(const struct hy_request_case *test_case,
                                                        struct hy_error *reason)
{
    for (uint32_t i = 0; i < test_case->output_count; i++) {
        const struct hy_output_shape *reported = &test_case->shapes[i];
        const struct hy_vector_operand *operand = operand_of(test_case, test_case->input_count + i);
        const uint32_t enough = test_case->arguments[test_case->input_count + i].location.length >=
                                value_of(test_case, test_case->input_count + i)->length;
        if (reported->rank == UNREPORTED) {
            SET_TEXT(reason, "the shape of output %u is not reported", i);
            return HY_REQUEST_CASE_SHAPE;
        }
        bool is_same = reported->rank == operand->rank;
        for (uint32_t d = 0; is_same && d < reported->rank; d++)
            is_same = reported->dims[d] == operand->dims[d];
        if (!is_same || reported->sufficient != enough) {
            SET_TEXT(reason,
                     "output %u: reported rank %u, first extent %u, sufficient %u; expected rank "
                     "%u, first extent %u, sufficient %u",
                     i, reported->rank, reported->dims[0], reported->sufficient, operand->rank,
                     operand->rank ? operand->dims[0] : 0, enough);
            return HY_REQUEST_CASE_SHAPE;
        }
    }
    return HY_REQUEST_CASE_OK;
}

/* Whether a byte of a pool belongs to one of its arguments. */
static bool belongs(const struct hy_request_case *test_case, uint32_t pool, size_t byte)
{
    const uint32_t first = pool == 0 ? 0 : test_case->input_count;
    const uint32_t count = pool == 0 ? test_case->input_count : test_case->output_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct hy_location *at = &test_case->arguments[first + i].location;
        if (byte >= at->offset && byte - at->offset < at->length)
            return true;
    }
    return false;
}

static enum hy_request_case_fault check_guard_bytes(const struct hy_request_case *test_case,
                                                    uint32_t pool, struct hy_error *reason)
{
    for (size_t i = 0; i < test_case->memory[pool].size; i++) {
        if (test_case->memory[pool].bytes[i] == WATCHED_BYTE || belongs(test_case, pool, i))
            continue;
        SET_TEXT(reason, "byte %zu of the pool of the %s was written, but belongs to no argument",
                 i, pool == 0 ? "inputs" : "outputs");
        return pool == 0 ? HY_REQUEST_CASE_INPUTS : HY_REQUEST_CASE_OUTSIDE;
    }
    return HY_REQUEST_CASE_OK;
}

enum hy_request_case_fault hy_request_case_check_memory(const struct hy_request_case *test_case,
                                                        struct hy_error *reason)
{
    for (uint32_t i = 0; i < test_case->input_count; i++) {
        const struct hy_location *at = &test_case->arguments[i].location;
        if (at->length == 0 || memcmp(test_case->memory[0].bytes + at->offset,
                                      value_of(test_case, i)->bytes, at->length) == 0)
            continue;
        SET_TEXT(reason, "input %u was modified", i);
        return HY_REQUEST_CASE_INPUTS;
    }
    const enum hy_request_case_fault outputs = check_guard_bytes(test_case, 1, reason);
    return outputs != HY_REQUEST_CASE_OK ? outputs : check_guard_bytes(test_case, 0, reason);
}

static enum hy_request_case_fault check_case_values(const struct hy_request_case *test_case,
                                                    struct hy_error *reason)
{
    const bool half = hy_vector_is_half_exact(test_case->vector);
    for (uint32_t i = 0; i < test_case->output_count; i++) {
        const struct hy_vector_operand *operand = operand_of(test_case, test_case->input_count + i);
        struct hy_error difference;
        if (operand->ignored ||
            hy_compare_values(operand->type, half, &test_case->example->outputs[i],
                              hy_request_case_output(test_case, i), &difference) == HY_OK)
            continue;
        SET_TEXT(reason, "output %u: %s", i, difference.text);
        return HY_REQUEST_CASE_VALUES;
    }
    return HY_REQUEST_CASE_OK;
}

enum hy_request_case_fault hy_request_case_check(const struct hy_request_case *test_case,
                                                 int32_t status, struct hy_error *reason)
{
    if (status != HY_STATUS_OK) {
        SET_TEXT(reason, "the execution failed with %s%s%.200s", hy_status_text(status),
                 test_case->text[0] ? ": " : "", test_case->text);
        return HY_REQUEST_CASE_STATUS;
    }
    enum hy_request_case_fault found = hy_request_case_check_memory(test_case, reason);
    if (found == HY_REQUEST_CASE_OK)
        found = hy_request_case_check_shapes(test_case, reason);
    return found == HY_REQUEST_CASE_OK ? check_case_values(test_case, reason) : found;
}
