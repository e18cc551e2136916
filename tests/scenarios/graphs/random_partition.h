#ifndef HY_TESTS_SCENARIOS_GRAPHS_RANDOM_PARTITION_H
#define HY_TESTS_SCENARIOS_GRAPHS_RANDOM_PARTITION_H

#include "halyard/driver.h"

/*
 * A driver with several devices and random support, for splitting models. All devices compute with
 * the scalar kernels of the CPU backend, so results equal nnapi-reference bit for bit for any
 * split. Arguments of its manifest:
 *
 *   devices  number of devices up to RANDOM_PARTITION_DEVICES: "deal-a", "deal-b", …
 *   priced   false: devices are fast, launches and copies are free, one device supports each
 *            operation; true: costs are random, several devices may support an operation
 *   seed     random seed of the deal
 *
 * The support of an operation depends on its type and on the types and shapes of its operands, not
 * on its position. Half of all IF and WHILE operations are unsupported.
 */
#define RANDOM_PARTITION_DEVICES 8u

/* Sets a new seed for models compiled later. Must not run during a compilation. */
#define DEALING_SYMBOL "dealing_deal"
typedef void dealing_deal_fn(uint64_t seed);
HY_DRIVER_EXPORT dealing_deal_fn dealing_deal;

#endif
