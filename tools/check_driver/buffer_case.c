#include "tools/check_driver/buffer_case.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_USES 4u

/* ---- One buffer ------------------------------------------------------------------------------ */

int32_t hy_buffer_make(struct hy_check *check, enum hy_rule rule, void *prepared,
                       const struct hy_buffer_use *uses, uint32_t count, struct hy_buffer *out)
{
    struct hy_buffer_role roles[MAX_USES];
    *out = (struct hy_buffer){0};
    for (uint32_t i = 0; i < count; i++)
        roles[i] = (struct hy_buffer_role){
            .is_output = uses[i].is_output, .index = uses[i].index, .frequency = 1};
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .prepared = &prepared,
                                        .roles = roles,
                                        .prepared_count = 1,
                                        .role_count = count};
    struct hy_buffer made = {0};
    const int32_t status =
        check->table.buffer_create(check->device, &desc, &made.token, &made.self);
    hy_check_status(check, "buffer_create", status);
    if (status != HY_STATUS_OK)
        return status; /* roles that the driver has no buffers for */
    if (!made.self || made.token == 0) {
        hy_result_page_report(check->page, rule,
                              "buffer_create returned OK without a buffer, or with the token 0");
        return HY_STATUS_GENERAL_FAILURE;
    }
    *out = made;
    return HY_STATUS_OK;
}

void hy_buffer_finish(struct hy_check *check, struct hy_buffer *buffer)
{
    if (buffer->self)
        check->table.buffer_destroy(buffer->self);
    *buffer = (struct hy_buffer){0};
}

int32_t hy_buffer_write(struct hy_check *check, const struct hy_buffer *buffer, uint32_t kind,
                        const void *bytes, size_t size)
{
    struct hy_memory memory;
    if (hy_memory_create(kind, size, &memory, NULL) != HY_OK)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    struct hy_pool pool = hy_memory_pool(&memory, kind, HY_PROTECT_READ);
    pool.size = size;
    memcpy(memory.bytes, bytes, size);
    hy_memory_protect(&memory, 1);
    const int32_t status = check->table.buffer_copy_from(buffer->self, &pool, NULL, 0);
    hy_check_status(check, "buffer_copy_from", status);
    hy_memory_destroy(&memory);
    return status;
}

int32_t hy_buffer_read(struct hy_check *check, const struct hy_buffer *buffer, uint32_t kind,
                       void *bytes, size_t size)
{
    struct hy_memory memory;
    if (hy_memory_create(kind, size, &memory, NULL) != HY_OK)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    struct hy_pool pool = hy_memory_pool(&memory, kind, HY_PROTECT_READ | HY_PROTECT_WRITE);
    pool.size = size;
    const int32_t status = check->table.buffer_copy_to(buffer->self, &pool);
    hy_check_status(check, "buffer_copy_to", status);
    for (size_t i = size; i < memory.size; i++) {
        if (memory.bytes[i] == 0)
            continue;
        hy_result_page_report(check->page, HY_RULE_B37,
                              "buffer_copy_to wrote %zu bytes past the end", i - size + 1);
        break;
    }
    if (status == HY_STATUS_OK)
        memcpy(bytes, memory.bytes, size);
    hy_memory_destroy(&memory);
    return status;
}

struct hy_pool hy_buffer_pool(const struct hy_buffer *buffer)
{
    return (struct hy_pool){.kind = HY_POOL_BUFFER,
                            .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                            .fd = -1,
                            .buffer_token = buffer->token};
}

/* ---- In requests ----------------------------------------------------------------------------- */

uint32_t hy_buffer_case_output(const struct hy_buffer_case *test_case)
{
    return test_case->sample.test_case.input_count;
}

static uint32_t argument_count(const struct hy_buffer_case *test_case)
{
    return test_case->sample.test_case.input_count + test_case->sample.test_case.output_count;
}

static bool has_bytes(const struct hy_vector *vector)
{
    return vector->models[0].inputs.count > 0 && vector->models[0].outputs.count > 0 &&
           vector->examples[0].inputs[0].length > 0 && vector->examples[0].outputs[0].length > 0;
}

/* Makes both buffers, or neither if the device has none for the model. */
static bool make_both(struct hy_buffer_case *test_case)
{
    static const struct hy_buffer_use in = {.is_output = 0}, out = {.is_output = 1};
    return hy_buffer_make(test_case->check, test_case->rule, test_case->sample.prepared, &in, 1,
                          &test_case->input) == HY_STATUS_OK &&
           hy_buffer_make(test_case->check, test_case->rule, test_case->sample.prepared, &out, 1,
                          &test_case->output) == HY_STATUS_OK;
}

bool hy_buffer_case_make(struct hy_check *check, enum hy_rule rule, const struct hy_vector *vector,
                         struct hy_buffer_case *out)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    *out = (struct hy_buffer_case){.check = check, .rule = rule};
    if (!has_bytes(vector) || !hy_sample_make(check, rule, vector, &form, &out->sample))
        return false;
    hy_result_page_step(check->page, rule, "buffers for %s", vector->name);
    out->shared = calloc(argument_count(out), sizeof *out->shared);
    if (!out->shared)
        return false;
    for (uint32_t i = 0; i < argument_count(out); i++)
        out->shared[i] = out->sample.test_case.arguments[i].location;
    hy_buffer_case_clear(out);
    return make_both(out);
}

void hy_buffer_case_finish(struct hy_buffer_case *test_case)
{
    hy_buffer_finish(test_case->check, &test_case->input);
    hy_buffer_finish(test_case->check, &test_case->output);
    free(test_case->shared);
    hy_sample_finish(test_case->check, &test_case->sample);
}

void hy_buffer_case_clear(struct hy_buffer_case *test_case)
{
    struct hy_request_case *request = &test_case->sample.test_case;
    memcpy(test_case->pools, request->pools, sizeof request->pools);
    request->request.pools = test_case->pools;
    request->request.pool_count = 2;
    for (uint32_t i = 0; i < argument_count(test_case); i++)
        request->arguments[i].location = test_case->shared[i];
}

void hy_buffer_case_put(struct hy_buffer_case *test_case, uint32_t argument,
                        const struct hy_buffer *buffer)
{
    struct hy_request_case *request = &test_case->sample.test_case;
    const uint32_t pool = request->request.pool_count++;
    test_case->pools[pool] = hy_buffer_pool(buffer);
    request->arguments[argument].location = (struct hy_location){.pool = pool};
}

int32_t hy_buffer_case_run(struct hy_buffer_case *test_case)
{
    return hy_call_execute(test_case->check, test_case->sample.prepared,
                           &test_case->sample.test_case);
}

int32_t hy_buffer_case_fill(struct hy_buffer_case *test_case)
{
    const struct hy_location *at = &test_case->shared[0];
    return hy_buffer_write(test_case->check, &test_case->input, HY_POOL_ASHMEM,
                           test_case->sample.test_case.memory[0].bytes + at->offset, at->length);
}

bool hy_buffer_case_is_correct(struct hy_buffer_case *test_case, int32_t status,
                               struct hy_error *reason)
{
    const struct hy_location *at = &test_case->shared[hy_buffer_case_output(test_case)];
    struct hy_request_case *request = &test_case->sample.test_case;
    hy_buffer_case_clear(test_case);
    if (status == HY_STATUS_OK)
        status = hy_buffer_read(test_case->check, &test_case->output, HY_POOL_ASHMEM,
                                request->memory[1].bytes + at->offset, at->length);
    return hy_request_case_check(request, status, reason) == HY_REQUEST_CASE_OK;
}

void hy_buffer_case_report(const struct hy_buffer_case *test_case, const char *format, ...)
{
    char text[HY_FINDING_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hy_result_page_report(test_case->check->page, test_case->rule, "%s: %.300s",
                          test_case->sample.vector->name, text);
}

void hy_for_each_buffer_case(struct hy_check *check, enum hy_rule rule,
                             void (*run)(struct hy_buffer_case *test_case))
{
    const struct hy_vector *vector;
    uint32_t count = 0;
    if (!check->table.buffer_create) {
        hy_result_page_skip(check->page, rule, "the device does not offer buffers");
        return;
    }
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_buffer_case test_case;
        if (hy_buffer_case_make(check, rule, vector, &test_case)) {
            run(&test_case);
            count++;
        }
        hy_buffer_case_finish(&test_case);
    }
    if (count > 0 || hy_result_page_has_finding(check->page, rule))
        hy_result_page_pass(check->page, rule);
    else
        hy_result_page_skip(check->page, rule, "the device refuses buffers for all models");
}
