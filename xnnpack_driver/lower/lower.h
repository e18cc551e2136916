/* Checks operations for support and lowers them to nodes. */
#ifndef XD_LOWER_H
#define XD_LOWER_H

#include "xnnpack_driver/xd_operands.h"

/*
 * Adds one operation of the main subgraph to the program and marks its outputs as written. False:
 * the operation is not supported, build->reader has the reason, and the program is unchanged. The
 * same function serves supported_operations and prepare, so both always agree.
 */
bool xd_lower(struct xd_build *build, uint32_t operation);

#endif
