#ifndef HY_TESTS_CACHING_STATE_H
#define HY_TESTS_CACHING_STATE_H

#include "tests/caching/place.h"

/* The state directory of a test program, with the records of drivers. The environment names the
 * directory from program start. */
const struct place *state_place(void);

#endif
