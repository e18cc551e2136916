#ifndef HY_SERVICE_WIRE_FIELDS_H
#define HY_SERVICE_WIRE_FIELDS_H

#include "plugins/service/wire/pack.h"

/* Serialization of structs, driven by the rows of structs.def. */

enum hy_field_kind {
    HY_FIELD_END,
    HY_FIELD_SIZE,
    /* members of a record */
    HY_FIELD_UNSIGNED,
    HY_FIELD_SIGNED,
    HY_FIELD_CONSTANT,
    HY_FIELD_HAS,
    HY_FIELD_RECORD,
    /* separate pieces */
    HY_FIELD_TEXT,
    HY_FIELD_TEXTS,
    HY_FIELD_ARRAY,
    HY_FIELD_FIXED,
    HY_FIELD_RESERVE,
    HY_FIELD_EACH,
    HY_FIELD_STRUCT,
    HY_FIELD_POOL,
    HY_FIELD_FD,
    HY_FIELD_FDS
};

struct hy_field;

/* Returns the rows of a struct, ended by HY_FIELD_END. */
typedef const struct hy_field *hy_fields(void);

/* A row of a struct. Members not used by the kind are 0. */
struct hy_field {
    enum hy_field_kind kind;
    uint32_t width;       /* bytes of the number, or of an element, on the wire */
    uint32_t size;        /* bytes of the member, or of an element, in memory */
    uint32_t offset;      /* of the member in the struct */
    uint32_t count;       /* offset of the count of the elements */
    hy_fields *element;   /* the rows of an element */
    uint64_t least, most; /* bounds of a number; `most` is the value of a constant */
    const char *refusal;  /* NULL: any number is fine */
};

/* Declares hy_NAME_fields: the rows of `struct hy_NAME`. */
#define HY_FIELDS(name) hy_fields hy_##name##_fields

/* Also declares hy_NAME_pack and hy_NAME_unpack, for a body or a part of a body. The reader sets
 * the value only if everything read so far is well-formed. Pointers in the value lead into the
 * frame or the arena; descriptors still belong to the frame. */
#define HY_STRUCT(name) \
    HY_FIELDS(name); \
    void hy_##name##_pack(struct hy_pack *out, const struct hy_##name *value); \
    void hy_##name##_unpack(struct hy_unpack *in, struct hy_##name *value)

/* Packs a struct with the given rows. */
void hy_fields_pack(struct hy_pack *out, hy_fields *fields, const void *value);

/* Unpacks into a zeroed struct, valid only while hy_unpack_good. Arrays lie in the frame or in the
 * arena. */
void hy_fields_unpack(struct hy_unpack *in, hy_fields *fields, void *value);

/* Pack and unpack `count` consecutive structs of `size` bytes each; unpacked structs lie in the
 * arena. */
void hy_fields_pack_each(struct hy_pack *out, hy_fields *fields, const void *values, uint32_t count,
                         size_t size);
void *hy_fields_unpack_each(struct hy_unpack *in, hy_fields *fields, uint32_t count, size_t size);

#endif
