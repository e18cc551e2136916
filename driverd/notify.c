#include "driverd/notify.h"

#include "runtime/environment.h"

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void hy_notify(const char *state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct hy_environment *environment = hy_environment();
    const char *name = environment ? environment->notify_socket : NULL;
    const size_t length = name ? strlen(name) : 0;
    if (length < 2 || length >= sizeof address.sun_path || (*name != '/' && *name != '@'))
        return;

    memcpy(address.sun_path, name, length);
    if (*name == '@')
        address.sun_path[0] = '\0';
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    (void)sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&address,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
    close(fd);
}
