#ifndef HY_TESTS_ATTACKS_CLIENT_H
#define HY_TESTS_ATTACKS_CLIENT_H

#include "common/random.h"
#include "live.h"
#include "tests/scenarios/service/shared/raw_client.h"

/* Attacks by clients on shared services. Each attack has a function for running a round and a
 * function for reporting the rounds so far. */

/* Sends frames of every kind in wrong states, with any body and any descriptors, and floods. */
void attack_frames(struct hy_random *chance);
void attack_frames_report(void);

/* Uses objects, memories and buffers of another client, by guessed and by known ids. */
void attack_tokens(struct hy_random *chance);
void attack_tokens_report(void);

/* Tries to reach cached models of another user. */
void attack_entries(struct hy_random *chance);
void attack_entries_report(void);

/* Opens a client with a channel, either as the attacker's user or as the current user. */
void attack_begin(struct raw_client *client, enum live_driver driver, bool is_attacker);

#endif
