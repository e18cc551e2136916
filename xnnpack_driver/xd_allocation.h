/* Where every tensor lies: the last step of compiling. */
#ifndef XD_XD_ALLOCATION_H
#define XD_XD_ALLOCATION_H

#include "driver_kit/model_reader.h"
#include "program.h"

/*
 * Lays out the arena by lifetimes and fills in the places of all nodes, and the copies to outputs
 * that no node writes directly. False, with a reason: out of memory, or too much of it needed.
 */
bool xd_allocate(struct xd_program *program, struct hy_model_reader *reader);

#endif
