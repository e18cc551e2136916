#include "started.h"

#include "tests/kit/test.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

struct hy_host_process *started(void)
{
    const struct hy_host_launch launch = {.program = STAND_IN_PATH, .driver = "libacme.so"};
    struct hy_host_process *process = NULL;
    struct hy_error err = {0};

    if (hy_host_process_start(&launch, &process, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    return process;
}

static bool is_ready(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    int ready;

    do {
        ready = poll(&look, 1, TIMEOUT_MS);
    } while (ready < 0 && errno == EINTR);
    return ready == 1;
}

bool started_read_info(const struct hy_host_process *process, char *text, size_t space)
{
    if (!is_ready(hy_host_process_control(process)))
        return false;
    const ssize_t got = recv(hy_host_process_control(process), text, space - 1, 0);
    if (got <= 0)
        return false;
    text[got] = '\0';
    return true;
}

bool started_has_ended(int pidfd)
{
    return is_ready(pidfd);
}

bool started_left_no_child(void)
{
    return waitpid(-1, NULL, WNOHANG | __WALL) == -1 && errno == ECHILD;
}
