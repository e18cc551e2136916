#include "death_trigger.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TIMEOUT_MS = 60000 }; /* only a failing test waits so long */

static char path[64];

struct death_trigger *death_trigger_create(void)
{
    snprintf(path, sizeof path, "/tmp/halyard-death-XXXXXX");
    const int fd = mkstemp(path);
    if (fd < 0 || ftruncate(fd, sizeof(struct death_trigger)) != 0 ||
        setenv(DEATH_TRIGGER_VARIABLE, path, 1) != 0)
        return NULL;
    struct death_trigger *trigger =
        mmap(NULL, sizeof *trigger, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return trigger == MAP_FAILED ? NULL : trigger;
}

void death_trigger_destroy(struct death_trigger *trigger)
{
    if (trigger)
        munmap(trigger, sizeof *trigger);
    (void)unlink(path);
}

void death_trigger_arm(struct death_trigger *trigger, uint32_t kind, enum death_point point,
                       int signal, unsigned nth)
{
    atomic_store(&trigger->done, 0);
    atomic_store(&trigger->kind, kind);
    atomic_store(&trigger->point, point);
    atomic_store(&trigger->signal, signal);
    atomic_store(&trigger->left, nth);
}

bool death_trigger_wait_for_end(void)
{
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    bool is_alone = false;

    for (int ms = 0; fd >= 0 && !is_alone && ms < TIMEOUT_MS; ms++) {
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
