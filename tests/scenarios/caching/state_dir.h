#ifndef HY_TESTS_SCENARIOS_CACHING_STATE_DIR_H
#define HY_TESTS_SCENARIOS_CACHING_STATE_DIR_H

#include "tests/scenarios/caching/fs_path.h"

/* The state directory of a test program, with the records of drivers. The environment names the
 * directory from program start. */
const struct fs_path *state_dir_path(void);

#endif
