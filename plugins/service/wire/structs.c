#include "plugins/discovery/manifest.h"
#include "plugins/service/wire/buffers.h"
#include "plugins/service/wire/bursts.h"
#include "plugins/service/wire/describe.h"
#include "plugins/service/wire/fields.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/reply.h"
#include "plugins/service/wire/result.h"
#include "plugins/service/wire/session.h"
#include "plugins/service/wire/wire_cache.h"
#include "plugins/service/wire/wire_model.h"
#include "plugins/service/wire/wire_request.h"

#include <stddef.h>

/* The rows of structs.def as tables, and the functions of structs that consist only of rows. */

/* ---- Rows ------------------------------------------------------------------------------------ */

#define KIND_u16 HY_FIELD_UNSIGNED
#define KIND_u32 HY_FIELD_UNSIGNED
#define KIND_u64 HY_FIELD_UNSIGNED
#define KIND_i32 HY_FIELD_SIGNED
#define KIND_i64 HY_FIELD_SIGNED

#define WIDTH_u16 2
#define WIDTH_u32 4
#define WIDTH_u64 8
#define WIDTH_i32 4
#define WIDTH_i64 8

#define SIZE_OF(m)  sizeof(((OF *)0)->m)
#define MEMBER(m)   .size = SIZE_OF(m), .offset = offsetof(OF, m)
#define ELEMENTS(m) .size = SIZE_OF(m[0]), .offset = offsetof(OF, m)
/* Does not compile unless the count has 32 bits. */
#define COUNT(m) .count = offsetof(OF, m) + 0 / (SIZE_OF(m) == sizeof(uint32_t))

/* clang-format off */
#define BEGIN(name) \
    const struct hy_field *name##_fields(void) \
    { \
        typedef struct name OF; \
        static const struct hy_field fields[] = {
#define END \
            {.kind = HY_FIELD_END} \
        }; \
        return fields; \
    }
/* clang-format on */
#define SIZE(m, name)         {.kind = HY_FIELD_SIZE, MEMBER(m), .most = sizeof(struct name)},
#define NUMBER(type, m, note) {.kind = KIND_##type, .width = WIDTH_##type, MEMBER(m)},
#define LIMIT(type, m, least_, most_, refusal_, note) \
    {.kind = KIND_##type, \
     .width = WIDTH_##type, \
     MEMBER(m), \
     .least = (uint64_t)(least_), \
     .most = (uint64_t)(most_), \
     .refusal = refusal_},
#define CONSTANT(type, name, value, refusal_) \
    {.kind = HY_FIELD_CONSTANT, .width = WIDTH_##type, .most = value, .refusal = refusal_},
#define HAS(type, m, refusal_) \
    {.kind = HY_FIELD_HAS, .width = WIDTH_##type, MEMBER(m), .most = 1, .refusal = refusal_},
#define RECORD(name, m)        {.kind = HY_FIELD_RECORD, .width = sizeof(struct name), MEMBER(m)},
#define TEXT(m, note)          {.kind = HY_FIELD_TEXT, MEMBER(m)},
#define TEXTS(m, count_, note) {.kind = HY_FIELD_TEXTS, ELEMENTS(m), COUNT(count_)},
#define BYTES(m, count_, note) {.kind = HY_FIELD_ARRAY, .width = 1, MEMBER(m), COUNT(count_)},
#define ARRAY(type, m, count_, note) \
    {.kind = HY_FIELD_ARRAY, .width = SIZE_OF(m[0]), MEMBER(m), COUNT(count_)},
#define FIXED(m, bytes, note) {.kind = HY_FIELD_FIXED, .width = bytes, MEMBER(m)},
#define RESERVE(m, count_, least_) \
    {.kind = HY_FIELD_RESERVE, .width = least_, ELEMENTS(m), COUNT(count_)},
#define EACH(name, m, count_) \
    {.kind = HY_FIELD_EACH, ELEMENTS(m), COUNT(count_), .element = name##_fields},
#define STRUCT(name, m)      {.kind = HY_FIELD_STRUCT, MEMBER(m), .element = name##_fields},
#define POOL(m)              {.kind = HY_FIELD_POOL, MEMBER(m)},
#define FD(m, note)          {.kind = HY_FIELD_FD, MEMBER(m)},
#define FDS(m, count_, note) {.kind = HY_FIELD_FDS, ELEMENTS(m), COUNT(count_)},
#include "plugins/service/wire/structs.def"

/* ---- Structs --------------------------------------------------------------------------------- */

#define PACK_AND_UNPACK(name) \
    void hy_##name##_pack(struct hy_pack *out, const struct hy_##name *value) \
    { \
        hy_fields_pack(out, hy_##name##_fields, value); \
    } \
    void hy_##name##_unpack(struct hy_unpack *in, struct hy_##name *value) \
    { \
        struct hy_##name read = {0}; \
        hy_fields_unpack(in, hy_##name##_fields, &read); \
        if (hy_unpack_good(in)) \
            *value = read; \
    }
PACK_AND_UNPACK(hello)
PACK_AND_UNPACK(opening)
PACK_AND_UNPACK(opened)
PACK_AND_UNPACK(log_line)
PACK_AND_UNPACK(deadline)
PACK_AND_UNPACK(unknown_memory)
PACK_AND_UNPACK(description)
PACK_AND_UNPACK(prepare_options)
PACK_AND_UNPACK(run_options)
PACK_AND_UNPACK(fences)
PACK_AND_UNPACK(fenced_result)
PACK_AND_UNPACK(created_buffer)
PACK_AND_UNPACK(buffer_copy)
PACK_AND_UNPACK(burst_slot)
PACK_AND_UNPACK(cache_token)
PACK_AND_UNPACK(cache_update)
PACK_AND_UNPACK(cache_commit)

void hy_prefixes_pack(struct hy_pack *out, const struct hy_extension_prefix *prefixes,
                      uint32_t count)
{
    hy_fields_pack_each(out, hy_extension_prefix_fields, prefixes, count, sizeof *prefixes);
}

const struct hy_extension_prefix *hy_prefixes_unpack(struct hy_unpack *in, uint32_t count)
{
    return hy_fields_unpack_each(in, hy_extension_prefix_fields, count,
                                 sizeof(struct hy_extension_prefix));
}
