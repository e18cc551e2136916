#include "device_memory.h"

#include "common/list.h"
#include "runtime/device/driver_call.h"
#include "runtime/driver_status.h"

#include <pthread.h>
#include <stdlib.h>

struct hy_device_memory {
    const struct hy_runtime_device *device;
    void *buffer; /* handle of the driver */
    uint32_t token;
    struct hy_buffer_holds holds;
    pthread_mutex_t copying;            /* a buffer serves one call at a time */
    LIST_ENTRY(hy_device_memory) entry; /* in the list of live buffers */
};

/* The live buffers of all devices, to detect a token that a driver returns twice. */
static struct {
    pthread_mutex_t lock;
    LIST_HEAD(, hy_device_memory) list;
} living = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool hy_device_has_memory(const struct hy_runtime_device *device)
{
    return device->table && HY_HAS(device->table, buffer_destroy);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static bool list_add(struct hy_device_memory *memory)
{
    const struct hy_device_memory *other;
    bool is_duplicate = false;

    pthread_mutex_lock(&living.lock);
    LIST_FOREACH (other, &living.list, entry)
        is_duplicate |= other->device == memory->device && other->token == memory->token;
    if (!is_duplicate)
        LIST_INSERT_HEAD(&living.list, memory, entry);
    pthread_mutex_unlock(&living.lock);
    return !is_duplicate;
}

/* Does nothing for a buffer outside the list. */
static void list_remove(struct hy_device_memory *memory)
{
    pthread_mutex_lock(&living.lock);
    HY_LIST_REMOVE(memory, entry);
    pthread_mutex_unlock(&living.lock);
}

void hy_device_memory_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&living.lock);
    else
        pthread_mutex_unlock(&living.lock);
}

static void give_up(const struct hy_buffer_holds *holds)
{
    for (uint32_t i = 0; i < holds->count; i++)
        holds->release(holds->objects[i]);
    free(holds->objects);
}

static enum hy_code call_buffer_create(struct hy_device_memory *memory,
                                       const struct hy_buffer_desc *desc, struct hy_error *err)
{
    const struct hy_runtime_device *device = memory->device;
    char text[HY_DRIVER_TEXT_SIZE] = "";

    const struct hy_driver_call call = hy_driver_call_begin(device, "buffer_create");
    const int32_t status =
        device->table->buffer_create(device->self, desc, &memory->token, &memory->buffer);
    hy_driver_call_end(call);
    if (status != HY_STATUS_OK) {
        memory->buffer = NULL;
        return hy_driver_fail(err, device->info.name, "buffer_create", status, text);
    }
    if (!memory->buffer)
        return hy_fail(err, HY_FAILED, "%s: buffer_create succeeded without a buffer",
                       device->info.name);
    if (memory->token == 0)
        return hy_fail(err, HY_FAILED, "%s: buffer_create returned the token 0", device->info.name);
    if (!list_add(memory))
        return hy_fail(err, HY_FAILED, "%s: buffer_create returned token %u, which is in use",
                       device->info.name, memory->token);
    return HY_OK;
}

enum hy_code hy_device_memory_create(const struct hy_runtime_device *device,
                                     const struct hy_buffer_desc *desc,
                                     const struct hy_buffer_holds *holds,
                                     struct hy_device_memory **ret, struct hy_error *err)
{
    const struct hy_buffer_holds none = {0};
    struct hy_device_memory *memory = calloc(1, sizeof *memory);
    if (!memory) {
        give_up(holds ? holds : &none);
        return hy_fail(err, HY_OUT_OF_MEMORY, "memory of %s", device->info.name);
    }

    memory->device = device;
    memory->holds = holds ? *holds : none;
    pthread_mutex_init(&memory->copying, NULL);
    enum hy_code code = call_buffer_create(memory, desc, err);
    if (code != HY_OK) {
        hy_device_memory_destroy(memory);
        return code;
    }
    *ret = memory;
    return HY_OK;
}

/* Removes the buffer from the list first, as a driver may reuse the token as soon as the buffer is
 * destroyed. */
void hy_device_memory_destroy(struct hy_device_memory *memory)
{
    if (!memory)
        return;
    list_remove(memory);
    if (memory->buffer) {
        const struct hy_driver_call call = hy_driver_call_begin(memory->device, "buffer_destroy");
        memory->device->table->buffer_destroy(memory->buffer);
        hy_driver_call_end(call);
    }
    give_up(&memory->holds);
    pthread_mutex_destroy(&memory->copying);
    free(memory);
}

/* ---- Use ------------------------------------------------------------------------------------- */

const struct hy_runtime_device *hy_device_memory_device(const struct hy_device_memory *memory)
{
    return memory->device;
}

uint32_t hy_device_memory_token(const struct hy_device_memory *memory)
{
    return memory->token;
}

static enum hy_code result_of(const struct hy_device_memory *memory, const char *what,
                              int32_t status, struct hy_error *err)
{
    char text[HY_DRIVER_TEXT_SIZE] = "";

    if (status == HY_STATUS_OK)
        return HY_OK;
    return hy_driver_fail(err, memory->device->info.name, what, status, text);
}

enum hy_code hy_device_memory_write(struct hy_device_memory *memory, const struct hy_pool *source,
                                    const struct hy_shape *shape, struct hy_error *err)
{
    pthread_mutex_lock(&memory->copying);
    const struct hy_driver_call call = hy_driver_call_begin(memory->device, "buffer_copy_from");
    const int32_t status = memory->device->table->buffer_copy_from(
        memory->buffer, source, shape->rank ? shape->dims : NULL, shape->rank);
    hy_driver_call_end(call);
    pthread_mutex_unlock(&memory->copying);
    return result_of(memory, "buffer_copy_from", status, err);
}

enum hy_code hy_device_memory_read(struct hy_device_memory *memory,
                                   const struct hy_pool *destination, struct hy_error *err)
{
    pthread_mutex_lock(&memory->copying);
    const struct hy_driver_call call = hy_driver_call_begin(memory->device, "buffer_copy_to");
    const int32_t status = memory->device->table->buffer_copy_to(memory->buffer, destination);
    hy_driver_call_end(call);
    pthread_mutex_unlock(&memory->copying);
    return result_of(memory, "buffer_copy_to", status, err);
}
