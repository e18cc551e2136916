#include "driver_kit/device_buffer.h"

#include "driver_kit/quota_memory.h"

#include <string.h>

bool hy_device_buffers_init(struct hy_device_buffers *buffers, const struct hy_host *host,
                            const struct hy_buffer_functions *functions, uint32_t capacity)
{
    *buffers = (struct hy_device_buffers){
        .host = host, .functions = functions, .tokens = {.capacity = capacity}};
    return capacity == 0 || hy_token_table_reserve(&buffers->tokens);
}

void hy_device_buffers_finish(struct hy_device_buffers *buffers)
{
    hy_token_table_finish(&buffers->tokens);
}

/* ---- Roles ----------------------------------------------------------------------------------- */

static bool is_alike(const struct hy_buffer_tensor *a, const struct hy_buffer_tensor *b)
{
    return a->type == b->type && a->scale == b->scale && a->zero_point == b->zero_point &&
           a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

/* A rank of 0 says nothing, and so does an extent of 0 where it may be open. */
static bool dims_fit(const struct hy_buffer_tensor *tensor, uint32_t rank, const uint32_t *dims,
                     bool may_be_open)
{
    bool fits = rank == 0 || (rank == tensor->rank && dims);
    for (uint32_t i = 0; fits && i < rank; i++)
        fits = dims[i] == tensor->dims[i] || (may_be_open && dims[i] == 0);
    return fits;
}

static struct hy_buffer_use use_of(const struct hy_buffer_desc *desc, uint32_t number)
{
    const struct hy_buffer_role *role = &desc->roles[number];
    return (struct hy_buffer_use){desc->prepared[role->prepared], role->is_output != 0,
                                  role->index};
}

static bool is_same_use(const struct hy_buffer_use *a, const struct hy_buffer_use *b)
{
    return a->prepared == b->prepared && a->is_output == b->is_output && a->index == b->index;
}

static bool is_in(const struct hy_buffer_use *uses, uint32_t count, const struct hy_buffer_use *use)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_same_use(&uses[i], use))
            return true;
    }
    return false;
}

static bool is_role(const struct hy_buffer_desc *desc, const struct hy_buffer_role *role)
{
    return role->prepared < desc->prepared_count && desc->prepared[role->prepared] &&
           role->is_output <= 1 && role->frequency > 0 && role->frequency <= 1;
}

/* Adds the roles to `buffer`, which has capacity for all of them, and finds their common tensor. */
static int32_t add_roles(struct hy_device_buffer *buffer, const struct hy_buffer_desc *desc)
{
    for (uint32_t i = 0; i < desc->role_count; i++) {
        struct hy_buffer_tensor tensor;
        if (!is_role(desc, &desc->roles[i]))
            return HY_STATUS_INVALID_ARGUMENT;
        const struct hy_buffer_use use = use_of(desc, i);
        if (is_in(buffer->roles, i, &use) ||
            !buffer->owner->functions->argument(use.prepared, use.is_output, use.index, &tensor))
            return HY_STATUS_INVALID_ARGUMENT;
        if (tensor.bytes == 0)
            return HY_STATUS_GENERAL_FAILURE; /* size unknown */
        if ((i > 0 && !is_alike(&tensor, &buffer->tensor)) ||
            !dims_fit(&tensor, desc->rank, desc->dims, true))
            return HY_STATUS_INVALID_ARGUMENT;
        if (i > 0 && tensor.layout != buffer->tensor.layout)
            tensor.layout = 0;
        buffer->tensor = tensor;
        buffer->roles[i] = use;
    }
    buffer->role_count = desc->role_count;
    return HY_STATUS_OK;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void free_buffer(struct hy_device_buffer *buffer)
{
    hy_quota_free(buffer->memory);
    hy_quota_free(buffer);
}

/* Zeroed, so that no client sees old content of the memory. */
static int32_t add_memory(struct hy_device_buffer *buffer)
{
    struct hy_device_buffers *owner = buffer->owner;
    const uint64_t bytes = owner->functions->stored_bytes(&buffer->tensor);
    buffer->memory = hy_quota_bytes(owner->host, bytes);
    if (!buffer->memory)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    memset(buffer->memory, 0, bytes);
    return hy_token_table_add(&owner->tokens, buffer, &buffer->token)
               ? HY_STATUS_OK
               : HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
}

int32_t hy_device_buffer_create(struct hy_device_buffers *buffers,
                                const struct hy_buffer_desc *desc, uint32_t *token, void **buffer)
{
    if (!HY_REACHES(desc, role_count) || desc->prepared_count == 0 || !desc->prepared ||
        desc->role_count == 0 || !desc->roles)
        return HY_STATUS_INVALID_ARGUMENT;
    struct hy_device_buffer *made = hy_quota_zeros(
        buffers->host, sizeof *made + (uint64_t)desc->role_count * sizeof *made->roles, 1);
    if (!made)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    made->owner = buffers;
    int32_t status = add_roles(made, desc);
    if (status == HY_STATUS_OK)
        status = add_memory(made);
    if (status != HY_STATUS_OK) {
        free_buffer(made);
        return status;
    }
    *token = made->token;
    *buffer = made;
    return HY_STATUS_OK;
}

void hy_device_buffer_destroy(void *self)
{
    struct hy_device_buffer *buffer = self;
    if (hy_token_table_remove(&buffer->owner->tokens, buffer->token))
        free_buffer(buffer);
}

struct hy_device_buffer *hy_device_buffer_hold(struct hy_device_buffers *buffers, uint32_t token,
                                               struct hy_buffer_use use)
{
    struct hy_device_buffer *buffer = hy_token_table_hold(&buffers->tokens, token);
    if (!buffer || is_in(buffer->roles, buffer->role_count, &use))
        return buffer;
    hy_device_buffer_release(buffer);
    return NULL;
}

void hy_device_buffer_release(struct hy_device_buffer *buffer)
{
    if (hy_token_table_release(&buffer->owner->tokens, buffer->token))
        free_buffer(buffer);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static void copy(const struct hy_device_buffer *buffer, uint32_t from_layout, const uint8_t *from,
                 uint32_t to_layout, uint8_t *to)
{
    const struct hy_buffer_functions *functions = buffer->owner->functions;
    if (from_layout != to_layout)
        functions->convert(&buffer->tensor, from_layout, from, to_layout, to);
    else
        memcpy(to, from,
               to_layout == 0 ? buffer->tensor.bytes : functions->stored_bytes(&buffer->tensor));
}

static int32_t copy_inside(struct hy_device_buffer *buffer, const struct hy_device_buffer *source)
{
    if (!is_alike(&buffer->tensor, &source->tensor))
        return HY_STATUS_INVALID_ARGUMENT;
    if (!atomic_load(&source->is_written))
        return HY_STATUS_GENERAL_FAILURE;
    if (source != buffer)
        copy(buffer, source->tensor.layout, source->memory, buffer->tensor.layout, buffer->memory);
    return HY_STATUS_OK;
}

static int32_t map(const struct hy_device_buffer *buffer, const struct hy_pool *pool,
                   uint32_t protection, void **address)
{
    const struct hy_host *host = buffer->owner->host;
    if (pool->kind == HY_POOL_HARDWARE_BUFFER)
        return HY_STATUS_GENERAL_FAILURE; /* a buffer holds a tensor, not an image */
    if (pool->kind == HY_POOL_BUFFER || pool->size != buffer->tensor.bytes)
        return HY_STATUS_INVALID_ARGUMENT;
    return host->map(host->context, pool, protection, address);
}

static int32_t copy_in(struct hy_device_buffer *buffer, const struct hy_pool *source)
{
    if (source->kind == HY_POOL_BUFFER) {
        struct hy_device_buffer *other =
            hy_token_table_hold(&buffer->owner->tokens, source->buffer_token);
        if (!other)
            return HY_STATUS_INVALID_ARGUMENT;
        const int32_t status = copy_inside(buffer, other);
        hy_device_buffer_release(other);
        return status;
    }
    void *bytes = NULL;
    const int32_t status = map(buffer, source, HY_PROTECT_READ, &bytes);
    if (status == HY_STATUS_OK)
        copy(buffer, 0, bytes, buffer->tensor.layout, buffer->memory);
    return status;
}

int32_t hy_device_buffer_copy_from(void *self, const struct hy_pool *source, const uint32_t *dims,
                                   uint32_t rank)
{
    struct hy_device_buffer *buffer = self;
    const int32_t status = dims_fit(&buffer->tensor, rank, dims, false)
                               ? copy_in(buffer, source)
                               : HY_STATUS_INVALID_ARGUMENT;
    atomic_store(&buffer->is_written, status == HY_STATUS_OK);
    return status;
}

int32_t hy_device_buffer_copy_to(void *self, const struct hy_pool *destination)
{
    struct hy_device_buffer *buffer = self;
    void *bytes = NULL;
    if (!atomic_load(&buffer->is_written))
        return HY_STATUS_GENERAL_FAILURE;
    const int32_t status = map(buffer, destination, HY_PROTECT_WRITE, &bytes);
    if (status == HY_STATUS_OK)
        copy(buffer, buffer->tensor.layout, buffer->memory, 0, bytes);
    return status;
}
