#ifndef HY_LIBHALYARD_LOWER_MOVEMENT_H
#define HY_LIBHALYARD_LOWER_MOVEMENT_H

#include "libhalyard/lower/lowering.h"

/* NNAPI's operations for movement support float32, float16 and 8 bits in four dimensions, some also
 * int32; the operations of the extension support every type and rank. */
enum hy_moved_integers { HY_MOVES_NO_INTEGERS, HY_MOVES_INTEGERS };

bool hy_nnapi_moves(const struct hy_graph_tensor *tensor, enum hy_moved_integers integers);

#endif
