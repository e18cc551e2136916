#include "buffer_device.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BUFFERS = 256, MAX_ARGUMENTS = 16, MAX_FLOATS = 64, MAX_BUFFER_ROLES = 16 };

struct prepared {
    struct buffer_device *device;
    void *inner; /* the fake's */
    uint32_t input_count, output_count;
};

struct buffer {
    struct buffer_device *device;
    uint32_t token;
    struct hy_buffer_role roles[MAX_BUFFER_ROLES];
    const void *prepared[MAX_BUFFER_ROLES]; /* [role] */
    uint32_t role_count;
    uint32_t declared; /* extent that it was made for; 0: any */
    uint32_t extent;   /* of what it holds */
    bool is_written;
    uint32_t bits[MAX_FLOATS]; /* inverted */
};

/* Of all devices. Held while a buffer is looked at: a test is no place to be fast. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct buffer *buffers[MAX_BUFFERS];
static uint32_t last_token;

static struct buffer *find(const struct buffer_device *device, uint32_t token)
{
    for (uint32_t i = 0; i < MAX_BUFFERS; i++) {
        if (buffers[i] && buffers[i]->device == device && buffers[i]->token == token)
            return buffers[i];
    }
    return NULL;
}

static void invert(const void *from, void *to, uint32_t extent)
{
    const unsigned char *source = from;
    unsigned char *destination = to;
    for (size_t i = 0; i < extent * sizeof(float); i++)
        destination[i] = (unsigned char)~source[i];
}

/* ---- Models ---------------------------------------------------------------------------------- */

static int32_t prepare(void *self, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **ret)
{
    struct prepared *prepared = calloc(1, sizeof *prepared);
    if (!prepared)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    prepared->device = self;
    prepared->input_count = model->main->input_count;
    prepared->output_count = model->main->output_count;
    int32_t status = fake_parallel_table.prepare(self, model, options, &prepared->inner);
    if (status == HY_STATUS_OK && prepared->inner) {
        *ret = prepared;
        return HY_STATUS_OK;
    }
    free(prepared);
    return status;
}

static void prepared_destroy(void *self)
{
    struct prepared *prepared = self;
    fake_parallel_table.prepared_destroy(prepared->inner);
    free(prepared);
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* A request with the buffers in it unpacked. */
struct unpacked {
    const struct prepared *prepared;
    struct hy_argument arguments[MAX_ARGUMENTS]; /* inputs, outputs */
    struct hy_pool pools[2 * MAX_ARGUMENTS];
    uint32_t pool_count;
    uint32_t tokens[MAX_ARGUMENTS]; /* [argument]; 0: none */
    uint32_t token_count;
    float floats[MAX_ARGUMENTS][MAX_FLOATS];
};

static bool has_role(const struct buffer *buffer, const struct prepared *prepared, bool is_output,
                     uint32_t index)
{
    for (uint32_t i = 0; i < buffer->role_count; i++) {
        if (buffer->prepared[i] == prepared && buffer->roles[i].is_output == is_output &&
            buffer->roles[i].index == index)
            return true;
    }
    return false;
}

static int32_t unpack_one(struct unpacked *unpacked, uint32_t number, bool is_output,
                          uint32_t index)
{
    struct hy_argument *argument = &unpacked->arguments[number];
    const struct hy_pool *pool = &unpacked->pools[argument->location.pool];
    if ((argument->flags & HY_ARGUMENT_NO_VALUE) || pool->kind != HY_POOL_BUFFER)
        return HY_STATUS_OK;
    if (argument->location.offset || argument->location.length || argument->location.padding)
        return HY_STATUS_INVALID_ARGUMENT;

    pthread_mutex_lock(&lock);
    const struct buffer *buffer = find(unpacked->prepared->device, pool->buffer_token);
    int32_t status = HY_STATUS_OK;
    if (!buffer || !has_role(buffer, unpacked->prepared, is_output, index))
        status = HY_STATUS_INVALID_ARGUMENT;
    else if (!is_output && !buffer->is_written)
        status = HY_STATUS_GENERAL_FAILURE;
    else if (argument->rank &&
             argument->dims[0] != (is_output ? buffer->declared : buffer->extent) &&
             !(is_output && (buffer->declared == 0 || argument->dims[0] == 0)))
        status = HY_STATUS_INVALID_ARGUMENT;
    else if (!is_output)
        invert(buffer->bits, unpacked->floats[number], buffer->extent);
    if (status == HY_STATUS_OK)
        argument->location.length = (is_output ? MAX_FLOATS : buffer->extent) * sizeof(float);
    pthread_mutex_unlock(&lock);
    if (status != HY_STATUS_OK)
        return status;

    unpacked->tokens[number] = pool->buffer_token;
    unpacked->token_count++;
    argument->location.pool = unpacked->pool_count;
    unpacked->pools[unpacked->pool_count++] = (struct hy_pool){.kind = HY_POOL_HOST,
                                                               .protection = 3,
                                                               .fd = -1,
                                                               .size = sizeof unpacked->floats[0],
                                                               .address = unpacked->floats[number]};
    return HY_STATUS_OK;
}

/* One buffer is not both read and written, and not written twice. */
static bool is_used_once(const struct unpacked *unpacked, uint32_t inputs, uint32_t outputs)
{
    for (uint32_t i = inputs; i < inputs + outputs; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (unpacked->tokens[i] && unpacked->tokens[i] == unpacked->tokens[k])
                return false;
        }
    }
    return true;
}

static int32_t unpack(const struct prepared *prepared, const struct hy_request *request,
                      struct unpacked *ret)
{
    const uint32_t inputs = request->input_count, outputs = request->output_count;
    int32_t status = HY_STATUS_OK;

    memset(ret, 0, sizeof *ret);
    if (inputs + outputs > MAX_ARGUMENTS || request->pool_count > MAX_ARGUMENTS)
        return HY_STATUS_GENERAL_FAILURE;
    ret->prepared = prepared;
    ret->pool_count = request->pool_count;
    memcpy(ret->pools, request->pools, request->pool_count * sizeof *ret->pools);
    memcpy(ret->arguments, request->inputs, inputs * sizeof *ret->arguments);
    memcpy(ret->arguments + inputs, request->outputs, outputs * sizeof *ret->arguments);
    for (uint32_t i = 0; status == HY_STATUS_OK && i < inputs; i++)
        status = unpack_one(ret, i, false, i);
    for (uint32_t i = 0; status == HY_STATUS_OK && i < outputs; i++)
        status = unpack_one(ret, inputs + i, true, i);
    if (status == HY_STATUS_OK && !is_used_once(ret, inputs, outputs))
        status = HY_STATUS_INVALID_ARGUMENT;
    return status;
}

/* What an execution has left in the buffers it was to write. */
static void pack(const struct unpacked *unpacked, const struct hy_request *request, int32_t status,
                 const struct hy_result *result)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < request->output_count; i++) {
        const uint32_t number = request->input_count + i;
        struct buffer *buffer = unpacked->tokens[number]
                                    ? find(unpacked->prepared->device, unpacked->tokens[number])
                                    : NULL;
        if (!buffer)
            continue;
        buffer->is_written = status == HY_STATUS_OK;
        if (!buffer->is_written)
            continue;
        buffer->extent = result->outputs[i].dims[0];
        invert(unpacked->floats[number], buffer->bits, buffer->extent);
    }
    pthread_mutex_unlock(&lock);
}

static int32_t execute(void *self, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    const struct prepared *prepared = self;
    struct unpacked unpacked;

    int32_t status = unpack(prepared, request, &unpacked);
    if (status != HY_STATUS_OK) {
        prepared->device->refusals++;
        return status;
    }
    const struct hy_request plain = {.struct_size = sizeof plain,
                                     .input_count = request->input_count,
                                     .output_count = request->output_count,
                                     .pool_count = unpacked.pool_count,
                                     .inputs = unpacked.arguments,
                                     .outputs = unpacked.arguments + request->input_count,
                                     .pools = unpacked.pools};
    status = fake_parallel_table.execute(prepared->inner, &plain, options, result);
    pack(&unpacked, request, status, result);
    if (status == HY_STATUS_OK)
        prepared->device->tokens_seen += unpacked.token_count;
    return status;
}

/* ---- Buffers --------------------------------------------------------------------------------- */

static void note_desc(struct buffer_device *device, const struct hy_buffer_desc *desc)
{
    device->creates++;
    device->last_prepared_count = desc->prepared_count;
    device->last_role_count = desc->role_count;
    for (uint32_t i = 0; i < desc->role_count && i < BUFFER_MAX_ROLES; i++)
        device->last_roles[i] = desc->roles[i];
    device->last_rank = desc->rank;
    device->last_extent = desc->rank ? desc->dims[0] : 0;
}

static void remove_buffer(const struct buffer *buffer)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < MAX_BUFFERS; i++)
        buffers[i] = buffers[i] == buffer ? NULL : buffers[i];
    pthread_mutex_unlock(&lock);
}

static bool store(struct buffer *buffer)
{
    struct buffer_device *device = buffer->device;

    for (uint32_t i = 0; i < MAX_BUFFERS; i++) {
        if (buffers[i])
            continue;
        buffers[i] = buffer;
        buffer->token = device->given_token ? device->given_token : ++last_token;
        device->last_token = buffer->token;
        return true;
    }
    return false;
}

static int32_t buffer_create(void *self, const struct hy_buffer_desc *desc, uint32_t *token,
                             void **ret)
{
    struct buffer_device *device = self;
    if (device->create_status != HY_STATUS_OK)
        return device->create_status;
    if (desc->rank > 1 || desc->role_count == 0 || desc->role_count > MAX_BUFFER_ROLES)
        return HY_STATUS_INVALID_ARGUMENT;

    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    buffer->device = device;
    buffer->declared = desc->rank ? desc->dims[0] : 0;
    buffer->extent = buffer->declared;
    buffer->role_count = desc->role_count;
    for (uint32_t i = 0; i < desc->role_count; i++) {
        buffer->roles[i] = desc->roles[i];
        buffer->prepared[i] = desc->prepared[desc->roles[i].prepared];
    }
    pthread_mutex_lock(&lock);
    note_desc(device, desc);
    const bool is_stored = buffer->declared <= MAX_FLOATS && store(buffer);
    if (is_stored)
        *token = device->gives_no_token ? 0 : buffer->token;
    pthread_mutex_unlock(&lock);
    if (!is_stored || device->gives_no_buffer) {
        remove_buffer(buffer);
        free(buffer);
        return is_stored ? HY_STATUS_OK : HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT;
    }
    device->live++;
    *ret = buffer;
    return HY_STATUS_OK;
}

static int32_t copy_between(struct buffer *buffer, const struct hy_pool *source)
{
    const struct buffer *from = find(buffer->device, source->buffer_token);

    if (buffer->device->wants_shared_sources || !from ||
        (buffer->declared && buffer->declared != from->extent))
        return HY_STATUS_INVALID_ARGUMENT;
    if (!from->is_written)
        return HY_STATUS_GENERAL_FAILURE;
    memcpy(buffer->bits, from->bits, sizeof buffer->bits);
    buffer->extent = from->extent;
    buffer->is_written = true;
    buffer->device->copies_between++;
    return HY_STATUS_OK;
}

static int32_t copy_in(struct buffer *buffer, const struct hy_pool *source, const uint32_t *dims,
                       uint32_t rank)
{
    const uint32_t extent = rank ? dims[0] : buffer->declared;

    if (rank > 1 || extent > MAX_FLOATS || (buffer->declared && extent != buffer->declared) ||
        source->size != extent * sizeof(float) || !source->address)
        return HY_STATUS_INVALID_ARGUMENT;
    invert(source->address, buffer->bits, extent);
    buffer->extent = extent;
    buffer->is_written = true;
    buffer->device->copies_from++;
    return HY_STATUS_OK;
}

static int32_t buffer_copy_from(void *self, const struct hy_pool *source, const uint32_t *dims,
                                uint32_t rank)
{
    struct buffer *buffer = self;
    int32_t status = buffer->device->copy_from_status;
    if (status != HY_STATUS_OK)
        return status;

    pthread_mutex_lock(&lock);
    if (source->kind == HY_POOL_BUFFER)
        status = copy_between(buffer, source);
    else
        status = copy_in(buffer, source, dims, rank);
    pthread_mutex_unlock(&lock);
    return status;
}

static int32_t buffer_copy_to(void *self, const struct hy_pool *destination)
{
    struct buffer *buffer = self;
    int32_t status = buffer->device->copy_to_status;
    if (status != HY_STATUS_OK)
        return status;

    pthread_mutex_lock(&lock);
    if (destination->size != buffer->extent * sizeof(float) || !destination->address) {
        status = HY_STATUS_INVALID_ARGUMENT;
    } else if (!buffer->is_written) {
        status = HY_STATUS_GENERAL_FAILURE;
    } else {
        invert(buffer->bits, destination->address, buffer->extent);
        buffer->device->copies_to++;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static void buffer_destroy(void *self)
{
    struct buffer *buffer = self;

    buffer->device->live--;
    remove_buffer(buffer);
    free(buffer);
}

void buffer_device_init(struct buffer_device *device, const char *name, int32_t kind, float cost,
                        uint32_t operations)
{
    memset(device, 0, sizeof *device);
    fake_device_init(&device->fake, name, kind, cost, operations);
    device->table = fake_parallel_table;
    device->table.prepare = prepare;
    device->table.prepared_destroy = prepared_destroy;
    device->table.execute = execute;
    device->table.buffer_create = buffer_create;
    device->table.buffer_copy_from = buffer_copy_from;
    device->table.buffer_copy_to = buffer_copy_to;
    device->table.buffer_destroy = buffer_destroy;
    device->fake.device.table = &device->table;
}
