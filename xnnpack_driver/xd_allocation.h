/* The last step of compiling: assigns memory to all tensors. */
#ifndef XD_XD_ALLOCATION_H
#define XD_XD_ALLOCATION_H

#include "driver_kit/model_reader.h"
#include "program.h"

/*
 * Lays out the arena by lifetimes. Sets the memory of all nodes, and records copies for outputs
 * that no node can write directly. False: out of memory, or the arena is too large; the reader
 * holds the reason.
 */
bool xd_allocate(struct xd_program *program, struct hy_model_reader *reader);

#endif
