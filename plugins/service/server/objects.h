#ifndef HY_SERVICE_SERVER_OBJECTS_H
#define HY_SERVICE_SERVER_OBJECTS_H

#include "common/list.h"
#include "common/memory/arena.h"
#include "plugins/service/server/calls/pins.h"
#include "plugins/service/server/clients/ration.h"

/* Objects of one client at most: what their numbers have room for. */
#define HY_SERVER_OBJECTS 65536u

enum hy_server_kind {
    HY_SERVER_PREPARED,
    HY_SERVER_REUSABLE,
    HY_SERVER_FENCED,
    HY_SERVER_BUFFER,
};

/*
 * What the driver has made for the client, by a number that is never given twice. Counted: it lives
 * while somebody uses it, or something that was made of it, also when the client has destroyed it.
 */
struct hy_server_object {
    uint64_t id;
    enum hy_server_kind kind;
    uint32_t references; /* under the table's lock; the table has one of its own */
    const struct hy_device *table;
    void *thing;                         /* the driver's */
    uint32_t token;                      /* of a buffer, unique on its device; else 0 */
    LIST_ENTRY(hy_server_object) buffer; /* of the table's buffers */
    pthread_mutex_t busy;                /* of what serves one call at a time */
    struct hy_server_object **parents;   /* that it was made of, held; in the arena */
    uint32_t parent_count;
    struct hy_server_pins pins;           /* memory and buffers that it needs */
    struct hy_arena arena;                /* of what it points to */
    struct hy_server_reservation *memory; /* of a driver that does not ask; NULL: none */
    uint64_t run_bytes;          /* of a prepared model of such a driver: for each execution */
    void *extra;                 /* of the kind; `finish` frees it before the thing goes */
    void (*finish)(void *extra); /* may destroy the thing itself, and NULL it */
};

/* Thread-safe. */
struct hy_server_objects {
    pthread_mutex_t lock;
    struct hy_server_object **slots;
    uint32_t room;
    uint32_t count;
    uint32_t free_hint;
    uint64_t last;                         /* number given */
    LIST_HEAD(, hy_server_object) buffers; /* those in the table */
    struct hy_server_memories *memories;
    struct hy_ration *ration; /* NULL: none */
};

/* One for the table, without a thing; what it points to is charged to the table's client. NULL: no
 * memory. */
struct hy_server_object *hy_server_object_create(struct hy_server_objects *objects,
                                                 enum hy_server_kind kind,
                                                 const struct hy_device *table);

/* Puts the object into the table, which owns the object from then on. Errors: EXHAUSTED (too many),
 * OUT_OF_MEMORY; after an error the object stays the caller's. */
HY_MUST_CHECK enum hy_code hy_server_objects_add(struct hy_server_objects *objects,
                                                 struct hy_server_object *object,
                                                 struct hy_error *err);

/* Held for the caller; NULL: there is none of the kind. */
struct hy_server_object *hy_server_objects_find(struct hy_server_objects *objects, uint64_t id,
                                                enum hy_server_kind kind);
void hy_server_object_put(struct hy_server_objects *objects, struct hy_server_object *object);

/* One holder more. */
void hy_server_object_hold(struct hy_server_objects *objects, struct hy_server_object *object);

/* Takes it out of the table. False: it is not in there. */
bool hy_server_objects_remove(struct hy_server_objects *objects, uint64_t id,
                              enum hy_server_kind kind);

/* The client's buffer of this token on the device of the table, held for the caller; NULL: it has
 * none. */
struct hy_server_object *hy_server_objects_find_buffer(struct hy_server_objects *objects,
                                                       const struct hy_device *table,
                                                       uint32_t token);

/* Destroys an object outside of any table, with all the object holds. */
void hy_server_object_destroy(struct hy_server_objects *objects, struct hy_server_object *object);

/* All of them go. Nobody uses them any more. */
void hy_server_objects_finish(struct hy_server_objects *objects);

#endif
