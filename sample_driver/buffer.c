#include "buffer.h"

#include "driver_kit/quota_memory.h"
#include "prepared.h"

#include <string.h>

/* ---- Making one ------------------------------------------------------------------------------ */

/* What a role says of the tensor. NULL: `status` is the answer. */
static const struct sample_tensor *tensor_of(const struct hy_buffer_desc *desc, uint32_t number,
                                             int32_t *status)
{
    const struct hy_buffer_role *role = &desc->roles[number];
    *status = HY_STATUS_INVALID_ARGUMENT;
    if (role->prepared >= desc->prepared_count || !desc->prepared[role->prepared] ||
        role->is_output > 1 || !(role->frequency > 0 && role->frequency <= 1))
        return NULL;
    for (uint32_t i = 0; i < number; i++) {
        const struct hy_buffer_role *other = &desc->roles[i];
        if (other->prepared == role->prepared && other->is_output == role->is_output &&
            other->index == role->index)
            return NULL;
    }
    const struct sample_tensor *tensor =
        sample_prepared_argument(desc->prepared[role->prepared], role->is_output, role->index);
    if (tensor && tensor->bytes == 0) {
        *status = HY_STATUS_GENERAL_FAILURE; /* an input that no step reads: what is it? */
        return NULL;
    }
    return tensor;
}

static bool is_alike(const struct sample_tensor *a, const struct sample_tensor *b)
{
    return a->type == b->type && memcmp(&a->scale, &b->scale, sizeof a->scale) == 0 &&
           a->zero_point == b->zero_point && a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

/* Extents of 0 and a rank of 0 say nothing. */
static bool dims_fit(const struct sample_tensor *tensor, uint32_t rank, const uint32_t *dims)
{
    if (rank == 0)
        return true;
    bool fits = rank == tensor->rank && dims;
    for (uint32_t i = 0; fits && i < rank; i++)
        fits = dims[i] == 0 || dims[i] == tensor->dims[i];
    return fits;
}

/* The tensor that all roles agree on. Its layout is that of the device where all of them want it:
 * else a plain one serves those who do not, and the others convert. */
static int32_t find_tensor(const struct hy_buffer_desc *desc, struct sample_tensor *out)
{
    int32_t status = HY_STATUS_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < desc->role_count; i++) {
        const struct sample_tensor *tensor = tensor_of(desc, i, &status);
        if (!tensor)
            return status;
        if (i == 0)
            *out = *tensor;
        if (!is_alike(tensor, out) || !dims_fit(tensor, desc->rank, desc->dims))
            return HY_STATUS_INVALID_ARGUMENT;
        if (tensor->layout == SAMPLE_PLAIN)
            out->layout = SAMPLE_PLAIN;
    }
    return desc->role_count > 0 ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT;
}

static struct sample_buffer *create(const struct hy_host *host, const struct hy_buffer_desc *desc,
                                    const struct sample_tensor *tensor)
{
    struct sample_buffer *buffer =
        hy_quota_zeros(host, sizeof *buffer + desc->role_count * sizeof *buffer->roles, 1);
    if (!buffer)
        return NULL;
    const uint64_t bytes = sample_tensor_stored_bytes(tensor);
    buffer->host = host;
    buffer->tensor = *tensor;
    buffer->memory = hy_quota_bytes(host, bytes);
    if (!buffer->memory) {
        sample_buffer_free(buffer);
        return NULL;
    }
    memset(buffer->memory, 0, bytes);
    buffer->role_count = desc->role_count;
    for (uint32_t i = 0; i < desc->role_count; i++) {
        const struct hy_buffer_role *role = &desc->roles[i];
        buffer->roles[i] = (struct sample_role){.prepared = desc->prepared[role->prepared],
                                                .is_output = role->is_output,
                                                .index = role->index};
    }
    return buffer;
}

int32_t sample_buffer_create(const struct hy_host *host, struct sample_buffers *buffers,
                             const struct hy_buffer_desc *desc, uint32_t *token, void **buffer)
{
    struct sample_tensor tensor;
    if (!HY_REACHES(desc, role_count) || desc->prepared_count == 0)
        return HY_STATUS_INVALID_ARGUMENT;
    const int32_t status = find_tensor(desc, &tensor);
    if (status != HY_STATUS_OK)
        return status;
    struct sample_buffer *made = create(host, desc, &tensor);
    if (!made || !sample_buffers_add(buffers, made)) {
        sample_buffer_free(made);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    *token = made->token;
    *buffer = made;
    return HY_STATUS_OK;
}

/* An execution that still uses it goes on with it. */
void sample_buffer_destroy(void *buffer)
{
    sample_buffers_remove(buffer);
}

/* ---- Copies: where the layout is converted --------------------------------------------------- */

/* Between two places that may lie in different layouts. */
static void convert(const struct sample_tensor *tensor, uint32_t from_layout, const uint8_t *from,
                    uint32_t to_layout, uint8_t *to)
{
    const uint32_t rows = tensor->dims[0], columns = tensor->dims[1];
    if (from_layout != to_layout && to_layout == SAMPLE_IN_LANES)
        sample_lanes_pack(rows, columns, from, to);
    else if (from_layout != to_layout)
        sample_lanes_unpack(rows, columns, from, to);
    else
        memcpy(to, from,
               to_layout == SAMPLE_PLAIN ? tensor->bytes : sample_lanes_bytes(rows, columns));
}

/* From another buffer of the device, or this one: nothing leaves it. */
static int32_t copy_inside(struct sample_buffer *buffer, const struct sample_buffer *source)
{
    if (!is_alike(&buffer->tensor, &source->tensor))
        return HY_STATUS_INVALID_ARGUMENT;
    if (!atomic_load(&source->is_written))
        return HY_STATUS_GENERAL_FAILURE;
    if (source != buffer)
        convert(&buffer->tensor, source->tensor.layout, source->memory, buffer->tensor.layout,
                buffer->memory);
    return HY_STATUS_OK;
}

/* Shared memory of exactly the size of the tensor, which is not that of what we keep. */
static int32_t map(const struct sample_buffer *buffer, const struct hy_pool *pool,
                   uint32_t protection, void **address)
{
    if (pool->kind == HY_POOL_HARDWARE_BUFFER)
        return HY_STATUS_GENERAL_FAILURE; /* we read tensors alone */
    if (pool->kind == HY_POOL_BUFFER || pool->size != buffer->tensor.bytes)
        return HY_STATUS_INVALID_ARGUMENT;
    return buffer->host->map(buffer->host->context, pool, protection, address);
}

static int32_t copy_in(struct sample_buffer *buffer, const struct hy_pool *source)
{
    if (source->kind == HY_POOL_BUFFER) {
        struct sample_buffer *other = sample_buffers_take(buffer->home, source->buffer_token);
        if (!other)
            return HY_STATUS_INVALID_ARGUMENT;
        const int32_t status = copy_inside(buffer, other);
        sample_buffers_give_back(other);
        return status;
    }
    void *plain = NULL;
    const int32_t status = map(buffer, source, HY_PROTECT_READ, &plain);
    if (status == HY_STATUS_OK)
        convert(&buffer->tensor, SAMPLE_PLAIN, plain, buffer->tensor.layout, buffer->memory);
    return status;
}

/* A copy that fails leaves nothing that can be read. Our shapes are known: `dims` may repeat them.
 */
int32_t sample_buffer_copy_from(void *self, const struct hy_pool *source, const uint32_t *dims,
                                uint32_t rank)
{
    struct sample_buffer *buffer = self;
    bool fits = rank == 0 || (rank == buffer->tensor.rank && dims);
    for (uint32_t i = 0; fits && i < rank; i++)
        fits = dims[i] == buffer->tensor.dims[i];
    const int32_t status = fits ? copy_in(buffer, source) : HY_STATUS_INVALID_ARGUMENT;
    atomic_store(&buffer->is_written, status == HY_STATUS_OK);
    return status;
}

int32_t sample_buffer_copy_to(void *self, const struct hy_pool *destination)
{
    struct sample_buffer *buffer = self;
    void *plain = NULL;
    if (!atomic_load(&buffer->is_written))
        return HY_STATUS_GENERAL_FAILURE;
    const int32_t status = map(buffer, destination, HY_PROTECT_WRITE, &plain);
    if (status == HY_STATUS_OK)
        convert(&buffer->tensor, buffer->tensor.layout, buffer->memory, SAMPLE_PLAIN, plain);
    return status;
}
