#ifndef HY_TESTS_WIRE_ENDS_H
#define HY_TESTS_WIRE_ENDS_H

#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/transport/frame.h"

/* Both ends of a channel in one process, and a frame each way. */
struct ends {
    struct hy_socket near;
    struct hy_socket far;
    struct hy_outgoing out;
    struct hy_incoming in;
};

/* A failure ends the program. */
void ends_open(struct ends *ends);
void ends_close(struct ends *ends);

#endif
