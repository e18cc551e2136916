/* Which operations the driver takes, and how they become nodes. */
#ifndef XD_LOWER_H
#define XD_LOWER_H

#include "xnnpack_driver/xd_operands.h"

/*
 * Adds one operation of the main subgraph to the program; its outputs count as written then. False:
 * it is not supported, the source has the reason, and the program is as before. The same function
 * answers "do you support this?" and "compile this", so the two answers cannot differ.
 */
bool xd_lower(struct xd_build *build, uint32_t operation);

#endif
