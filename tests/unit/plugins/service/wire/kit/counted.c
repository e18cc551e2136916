#include "counted.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

/* One thread only. */
static struct counted now;
static unsigned long failing;

static int allow(size_t size)
{
    now.allocations++;
    if (size > now.largest)
        now.largest = size;
    return failing == 0 || --failing > 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    return allow(size) ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allow(count * size) ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size)
{
    return allow(size) ? __real_realloc(memory, size) : NULL;
}

ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __real_recvmsg(int fd, struct msghdr *message, int flags);
int __real_setsockopt(int fd, int level, int name, const void *value, socklen_t size);
int __real_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *time,
                 const sigset_t *mask);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags);
int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t size);
int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *time,
                 const sigset_t *mask);

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
    now.system_calls++;
    return __real_sendmsg(fd, message, flags);
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags)
{
    now.system_calls++;
    return __real_recvmsg(fd, message, flags);
}

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
    now.system_calls++;
    return __real_setsockopt(fd, level, name, value, size);
}

int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *time,
                 const sigset_t *mask)
{
    now.system_calls++;
    return __real_ppoll(fds, count, time, mask);
}

void counted_start(struct counted *counted)
{
    now = (struct counted){0};
    *counted = now;
}

void counted_stop(struct counted *counted)
{
    *counted = now;
}

void counted_fail_at(unsigned long number)
{
    failing = number;
}
