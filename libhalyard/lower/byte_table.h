#ifndef HY_LIBHALYARD_LOWER_BYTE_TABLE_H
#define HY_LIBHALYARD_LOWER_BYTE_TABLE_H

#include "libhalyard/lower/lowering.h"

/*
 * Functions of stored 8-bit values as tables, with the same bits on every device: CAST makes an
 * index of each element, and GATHER reads the table of 256 entries.
 */

/* The result for a stored uint8 or int8 value. */
typedef int64_t (*hy_byte_function)(const void *context, int32_t stored);

/* The stored values of an input of 8 bits as real numbers. */
uint32_t hy_stored_values_operand(struct hy_lowering *lowering, uint32_t input);

/* int32 numbers that are a function of an input; a result outside int32 is a failure. */
uint32_t hy_byte_integers_operand(struct hy_lowering *lowering, uint32_t input,
                                  hy_byte_function function, const void *context);

#endif
