#ifndef HY_TESTS_SCENARIOS_ATTACKS_CAMPAIGN_H
#define HY_TESTS_SCENARIOS_ATTACKS_CAMPAIGN_H

#include "common/random.h"

#include <stdint.h>

/*
 * Runs attacks in rounds. Each round has its own seed.
 *
 *     PROGRAM [WHAT] [ROUNDS | --seconds N | --seed N]
 *
 * ROUNDS runs the same rounds in every run. --seconds runs new rounds for N seconds. --seed repeats
 * the one round of a reported failure. The program ends after a failed round or a round of two
 * minutes.
 */
struct campaign {
    unsigned rounds; /* default of ROUNDS */
    void (*round)(struct hy_random *chance);
};

/* `argc` and `argv` start behind WHAT. Returns the number of rounds. */
unsigned long campaign_run(const struct campaign *campaign, int argc, char **argv);

#endif
