/* Deeds against what a machine has once: memory and disk, processors, the log of the app. */
#include "hostile_deeds.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* EFBIG: neither shared memory nor a file grows beyond a bound, which is no small one, and to try
 * is no death. */
static int grow_without_end(const char *dir)
{
    char path[512];
    struct rlimit limit;
    int failure = 0;

    snprintf(path, sizeof path, "%s/large", dir);
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const int memory = memfd_create("large", MFD_CLOEXEC);
    if (file < 0 || memory < 0 || getrlimit(RLIMIT_FSIZE, &limit) != 0)
        return -2;
    unlink(path);
    if (ftruncate(memory, INT64_C(1) << 31) != 0) /* as a model may need */
        failure = -3;
    else if (limit.rlim_max == RLIM_INFINITY)
        failure = ERANGE;
    const off_t beyond = (off_t)(limit.rlim_max == RLIM_INFINITY ? 0 : limit.rlim_max);
    if (!failure && ftruncate(memory, beyond + 1) == 0)
        failure = -4;
    if (!failure && (errno != EFBIG || fallocate(memory, 0, beyond, 4096) == 0 || errno != EFBIG))
        failure = -5;
    if (!failure && (pwrite(file, "x", 1, beyond) == 1 || errno != EFBIG))
        failure = -6;
    close(file);
    close(memory);
    return failure ? failure : EFBIG;
}

/* EPERM: no thread of it runs before those of others. */
static int become_real_time(const char *argument)
{
    const struct sched_param first = {.sched_priority = 1};

    (void)argument;
    return sched_setscheduler(0, SCHED_FIFO, &first) != 0 ? errno : 0;
}

static int raise_priority(const char *argument)
{
    (void)argument;
    return setpriority(PRIO_PROCESS, 0, -5) != 0 ? errno : 0;
}

static int have_no_powers(const char *argument)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct powers[_LINUX_CAPABILITY_U32S_3];

    (void)argument;
    if (syscall(SYS_capget, &header, powers) != 0)
        return errno;
    return powers[0].permitted | powers[1].permitted ? EEXIST : 0;
}

/* What the kernel counts for the user as a whole: an eighth of the threads stays with the others,
 * whose limit is the argument, and most of the signals. */
static int leave_something(const char *argument)
{
    const rlim_t others = strtoull(argument, NULL, 10);
    struct rlimit threads, signals;

    if (getrlimit(RLIMIT_NPROC, &threads) != 0 || getrlimit(RLIMIT_SIGPENDING, &signals) != 0)
        return errno;
    if (signals.rlim_max > 1024)
        return ERANGE;
    return others != 0 && threads.rlim_cur > others - others / 8 ? EDOM : 0;
}

/* ---- The log --------------------------------------------------------------------------------- */

/* Frames as the protocol has them (docs/service-protocol.md), which no host of ours would send. */
struct line_frame {
    uint32_t kind, body_bytes, fd_count;
    int32_t status;
    uint64_t object;
    char body[8192];
};

static void add(struct line_frame *frame, const void *bytes, size_t size)
{
    memcpy(frame->body + frame->body_bytes, bytes, size);
    frame->body_bytes += (uint32_t)((size + 7) / 8 * 8);
}

/* A number and a text in one piece, zeros up to the next multiple of 8. */
static void add_text(struct line_frame *frame, const char *text)
{
    const uint32_t length = (uint32_t)strlen(text);
    char piece[7000] = {0};

    memcpy(piece, &length, sizeof length);
    memcpy(piece + sizeof length, text, length);
    add(frame, piece, sizeof length + length + 1);
}

static int send_often(const struct line_frame *frame, int count)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (int i = 0; i < count; i++) {
        while (send(3, frame, 24 + frame->body_bytes, 0) < 0) {
            if (errno != EAGAIN && errno != EINTR)
                return errno;
            nanosleep(&pause, NULL);
        }
    }
    return 0;
}

/* Lines of each level and farewells, past what the host does, on its control socket. */
static int flood_log(const char *argument)
{
    char text[6000];
    struct line_frame farewell = {.kind = 66};
    int failure = 0;

    (void)argument;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (int32_t level = 0; level < 4 && !failure; level++) {
        struct line_frame line = {.kind = 60};
        add(&line, &level, sizeof level);
        add_text(&line, text);
        failure = send_often(&line, 2000);
    }
    add_text(&farewell, "flooded");
    return failure ? failure : send_often(&farewell, 2000);
}

const struct hostile_deed hostile_resource_deeds[] = {
    DEED(grow_without_end), DEED(become_real_time), DEED(raise_priority),
    DEED(have_no_powers),   DEED(leave_something),  DEED(flood_log),
};
const size_t hostile_resource_deed_count =
    sizeof hostile_resource_deeds / sizeof *hostile_resource_deeds;
