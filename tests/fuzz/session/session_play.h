#ifndef HY_TESTS_SESSION_PLAY_H
#define HY_TESTS_SESSION_PLAY_H

#include "plugins/service/wire/session.h"
#include "session_script.h"

/* Load of a service. */
struct session_count {
    uint64_t frames;
    uint64_t packets;  /* in queues */
    uint64_t rewrites; /* words written into queues */
};

/*
 * Plays a script as the client against the service at the other end of `control`, then closes
 * `control`. The script ignores replies. With an opening, OPEN frames without SESSION_RAW ask for
 * its driver. Adds to `count` unless NULL.
 */
void session_play(int control, const struct hy_opening *opening, const uint8_t *data, size_t size,
                  struct session_count *count);

#endif
