#include "plugins/service/server/objects.h"

#include "plugins/service/server/clients/quota.h"

#include <stdlib.h>

/* An object's id consists of its slot and of the number of objects created before. Finding an
 * object needs no search, and ids are never reused. */
#define SLOT_BITS 16u
#define SLOT_MASK (HY_SERVER_OBJECTS - 1)

struct hy_server_object *hy_server_object_create(struct hy_server_objects *objects,
                                                 enum hy_server_kind kind,
                                                 const struct hy_device *table)
{
    struct hy_server_object *object = calloc(1, sizeof *object);
    if (!object)
        return NULL;

    object->kind = kind;
    object->table = table;
    object->references = 1;
    object->arena = hy_server_arena(objects->quotas);
    pthread_mutex_init(&object->busy, NULL);
    return object;
}

static void destroy_driver_object(const struct hy_server_object *object)
{
    if (!object->driver_object)
        return;
    switch (object->kind) {
    case HY_SERVER_PREPARED:
        object->table->prepared_destroy(object->driver_object);
        break;
    case HY_SERVER_REUSABLE:
        object->table->reusable_destroy(object->driver_object);
        break;
    case HY_SERVER_FENCED:
        object->table->fenced_destroy(object->driver_object);
        break;
    case HY_SERVER_BUFFER:
        object->table->buffer_destroy(object->driver_object);
        break;
    }
}

void hy_server_object_destroy(struct hy_server_objects *objects, struct hy_server_object *object)
{
    if (!object)
        return;
    if (object->finish)
        object->finish(object->extra);
    destroy_driver_object(object);
    hy_server_release(object->memory);
    hy_server_holds_finish(&object->holds, objects);
    for (uint32_t i = 0; i < object->parent_count; i++)
        hy_server_object_put(objects, object->parents[i]);
    hy_arena_finish(&object->arena);
    pthread_mutex_destroy(&object->busy);
    free(object);
}

/* ---- The table ------------------------------------------------------------------------------- */

/* With the lock held. */
static bool grow(struct hy_server_objects *objects)
{
    const uint32_t space = objects->space ? 2 * objects->space : 64;
    struct hy_server_object **slots =
        reallocarray(objects->slots, space, sizeof(struct hy_server_object *));
    if (!slots)
        return false;
    for (uint32_t i = objects->space; i < space; i++)
        slots[i] = NULL;
    objects->slots = slots;
    objects->free_hint = objects->space;
    objects->space = space;
    return true;
}

/* With the lock held. Returns a free slot, which must exist. */
static uint32_t find_free(struct hy_server_objects *objects)
{
    uint32_t slot = objects->free_hint % objects->space;
    while (objects->slots[slot])
        slot = (slot + 1) % objects->space;
    objects->free_hint = slot + 1;
    return slot;
}

/* With the lock held. */
static enum hy_code add(struct hy_server_objects *objects, struct hy_server_object *object,
                        struct hy_error *err)
{
    if (objects->count == HY_SERVER_OBJECTS)
        return hy_fail(err, HY_EXHAUSTED, "the client has %u objects, the limit",
                       HY_SERVER_OBJECTS);
    if (objects->count == objects->space && !grow(objects))
        return hy_fail(err, HY_OUT_OF_MEMORY, "table of %u objects", objects->space);
    const uint32_t slot = find_free(objects);
    objects->slots[slot] = object;
    objects->count++;
    object->id = ++objects->last << SLOT_BITS | slot;
    if (object->token != 0)
        LIST_INSERT_HEAD(&objects->buffers, object, buffer);
    return HY_OK;
}

enum hy_code hy_server_objects_add(struct hy_server_objects *objects,
                                   struct hy_server_object *object, struct hy_error *err)
{
    enum hy_code code = hy_server_quota_charge(objects->quotas, HY_SERVER_QUOTA_OBJECTS, 1, err);
    if (code != HY_OK)
        return code;

    pthread_mutex_lock(&objects->lock);
    code = add(objects, object, err);
    pthread_mutex_unlock(&objects->lock);
    if (code != HY_OK)
        hy_server_quota_release(objects->quotas, HY_SERVER_QUOTA_OBJECTS, 1);
    return code;
}

/* With the lock held. */
static struct hy_server_object *look_up(const struct hy_server_objects *objects, uint64_t id,
                                        enum hy_server_kind kind)
{
    const uint64_t slot = id & SLOT_MASK;
    struct hy_server_object *object = slot < objects->space ? objects->slots[slot] : NULL;
    return object && object->id == id && object->kind == kind ? object : NULL;
}

struct hy_server_object *hy_server_objects_find(struct hy_server_objects *objects, uint64_t id,
                                                enum hy_server_kind kind)
{
    pthread_mutex_lock(&objects->lock);
    struct hy_server_object *object = look_up(objects, id, kind);
    if (object)
        object->references++;
    pthread_mutex_unlock(&objects->lock);
    return object;
}

void hy_server_object_hold(struct hy_server_objects *objects, struct hy_server_object *object)
{
    pthread_mutex_lock(&objects->lock);
    object->references++;
    pthread_mutex_unlock(&objects->lock);
}

void hy_server_object_put(struct hy_server_objects *objects, struct hy_server_object *object)
{
    if (!object)
        return;
    pthread_mutex_lock(&objects->lock);
    const bool is_last = --object->references == 0;
    pthread_mutex_unlock(&objects->lock);
    if (is_last)
        hy_server_object_destroy(objects, object);
}

struct hy_server_object *hy_server_objects_find_buffer(struct hy_server_objects *objects,
                                                       const struct hy_device *table,
                                                       uint32_t token)
{
    pthread_mutex_lock(&objects->lock);
    struct hy_server_object *buffer;
    LIST_FOREACH (buffer, &objects->buffers, buffer) {
        if (buffer->token == token && buffer->table == table)
            break;
    }
    if (buffer)
        buffer->references++;
    pthread_mutex_unlock(&objects->lock);
    return buffer;
}

bool hy_server_objects_remove(struct hy_server_objects *objects, uint64_t id,
                              enum hy_server_kind kind)
{
    pthread_mutex_lock(&objects->lock);
    struct hy_server_object *object = look_up(objects, id, kind);
    if (object) {
        objects->slots[id & SLOT_MASK] = NULL;
        objects->count--;
        objects->free_hint = (uint32_t)(id & SLOT_MASK);
        HY_LIST_REMOVE(object, buffer);
    }
    pthread_mutex_unlock(&objects->lock);
    if (object)
        hy_server_quota_release(objects->quotas, HY_SERVER_QUOTA_OBJECTS, 1);
    hy_server_object_put(objects, object);
    return object != NULL;
}

void hy_server_objects_finish(struct hy_server_objects *objects)
{
    for (uint32_t i = 0; i < objects->space; i++) {
        if (!objects->slots[i])
            continue;
        hy_server_quota_release(objects->quotas, HY_SERVER_QUOTA_OBJECTS, 1);
        hy_server_object_put(objects, objects->slots[i]);
    }
    free(objects->slots);
    objects->slots = NULL;
    LIST_INIT(&objects->buffers);
    objects->space = objects->count = 0;
}
