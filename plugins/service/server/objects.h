#ifndef HY_SERVICE_SERVER_OBJECTS_H
#define HY_SERVICE_SERVER_OBJECTS_H

#include "common/list.h"
#include "common/memory/arena.h"
#include "plugins/service/server/calls/holds.h"
#include "plugins/service/server/clients/quota_levels.h"

/* Maximum number of objects of a client: the slot numbers that fit into an id. */
#define HY_SERVER_OBJECTS 65536u

enum hy_server_kind {
    HY_SERVER_PREPARED,
    HY_SERVER_REUSABLE,
    HY_SERVER_FENCED,
    HY_SERVER_BUFFER,
};

/*
 * An object of the driver, created for the client and named by a number that is never reused.
 * Reference-counted: an object destroyed by the client lives until its users and its child objects
 * have ended.
 */
struct hy_server_object {
    uint64_t id;
    enum hy_server_kind kind;
    uint32_t references; /* under the table's lock; includes the table's own reference */
    const struct hy_device *table;
    void *driver_object;                 /* the driver's object */
    uint32_t token;                      /* of a buffer, unique on its device; else 0 */
    LIST_ENTRY(hy_server_object) buffer; /* in the table's list of buffers */
    pthread_mutex_t busy;                /* serializes calls to objects without concurrent calls */
    struct hy_server_object **parents;   /* the objects it was created from, held; in the arena */
    uint32_t parent_count;
    struct hy_server_holds holds;         /* memory and buffers in use by the object */
    struct hy_arena arena;                /* for the lists of this object */
    struct hy_server_reservation *memory; /* charge, see hy_server_charge; NULL: none */
    uint64_t run_bytes;                   /* prepared models: bytes to charge per execution */
    void *extra; /* data of the kind; `finish` frees it before `thing` is destroyed */
    void (*finish)(void *extra); /* may destroy `thing` itself and set it to NULL */
};

/* Objects of a client by id. Thread-safe. */
struct hy_server_objects {
    pthread_mutex_t lock;
    struct hy_server_object **slots;
    uint32_t space;
    uint32_t count;
    uint32_t free_hint;
    uint64_t last;                         /* last number assigned */
    LIST_HEAD(, hy_server_object) buffers; /* the buffers in the table */
    struct hy_server_memories *memories;
    struct hy_server_quota *quotas; /* NULL: none */
};

/* Creates an object without a `thing`. The object's lists are charged to the table's client. NULL:
 * out of memory. */
struct hy_server_object *hy_server_object_create(struct hy_server_objects *objects,
                                                 enum hy_server_kind kind,
                                                 const struct hy_device *table);

/* Adds the object to the table, which becomes the owner. After an error the caller still owns the
 * object. Errors: EXHAUSTED (too many objects), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_server_objects_add(struct hy_server_objects *objects,
                                                 struct hy_server_object *object,
                                                 struct hy_error *err);

/* Returns the object with a new reference; NULL: no object of the kind has the id. */
struct hy_server_object *hy_server_objects_find(struct hy_server_objects *objects, uint64_t id,
                                                enum hy_server_kind kind);
void hy_server_object_put(struct hy_server_objects *objects, struct hy_server_object *object);

/* Adds a reference. */
void hy_server_object_hold(struct hy_server_objects *objects, struct hy_server_object *object);

/* Removes an object from the table. Returns false if the table does not contain the object. */
bool hy_server_objects_remove(struct hy_server_objects *objects, uint64_t id,
                              enum hy_server_kind kind);

/* Returns the client's buffer with this token on the device of the table, with a new reference;
 * NULL: no such buffer. */
struct hy_server_object *hy_server_objects_find_buffer(struct hy_server_objects *objects,
                                                       const struct hy_device *table,
                                                       uint32_t token);

/* Destroys an object outside of any table and releases everything the object holds. */
void hy_server_object_destroy(struct hy_server_objects *objects, struct hy_server_object *object);

/* Releases all objects. No other thread may use the table any more. */
void hy_server_objects_finish(struct hy_server_objects *objects);

#endif
