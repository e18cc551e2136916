/*
 * halyard-driverd: a driver in a process of its own. In the private form the library starts it for
 * one app, with one end of a socket as descriptor 3; everything else is told there. In the shared
 * form it is a service of the system, for all apps that find its socket.
 */
#include "driverd/hosting.h"
#include "driverd/shared.h"
#include "runtime/log.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>

enum { CONTROL = 3 };

static bool is_control(int fd)
{
    int kind = 0;
    socklen_t size = sizeof kind;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &kind, &size) == 0 && kind == SOCK_SEQPACKET;
}

static int serve_private(void)
{
    struct hy_serve serve = hy_hosting();

    if (!is_control(CONTROL)) {
        fprintf(stderr, "halyard-driverd: descriptor %d is no control socket\n", CONTROL);
        return 2;
    }
    (void)fcntl(CONTROL, F_SETFD, FD_CLOEXEC);
    serve.control = CONTROL;
    signal(SIGPIPE, SIG_IGN);
    hy_log_lead_to(hy_serve_log);
    return hy_serve(&serve);
}

int main(int argc, char **argv)
{
    struct hy_driverd_options options;
    struct hy_error err;

    if (hy_driverd_options_read(argc, argv, &options, &err) == HY_OK)
        return options.is_private ? serve_private() : hy_driverd_share(&options);
    fprintf(
        stderr,
        "halyard-driverd: %s\n"
        "usage: halyard-driverd --private\n"
        "       halyard-driverd --shared (--manifest FILE | --cpu) [--socket PATH]\n"
        "                       [--socket-mode OCTAL] [--idle-seconds N]\n"
        "Hosts a driver in a process of its own. With --private the library starts it, with its\n"
        "end of the control socket as descriptor 3. With --shared it serves all apps that\n"
        "connect to the socket at PATH, or to the one that is handed over (LISTEN_FDS).\n",
        err.text);
    return 2;
}
