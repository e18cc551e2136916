#include "buffer.h"

#include "driver_kit/quota_memory.h"
#include "prepared.h"

#include <string.h>

/* ---- Making one ------------------------------------------------------------------------------ */

static bool is_alike(const struct xd_tensor *a, const struct xd_tensor *b)
{
    return a->type == b->type && memcmp(&a->quant, &b->quant, sizeof a->quant) == 0 &&
           a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

/* Extents of 0 and a rank of 0 say nothing. */
static bool dims_fit(const struct xd_tensor *tensor, uint32_t rank, const uint32_t *dims)
{
    if (rank == 0)
        return true;
    bool fits = rank == tensor->rank && dims;
    for (uint32_t i = 0; fits && i < rank; i++)
        fits = dims[i] == 0 || dims[i] == tensor->dims[i];
    return fits;
}

static bool is_twice(const struct hy_buffer_desc *desc, uint32_t number)
{
    const struct hy_buffer_role *role = &desc->roles[number];
    for (uint32_t i = 0; i < number; i++) {
        const struct hy_buffer_role *other = &desc->roles[i];
        if (other->prepared == role->prepared && other->is_output == role->is_output &&
            other->index == role->index)
            return true;
    }
    return false;
}

/* What a role stands for. NULL: nothing. */
static const struct xd_tensor *tensor_of(const struct hy_buffer_desc *desc, uint32_t number)
{
    const struct hy_buffer_role *role = &desc->roles[number];
    if (role->prepared >= desc->prepared_count || !desc->prepared[role->prepared] ||
        role->is_output > 1 || !(role->frequency > 0 && role->frequency <= 1) ||
        is_twice(desc, number))
        return NULL;
    return xd_prepared_argument(desc->prepared[role->prepared], role->is_output, role->index);
}

/* The tensor that all roles agree on. */
static int32_t find_tensor(const struct hy_buffer_desc *desc, struct xd_tensor *ret)
{
    for (uint32_t i = 0; i < desc->role_count; i++) {
        const struct xd_tensor *tensor = tensor_of(desc, i);
        if (!tensor || !dims_fit(tensor, desc->rank, desc->dims) ||
            (i > 0 && !is_alike(tensor, ret)))
            return HY_STATUS_INVALID_ARGUMENT;
        *ret = *tensor;
    }
    if (desc->role_count == 0)
        return HY_STATUS_INVALID_ARGUMENT;
    return ret->bytes > 0 ? HY_STATUS_OK : HY_STATUS_GENERAL_FAILURE;
}

/* Zeros at first: nobody sees what the memory held before. */
static uint8_t *make_memory(const struct hy_host *host, const struct xd_tensor *tensor)
{
    const size_t bytes = tensor->bytes + XNN_EXTRA_BYTES;
    uint8_t *memory = hy_quota_bytes(host, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

static struct xd_buffer *make(const struct hy_host *host, const struct hy_buffer_desc *desc,
                              const struct xd_tensor *tensor)
{
    struct xd_buffer *buffer =
        hy_quota_zeros(host, sizeof *buffer + desc->role_count * sizeof *buffer->roles, 1);
    if (!buffer)
        return NULL;
    buffer->tensor = *tensor;
    buffer->memory = make_memory(host, tensor);
    if (!buffer->memory) {
        xd_buffer_free(buffer);
        return NULL;
    }
    buffer->role_count = desc->role_count;
    for (uint32_t i = 0; i < desc->role_count; i++) {
        const struct hy_buffer_role *role = &desc->roles[i];
        buffer->roles[i] = (struct xd_role){.prepared = desc->prepared[role->prepared],
                                            .is_output = role->is_output,
                                            .index = role->index};
    }
    return buffer;
}

int32_t xd_buffer_create(struct xd_buffers *buffers, const struct hy_buffer_desc *desc,
                         uint32_t *token, void **buffer)
{
    struct xd_tensor tensor;
    if (!HY_REACHES(desc, role_count) || desc->prepared_count == 0 || !desc->prepared ||
        !desc->roles)
        return HY_STATUS_INVALID_ARGUMENT;
    const int32_t status = find_tensor(desc, &tensor);
    if (status != HY_STATUS_OK)
        return status;
    struct xd_buffer *made = make(xd_buffers_host(buffers), desc, &tensor);
    if (!made || !xd_buffers_add(buffers, made)) {
        xd_buffer_free(made);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    *token = made->token;
    *buffer = made;
    return HY_STATUS_OK;
}

/* An execution that still uses it goes on with it. */
void xd_buffer_destroy(void *buffer)
{
    xd_buffers_remove(buffer);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

/* Memory of exactly the tensor's size. */
static int32_t map(const struct xd_buffer *buffer, const struct hy_pool *pool, uint32_t protection,
                   void **address)
{
    const struct hy_host *host = xd_buffers_host(buffer->home);
    if (pool->kind == HY_POOL_HARDWARE_BUFFER)
        return HY_STATUS_GENERAL_FAILURE; /* we read tensors alone */
    if (pool->kind == HY_POOL_BUFFER || pool->size != buffer->tensor.bytes)
        return HY_STATUS_INVALID_ARGUMENT;
    return host->map(host->context, pool, protection, address);
}

/* From another buffer of the device, or this one. */
static int32_t copy_inside(struct xd_buffer *buffer, const struct xd_buffer *source)
{
    if (!is_alike(&buffer->tensor, &source->tensor))
        return HY_STATUS_INVALID_ARGUMENT;
    if (!atomic_load(&source->is_written))
        return HY_STATUS_GENERAL_FAILURE;
    if (source != buffer)
        memcpy(buffer->memory, source->memory, buffer->tensor.bytes);
    return HY_STATUS_OK;
}

static int32_t copy_in(struct xd_buffer *buffer, const struct hy_pool *source)
{
    if (source->kind == HY_POOL_BUFFER) {
        struct xd_buffer *other = xd_buffers_take(buffer->home, source->buffer_token);
        if (!other)
            return HY_STATUS_INVALID_ARGUMENT;
        const int32_t status = copy_inside(buffer, other);
        xd_buffers_give_back(other);
        return status;
    }
    void *bytes = NULL;
    const int32_t status = map(buffer, source, HY_PROTECT_READ, &bytes);
    if (status == HY_STATUS_OK)
        memcpy(buffer->memory, bytes, buffer->tensor.bytes);
    return status;
}

/* Our shapes are known: `dims` may repeat them, or say nothing. */
int32_t xd_buffer_copy_from(void *self, const struct hy_pool *source, const uint32_t *dims,
                            uint32_t rank)
{
    struct xd_buffer *buffer = self;
    bool fits = rank == 0 || (rank == buffer->tensor.rank && dims);
    for (uint32_t i = 0; fits && i < rank; i++)
        fits = dims[i] == buffer->tensor.dims[i];
    const int32_t status = fits ? copy_in(buffer, source) : HY_STATUS_INVALID_ARGUMENT;
    atomic_store(&buffer->is_written, status == HY_STATUS_OK);
    return status;
}

int32_t xd_buffer_copy_to(void *self, const struct hy_pool *destination)
{
    struct xd_buffer *buffer = self;
    void *bytes = NULL;
    if (!atomic_load(&buffer->is_written))
        return HY_STATUS_GENERAL_FAILURE;
    const int32_t status = map(buffer, destination, HY_PROTECT_WRITE, &bytes);
    if (status == HY_STATUS_OK)
        memcpy(bytes, buffer->memory, buffer->tensor.bytes);
    return status;
}
