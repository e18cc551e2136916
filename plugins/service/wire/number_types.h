#ifndef HY_SERVICE_WIRE_NUMBER_TYPES_H
#define HY_SERVICE_WIRE_NUMBER_TYPES_H

#include <stdint.h>

/* Type names for the rows. */
#define HY_TYPE_u8  uint8_t
#define HY_TYPE_u16 uint16_t
#define HY_TYPE_u32 uint32_t
#define HY_TYPE_u64 uint64_t
#define HY_TYPE_i32 int32_t
#define HY_TYPE_f32 float

#endif
