#ifndef HY_TESTS_GRAPHS_DEALING_H
#define HY_TESTS_GRAPHS_DEALING_H

#include "halyard/driver.h"

/*
 * A driver whose devices share out the operations by chance, so that models get split. All of them
 * compute with the scalar kernels of the CPU backend: whatever the split, the bits are those of
 * nnapi-reference. Its manifest has the arguments
 *   devices  how many, up to DEALING_DEVICES: "deal-a", "deal-b", …
 *   priced   false: devices are fast, start and copy for nothing, and an operation is taken by one
 *            of them; true: they have figures by chance, and an operation may be taken by several
 *   seed     of the deal
 * Who takes an operation is told by its type and by the types and shapes that it has, wherever it
 * stands. Half of all IF and WHILE are taken by nobody.
 */
#define DEALING_DEVICES 8u

/* Deals anew, for models that are compiled later. Not while one is compiled. */
#define DEALING_SYMBOL "dealing_deal"
typedef void dealing_deal_fn(uint64_t seed);
HY_DRIVER_EXPORT dealing_deal_fn dealing_deal;

#endif
