#ifndef HY_SERVICE_WIRE_RECORDS_H
#define HY_SERVICE_WIRE_RECORDS_H

#include "halyard/driver.h"

#include <assert.h>
#include <stdint.h>

/* struct hy_pool_record, ...: the records of records.def. */

#define HY_TYPE_u16 uint16_t
#define HY_TYPE_u32 uint32_t
#define HY_TYPE_u64 uint64_t
#define HY_TYPE_i32 int32_t
#define HY_TYPE_f32 float

/* clang-format off */
#define BEGIN(name) struct name##_record {
#define END         };
/* clang-format on */
#define NUMBER(type, m, note) HY_TYPE_##type m;
#define RECORD(name, m)       struct name m;
#define ABI(name) \
    static_assert(sizeof(struct name) == sizeof(struct name##_record), "travels as it is");
#include "plugins/service/wire/records.def"

#endif
