/*
 * halyard-driverd runs a driver in a separate process. In the private form the library starts the
 * process for one app; descriptor 3 is a socket, on which all further information arrives. In the
 * shared form the process is a system service for all apps that find its socket.
 */
#include "driverd/hosting.h"
#include "driverd/manifest_by_name.h"
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

static int list_manifests(void)
{
    struct hy_error err;

    if (hy_driverd_list_manifests(&err) == HY_OK)
        return 0;
    fprintf(stderr, "halyard-driverd: %s\n", err.text);
    return 1;
}

int main(int argc, char **argv)
{
    struct hy_driverd_options options;
    struct hy_error err;

    if (hy_driverd_options_read(argc, argv, &options, &err) != HY_OK) {
        fprintf(stderr, "halyard-driverd: %s\nTry 'halyard-driverd --help'.\n", err.text);
        return 2;
    }
    switch (options.task) {
    case HY_DRIVERD_PRIVATE:
        return serve_private();
    case HY_DRIVERD_SHARED:
        return hy_driverd_run_shared(&options);
    case HY_DRIVERD_HELP:
        hy_driverd_options_help();
        return 0;
    case HY_DRIVERD_VERSION:
        printf("halyard-driverd %s\n", HALYARD_VERSION);
        return 0;
    case HY_DRIVERD_LIST_OPTIONS:
        hy_driverd_options_list();
        return 0;
    case HY_DRIVERD_LIST_MANIFESTS:
        return list_manifests();
    }
    return 2;
}
