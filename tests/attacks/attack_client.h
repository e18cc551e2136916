#ifndef HY_TESTS_ATTACKS_CLIENT_H
#define HY_TESTS_ATTACKS_CLIENT_H

#include "common/random.h"
#include "live.h"
#include "service/shared/raw_client.h"

/* Rounds of attacks on shared services, by clients of them; and what they have done so far. */

/* Frames of every kind where they do not belong, with any body and any descriptors; floods. */
void attack_frames(struct hy_random *chance);
void attack_frames_report(void);

/* Objects, memories, and buffers of another client, by guessed and by known names. */
void attack_tokens(struct hy_random *chance);
void attack_tokens_report(void);

/* Cached models of another user. */
void attack_entries(struct hy_random *chance);
void attack_entries_report(void);

/* A client that has come as far as to a channel, of the attacker's user or of this one. */
void attack_begin(struct raw_client *client, enum live_driver driver, bool is_attacker);

#endif
