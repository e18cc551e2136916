#ifndef HY_TESTS_SESSION_PLAY_H
#define HY_TESTS_SESSION_PLAY_H

#include "plugins/service/wire/session.h"
#include "session_script.h"

/* What a service had to bear. */
struct session_count {
    uint64_t frames;
    uint64_t packets;  /* in queues */
    uint64_t rewrites; /* words of queues */
};

/*
 * Plays a script against the service at the other end of `control`, as its client, and hangs up:
 * the descriptor is closed. Whatever the service answers, the script goes on. With an opening, OPEN
 * asks for the driver that it names, where it is not raw. `count`, or NULL, is added to.
 */
void session_play(int control, const struct hy_opening *opening, const uint8_t *data, size_t size,
                  struct session_count *count);

#endif
