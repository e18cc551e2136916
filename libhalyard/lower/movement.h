#ifndef HY_LIBHALYARD_LOWER_MOVEMENT_H
#define HY_LIBHALYARD_LOWER_MOVEMENT_H

#include "libhalyard/lower/lowering.h"

/* Operations of NNAPI move float32, float16 and 8 bits, some of them int32 as well, in four
 * dimensions; those of the extension move everything. */
enum hy_moved_integers { HY_MOVES_NO_INTEGERS, HY_MOVES_INTEGERS };

bool hy_nnapi_moves(const struct hy_graph_tensor *tensor, enum hy_moved_integers integers);

#endif
