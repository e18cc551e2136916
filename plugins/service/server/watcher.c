#include "plugins/service/server/watcher.h"

#include "plugins/service/server/threads.h"

#include <poll.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

static void *watch(void *context)
{
    struct pollfd client = {.fd = (int)(intptr_t)context}; /* poll always reports hang-ups */
    struct timespec grace = {.tv_sec = HY_SERVER_GRACE_MS / 1000 + 1};

    while (poll(&client, 1, -1) <= 0 || !(client.revents & (POLLHUP | POLLERR | POLLNVAL)))
        ;
    while (nanosleep(&grace, &grace) != 0)
        ;
    _exit(1);
}

bool hy_server_watch(int control)
{
    pthread_t thread;

    if (!hy_server_thread_start(&thread, watch, (void *)(intptr_t)control))
        return false;
    pthread_detach(thread);
    return true;
}
