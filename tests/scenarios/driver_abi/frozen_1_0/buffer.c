/* Memory of the device's own: plain tensors, named by tokens that do not come again. */
#include "frozen.h"

#include <stdlib.h>

/* ---- Tokens ---------------------------------------------------------------------------------- */

struct buffer *frozen_buffer_take(struct device *device, uint32_t token)
{
    const uint32_t slot = (token & 0xff) - 1;
    struct buffer *buffer = NULL;
    if (slot >= MOST_BUFFERS)
        return NULL;
    pthread_mutex_lock(&device->lock);
    if (device->slots[slot] && device->slots[slot]->token == token) {
        buffer = device->slots[slot];
        atomic_fetch_add(&buffer->holders, 1);
    }
    pthread_mutex_unlock(&device->lock);
    return buffer;
}

void frozen_buffer_put(struct buffer *buffer)
{
    if (atomic_fetch_sub(&buffer->holders, 1) != 1)
        return;
    free(buffer->data);
    free(buffer);
}

static bool enlist(struct device *device, struct buffer *buffer)
{
    bool is_there = false;
    pthread_mutex_lock(&device->lock);
    for (uint32_t i = 0; i < MOST_BUFFERS && !is_there; i++) {
        if (device->slots[i])
            continue;
        device->slots[i] = buffer;
        buffer->token = (device->taken[i]++ & 0xffffff) << 8 | (i + 1);
        is_there = true;
    }
    pthread_mutex_unlock(&device->lock);
    return is_there;
}

/* ---- Making one ------------------------------------------------------------------------------ */

static const struct tensor *tensor_of(const struct prepared *prepared, bool is_output,
                                      uint32_t index)
{
    const struct program *program = &prepared->program;
    if (index >= (is_output ? program->output_count : program->input_count))
        return NULL;
    return &program->tensors[is_output ? program->outputs[index] : program->inputs[index]];
}

static bool is_alike(const struct tensor *a, const struct tensor *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

static bool is_twice(const struct hy_buffer_desc *desc, uint32_t number)
{
    for (uint32_t i = 0; i < number; i++) {
        const struct hy_buffer_role *a = &desc->roles[i], *b = &desc->roles[number];
        if (a->prepared == b->prepared && a->is_output == b->is_output && a->index == b->index)
            return true;
    }
    return false;
}

static bool dims_fit(const struct hy_buffer_desc *desc, const struct tensor *tensor)
{
    if (desc->rank == 0)
        return true;
    if (desc->rank != tensor->rank || !desc->dims)
        return false;
    for (uint32_t i = 0; i < desc->rank; i++) {
        if (desc->dims[i] != 0 && desc->dims[i] != tensor->dims[i])
            return false;
    }
    return true;
}

static int32_t find_tensor(const struct hy_buffer_desc *desc, const struct tensor **out)
{
    *out = NULL;
    for (uint32_t i = 0; i < desc->role_count; i++) {
        const struct hy_buffer_role *role = &desc->roles[i];
        if (role->prepared >= desc->prepared_count || !desc->prepared[role->prepared] ||
            role->is_output > 1 || !(role->frequency > 0 && role->frequency <= 1) ||
            is_twice(desc, i))
            return HY_STATUS_INVALID_ARGUMENT;
        const struct tensor *tensor =
            tensor_of(desc->prepared[role->prepared], role->is_output, role->index);
        if (!tensor)
            return HY_STATUS_INVALID_ARGUMENT;
        if (tensor->count == 0)
            return HY_STATUS_GENERAL_FAILURE; /* nothing that a step uses */
        if ((*out && !is_alike(*out, tensor)) || !dims_fit(desc, tensor))
            return HY_STATUS_INVALID_ARGUMENT;
        *out = tensor;
    }
    return *out ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT;
}

static struct buffer *make(struct device *device, const struct hy_buffer_desc *desc,
                           const struct tensor *tensor)
{
    struct buffer *buffer = calloc(1, sizeof *buffer + desc->role_count * sizeof *buffer->roles);
    if (!buffer)
        return NULL;
    buffer->device = device;
    buffer->rank = tensor->rank;
    buffer->count = tensor->count;
    memcpy(buffer->dims, tensor->dims, sizeof buffer->dims);
    atomic_init(&buffer->holders, 1);
    buffer->data = calloc(tensor->count, sizeof *buffer->data);
    buffer->role_count = desc->role_count;
    for (uint32_t i = 0; i < desc->role_count; i++)
        buffer->roles[i] = (struct role){.prepared = desc->prepared[desc->roles[i].prepared],
                                         .is_output = desc->roles[i].is_output,
                                         .index = desc->roles[i].index};
    return buffer;
}

int32_t frozen_buffer_create(void *device, const struct hy_buffer_desc *desc, uint32_t *token,
                             void **out)
{
    const struct tensor *tensor;
    if (!HY_REACHES(desc, role_count) || desc->prepared_count == 0)
        return HY_STATUS_INVALID_ARGUMENT;
    const int32_t status = find_tensor(desc, &tensor);
    if (status != HY_STATUS_OK)
        return status;
    struct buffer *buffer = make(device, desc, tensor);
    if (!buffer || !buffer->data || !enlist(device, buffer)) {
        if (buffer)
            frozen_buffer_put(buffer);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    *token = buffer->token;
    *out = buffer;
    return HY_STATUS_OK;
}

/* The token is dead at once; the memory goes with the last execution that uses it. */
void frozen_buffer_destroy(void *self)
{
    struct buffer *buffer = self;
    struct device *device = buffer->device;
    pthread_mutex_lock(&device->lock);
    device->slots[(buffer->token & 0xff) - 1] = NULL;
    pthread_mutex_unlock(&device->lock);
    frozen_buffer_put(buffer);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static int32_t map(const struct buffer *buffer, const struct hy_pool *pool, uint32_t protection,
                   void **address)
{
    const struct hy_host *host = buffer->device->host;
    if (pool->kind == HY_POOL_HARDWARE_BUFFER)
        return HY_STATUS_GENERAL_FAILURE;
    if (pool->kind == HY_POOL_BUFFER || pool->size != buffer->count * sizeof(float))
        return HY_STATUS_INVALID_ARGUMENT;
    return host->map(host->context, pool, protection, address);
}

static int32_t copy_inside(struct buffer *buffer, uint32_t token)
{
    struct buffer *source = frozen_buffer_take(buffer->device, token);
    int32_t status = HY_STATUS_INVALID_ARGUMENT;
    if (!source)
        return status;
    if (source->rank == buffer->rank &&
        memcmp(source->dims, buffer->dims, source->rank * sizeof *source->dims) == 0)
        status = atomic_load(&source->is_written) ? HY_STATUS_OK : HY_STATUS_GENERAL_FAILURE;
    if (status == HY_STATUS_OK)
        memmove(buffer->data, source->data, buffer->count * sizeof(float));
    frozen_buffer_put(source);
    return status;
}

static int32_t copy_in(struct buffer *buffer, const struct hy_pool *source)
{
    void *address = NULL;
    if (source->kind == HY_POOL_BUFFER)
        return copy_inside(buffer, source->buffer_token);
    const int32_t status = map(buffer, source, HY_PROTECT_READ, &address);
    if (status == HY_STATUS_OK)
        memcpy(buffer->data, address, buffer->count * sizeof(float));
    return status;
}

int32_t frozen_buffer_copy_from(void *self, const struct hy_pool *source, const uint32_t *dims,
                                uint32_t rank)
{
    struct buffer *buffer = self;
    const bool fits = rank == 0 || (rank == buffer->rank && dims &&
                                    memcmp(dims, buffer->dims, rank * sizeof *dims) == 0);
    const int32_t status = fits ? copy_in(buffer, source) : HY_STATUS_INVALID_ARGUMENT;
    atomic_store(&buffer->is_written, status == HY_STATUS_OK);
    return status;
}

int32_t frozen_buffer_copy_to(void *self, const struct hy_pool *destination)
{
    struct buffer *buffer = self;
    void *address = NULL;
    if (!atomic_load(&buffer->is_written))
        return HY_STATUS_GENERAL_FAILURE;
    const int32_t status = map(buffer, destination, HY_PROTECT_WRITE, &address);
    if (status == HY_STATUS_OK)
        memcpy(address, buffer->data, buffer->count * sizeof(float));
    return status;
}
