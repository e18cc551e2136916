#ifndef HY_TESTS_ATTACKS_CAMPAIGN_H
#define HY_TESTS_ATTACKS_CAMPAIGN_H

#include "common/random.h"

#include <stdint.h>

/*
 * Attacks round after round, each by its own seed:
 *
 *     PROGRAM [WHAT] [ROUNDS | --seconds N | --seed N]
 *
 * Some rounds that are the same in every run, or others for so long, or one: the seed that a
 * failure was told with. A round that does not hold, or takes two minutes, ends the program.
 */
struct campaign {
    unsigned rounds; /* by default */
    void (*round)(struct hy_random *chance);
};

/* `argc` and `argv` behind WHAT; gives how many rounds there were. */
unsigned long campaign_run(const struct campaign *campaign, int argc, char **argv);

#endif
