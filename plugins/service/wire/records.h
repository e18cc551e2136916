#ifndef HY_SERVICE_WIRE_RECORDS_H
#define HY_SERVICE_WIRE_RECORDS_H

#include "halyard/driver.h"
#include "plugins/service/wire/number_types.h"

#include <assert.h>

/* Defines the records of records.def: struct hy_pool_record, ... */

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
