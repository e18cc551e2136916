/* Buffers, and what can be wrong with them. */
#include "faulty.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BUFFERS 16
#define MAX_ROLES   4

struct role {
    const struct prepared *prepared;
    uint32_t is_output, index;
};

struct buffer {
    struct device *device;
    uint32_t token, count, rank, dims[MAX_RANK];
    int is_written;
    float *bytes;
    uint32_t role_count;
    struct role roles[MAX_ROLES];
};

static struct buffer *buffers[MAX_BUFFERS];
static uint32_t last_token;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct buffer *find(uint32_t token)
{
    struct buffer *found = NULL;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MAX_BUFFERS && !found; i++)
        if (buffers[i] && buffers[i]->token == token)
            found = buffers[i];
    pthread_mutex_unlock(&mutex);
    return found;
}

float *faulty_buffer_bytes(uint32_t token)
{
    struct buffer *buffer = find(token);
    return buffer ? buffer->bytes : NULL;
}

/* ---- Making one ------------------------------------------------------------------------------ */

static uint32_t input_count(const struct prepared *prepared)
{
    return prepared->next ? 3 : prepared->input_count;
}

static uint32_t output_count(const struct prepared *prepared)
{
    return prepared->next ? 2 : 1;
}

static int role_is_right(const struct hy_buffer_desc *desc, uint32_t number)
{
    const struct hy_buffer_role *role = &desc->roles[number];
    if (role->prepared >= desc->prepared_count || !(role->frequency > 0 && role->frequency <= 1) ||
        role->is_output > 1)
        return 0;
    for (uint32_t i = 0; i < number; i++)
        if (desc->roles[i].prepared == role->prepared &&
            desc->roles[i].is_output == role->is_output && desc->roles[i].index == role->index)
            return 0;
    const struct prepared *prepared = desc->prepared[role->prepared];
    return role->index < (role->is_output ? output_count(prepared) : input_count(prepared));
}

/* All tensors of a model of ours have one shape. */
static int shapes_agree(const struct hy_buffer_desc *desc, uint32_t number)
{
    const struct prepared *first = desc->prepared[desc->roles[0].prepared];
    const struct prepared *other = desc->prepared[desc->roles[number].prepared];
    if (first->rank != other->rank || memcmp(first->dims, other->dims, sizeof first->dims) != 0)
        return 0;
    if (desc->rank != 0 && desc->rank != first->rank)
        return 0;
    for (uint32_t i = 0; i < desc->rank; i++)
        if (desc->dims[i] != 0 && desc->dims[i] != first->dims[i])
            return 0;
    return 1;
}

static int32_t check_description(const struct device *device, const struct hy_buffer_desc *desc)
{
    if (desc->prepared_count == 0 || desc->role_count == 0)
        return HY_STATUS_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < desc->role_count; i++)
        if ((!role_is_right(desc, i) || !shapes_agree(desc, i)) &&
            !has_fault(device, "buffer-any-description"))
            return HY_STATUS_INVALID_ARGUMENT;
    const struct prepared *prepared = desc->prepared[0];
    return desc->role_count > MAX_ROLES || prepared->count == 0 ? HY_STATUS_GENERAL_FAILURE
                                                                : HY_STATUS_OK;
}

static uint32_t next_token(const struct device *device, uint32_t position)
{
    if (has_fault(device, "buffer-token"))
        return 7;
    return has_fault(device, "buffer-token-again") ? position + 1 : ++last_token;
}

static int store(struct buffer *buffer)
{
    int is_stored = 0;
    pthread_mutex_lock(&mutex);
    for (uint32_t i = 0; i < MAX_BUFFERS && !is_stored; i++)
        if (!buffers[i]) {
            buffer->token = next_token(buffer->device, i);
            buffers[i] = buffer;
            is_stored = 1;
        }
    pthread_mutex_unlock(&mutex);
    return is_stored;
}

static int32_t buffer_create(void *device, const struct hy_buffer_desc *desc, uint32_t *token,
                             void **out)
{
    const int32_t status = check_description(device, desc);
    if (status != HY_STATUS_OK)
        return status;
    const struct prepared *prepared = desc->prepared[0];
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    buffer->device = device;
    buffer->count = prepared->count;
    buffer->rank = prepared->rank;
    memcpy(buffer->dims, prepared->dims, sizeof buffer->dims);
    buffer->role_count = desc->role_count;
    for (uint32_t i = 0; i < desc->role_count; i++)
        buffer->roles[i] = (struct role){prepared, desc->roles[i].is_output, desc->roles[i].index};
    buffer->bytes = calloc(buffer->count, sizeof *buffer->bytes);
    if (!buffer->bytes || !store(buffer)) {
        free(buffer->bytes);
        free(buffer);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    *token = buffer->token;
    *out = buffer;
    return HY_STATUS_OK;
}

static void buffer_destroy(void *self)
{
    struct buffer *buffer = self;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MAX_BUFFERS; i++)
        if (buffers[i] == buffer)
            buffers[i] = NULL;
    pthread_mutex_unlock(&mutex);
    free(buffer->bytes);
    free(buffer);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static int32_t map(const struct buffer *buffer, const struct hy_pool *pool, uint32_t protection,
                   void **address)
{
    const struct hy_host *host = buffer->device->instance->host;
    if (pool->kind == HY_POOL_HARDWARE_BUFFER)
        return HY_STATUS_GENERAL_FAILURE;
    if (pool->kind == HY_POOL_MMAP_FD && has_fault(buffer->device, "buffer-no-files"))
        return HY_STATUS_GENERAL_FAILURE;
    if (pool->size != buffer->count * sizeof *buffer->bytes &&
        !has_fault(buffer->device, "buffer-any-size"))
        return HY_STATUS_INVALID_ARGUMENT;
    return host->map(host->context, pool, protection, address);
}

static int32_t copy_from(struct buffer *buffer, const struct hy_pool *source, const uint32_t *dims,
                         uint32_t rank)
{
    const struct buffer *other = source->kind == HY_POOL_BUFFER ? find(source->buffer_token) : NULL;
    void *address = NULL;
    if (rank != 0 && (rank != buffer->rank || memcmp(dims, buffer->dims, rank * sizeof *dims) != 0))
        return HY_STATUS_INVALID_ARGUMENT;
    if (source->kind == HY_POOL_BUFFER && (!other || other->count != buffer->count))
        return HY_STATUS_INVALID_ARGUMENT;
    if (other && !other->is_written)
        return HY_STATUS_GENERAL_FAILURE;
    const int32_t status = other ? HY_STATUS_OK : map(buffer, source, HY_PROTECT_READ, &address);
    if (status == HY_STATUS_OK)
        memmove(buffer->bytes, other ? other->bytes : address,
                buffer->count * sizeof *buffer->bytes);
    return status;
}

static int32_t buffer_copy_from(void *self, const struct hy_pool *source, const uint32_t *dims,
                                uint32_t rank)
{
    struct buffer *buffer = self;
    const int32_t status = copy_from(buffer, source, dims, rank);
    buffer->is_written = status == HY_STATUS_OK;
    return status;
}

static int32_t buffer_copy_to(void *self, const struct hy_pool *destination)
{
    struct buffer *buffer = self;
    void *address = NULL;
    if (!buffer->is_written)
        return HY_STATUS_GENERAL_FAILURE;
    const int32_t status = map(buffer, destination, HY_PROTECT_WRITE, &address);
    if (status == HY_STATUS_OK)
        memcpy(address, buffer->bytes, buffer->count * sizeof *buffer->bytes);
    return status;
}

/* ---- In requests ----------------------------------------------------------------------------- */

/* Arguments by one number: the inputs, then the outputs. NULL: it lies in no buffer. */
static const struct hy_pool *pool_of(const struct hy_request *request, uint32_t number)
{
    const struct hy_argument *argument = number < request->input_count
                                             ? &request->inputs[number]
                                             : &request->outputs[number - request->input_count];
    const uint32_t pool = argument->location.pool;
    const int is_buffer = argument->flags == 0 && pool < request->pool_count &&
                          request->pools[pool].kind == HY_POOL_BUFFER;
    return is_buffer ? &request->pools[pool] : NULL;
}

static int has_role(const struct buffer *buffer, const struct prepared *prepared,
                    const struct hy_request *request, uint32_t number)
{
    const uint32_t is_output = number >= request->input_count;
    const uint32_t index = number - is_output * request->input_count;
    for (uint32_t i = 0; i < buffer->role_count; i++)
        if (buffer->roles[i].prepared == prepared && buffer->roles[i].is_output == is_output &&
            buffer->roles[i].index == index)
            return 1;
    return has_fault(buffer->device, "buffer-any-role");
}

static int is_used_elsewhere(const struct hy_request *request, uint32_t number, uint32_t token)
{
    const uint32_t inputs = request->input_count, count = inputs + request->output_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct hy_pool *other = pool_of(request, i);
        if (i != number && (number >= inputs || i >= inputs) && other &&
            other->buffer_token == token)
            return 1;
    }
    return 0;
}

static int32_t check_argument(const struct prepared *prepared, const struct hy_request *request,
                              uint32_t number, uint32_t token)
{
    const struct device *device = prepared->device;
    const int is_output = number >= request->input_count;
    const struct hy_argument *argument =
        is_output ? &request->outputs[number - request->input_count] : &request->inputs[number];
    const struct hy_location *at = &argument->location;
    const struct buffer *buffer = find(token);
    if (!buffer || !has_role(buffer, prepared, request, number))
        return HY_STATUS_INVALID_ARGUMENT;
    if ((at->offset || at->length || at->padding) && !has_fault(device, "buffer-any-place"))
        return HY_STATUS_INVALID_ARGUMENT;
    if (is_used_elsewhere(request, number, token) && !has_fault(device, "buffer-both-ways"))
        return HY_STATUS_INVALID_ARGUMENT;
    return !is_output && !buffer->is_written && !has_fault(device, "buffer-unwritten")
               ? HY_STATUS_GENERAL_FAILURE
               : HY_STATUS_OK;
}

/* A wrong use weighs more than a buffer that holds nothing. */
static int32_t check_arguments(const struct prepared *prepared, const struct hy_request *request)
{
    int32_t final_status = HY_STATUS_OK;
    for (uint32_t i = 0; i < request->input_count + request->output_count; i++) {
        const struct hy_pool *pool = pool_of(request, i);
        const int32_t status =
            pool ? check_argument(prepared, request, i, pool->buffer_token) : HY_STATUS_OK;
        if (status == HY_STATUS_INVALID_ARGUMENT)
            return status;
        final_status = status != HY_STATUS_OK ? status : final_status;
    }
    return final_status;
}

/* A thread of many: the others are in there, or come soon, and are sent away. */
static int is_alone(void)
{
    static atomic_uint callers;
    const unsigned before = atomic_fetch_add(&callers, 1);
    for (int us = 0; gettid() != getpid() && us < 50000 && atomic_load(&callers) < 2; us += 200)
        usleep(200);
    if (before == 0)
        usleep(1000);
    atomic_fetch_sub(&callers, 1);
    return before == 0;
}

static void finalize(const struct prepared *prepared, const struct hy_request *request,
                     int32_t status)
{
    for (uint32_t i = 0; i < request->output_count; i++) {
        const struct hy_pool *pool = pool_of(request, request->input_count + i);
        struct buffer *buffer = pool ? find(pool->buffer_token) : NULL;
        if (buffer &&
            (status == HY_STATUS_OK || !has_fault(prepared->device, "buffer-keeps-failed")))
            buffer->is_written = status == HY_STATUS_OK;
    }
}

static int uses_buffers(const struct hy_request *request)
{
    for (uint32_t i = 0; i < request->input_count + request->output_count; i++)
        if (pool_of(request, i))
            return 1;
    return 0;
}

int32_t faulty_execute(void *self, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    const struct prepared *prepared = self;
    if (!uses_buffers(request))
        return faulty_execute_model(self, request, options, result);
    int32_t status = check_arguments(prepared, request);
    if (status == HY_STATUS_OK && has_fault(prepared->device, "buffer-one-reader") && !is_alone())
        status = HY_STATUS_GENERAL_FAILURE;
    if (status == HY_STATUS_INVALID_ARGUMENT)
        return status; /* it was no execution */
    if (status == HY_STATUS_OK)
        status = faulty_execute_model(self, request, options, result);
    finalize(prepared, request, status);
    return status;
}

void faulty_add_buffers(struct hy_device *table)
{
    table->buffer_create = buffer_create;
    table->buffer_copy_from = buffer_copy_from;
    table->buffer_copy_to = buffer_copy_to;
    table->buffer_destroy = buffer_destroy;
}
