/* Checks operations for support and lowers them to nodes. */
#ifndef XD_LOWER_H
#define XD_LOWER_H

#include "xnnpack_driver/xd_operands.h"

/*
 * Adds one operation of the main subgraph to the program and marks its outputs as written. False:
 * the operation is not supported, the source has the reason, and the program is unchanged. Queries
 * for support and compilations call the same function, so their results cannot differ.
 */
bool xd_lower(struct xd_build *build, uint32_t operation);

#endif
