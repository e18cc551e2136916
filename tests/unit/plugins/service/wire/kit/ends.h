#ifndef HY_TESTS_WIRE_ENDS_H
#define HY_TESTS_WIRE_ENDS_H

#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/transport/frame.h"

/* Both ends of a channel in a single process, with a frame for each direction. */
struct ends {
    struct hy_socket near;
    struct hy_socket far;
    struct hy_outgoing out;
    struct hy_incoming in;
};

/* Ends the program on failure. */
void ends_open(struct ends *ends);
void ends_close(struct ends *ends);

#endif
