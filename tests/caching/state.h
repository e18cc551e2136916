#ifndef HY_TESTS_CACHING_STATE_H
#define HY_TESTS_CACHING_STATE_H

#include "tests/caching/place.h"

/* The state folder of a test program, which the environment names from its start on: with what
 * drivers record there. */
const struct place *state_place(void);

#endif
