#include "ends.h"

#include <stdio.h>
#include <stdlib.h>

void ends_open(struct ends *ends)
{
    struct hy_error err;
    int pair[2];

    if (hy_socket_pair(pair, &err) != HY_OK) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    hy_socket_init(&ends->near, pair[0]);
    hy_socket_init(&ends->far, pair[1]);
    hy_outgoing_init(&ends->out);
    hy_incoming_init(&ends->in);
}

void ends_close(struct ends *ends)
{
    hy_socket_finish(&ends->near);
    hy_socket_finish(&ends->far);
    hy_outgoing_finish(&ends->out);
    hy_incoming_finish(&ends->in);
}
