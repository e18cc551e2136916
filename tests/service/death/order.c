#include "order.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000 }; /* only a failing test waits so long */

static char path[64];

struct death_order *death_order_create(void)
{
    snprintf(path, sizeof path, "/tmp/halyard-death-XXXXXX");
    const int fd = mkstemp(path);
    if (fd < 0 || ftruncate(fd, sizeof(struct death_order)) != 0 ||
        setenv(DEATH_ORDER_VARIABLE, path, 1) != 0)
        return NULL;
    struct death_order *order =
        mmap(NULL, sizeof *order, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return order == MAP_FAILED ? NULL : order;
}

void death_order_destroy(struct death_order *order)
{
    if (order)
        munmap(order, sizeof *order);
    (void)unlink(path);
}

void death_order_give(struct death_order *order, uint32_t kind, enum death_point point, int signal,
                      unsigned nth)
{
    atomic_store(&order->done, 0);
    atomic_store(&order->kind, kind);
    atomic_store(&order->point, point);
    atomic_store(&order->signal, signal);
    atomic_store(&order->left, nth);
}

bool death_order_wait_for_end(void)
{
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    bool is_alone = false;

    for (int ms = 0; fd >= 0 && !is_alone && ms < PATIENCE_MS; ms++) {
        is_alone = flock(fd, LOCK_EX | LOCK_NB) == 0;
        if (!is_alone)
            poll(NULL, 0, 1);
    }
    if (fd >= 0)
        close(fd);
    return is_alone;
}

const char *death_point_name(enum death_point point)
{
    static const char *const names[DEATH_POINTS] = {"unread", "read", "unanswered", "answered"};
    return names[point];
}
