#include "tests/kit/test.h"

#include "common/clock.h"
#include "tests/unit/plugins/service/wire/kit/ends.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

/* Signals of the app interrupt waits, and mean nothing to them. */

enum { SIGNALS = 5 };

static volatile sig_atomic_t arrived;
static int sender = -1;

/* The last of them sends a frame, so that it comes into a wait that was interrupted before. */
static void on_signal(int number)
{
    static const struct hy_frame_header header = {.kind = HY_WIRE_BYE};
    const int error = errno;

    (void)number;
    if (++arrived == SIGNALS)
        (void)!send(sender, &header, sizeof header, MSG_NOSIGNAL | MSG_DONTWAIT);
    errno = error;
}

static void start_signals(const struct ends *ends, struct sigaction *before)
{
    const struct sigaction action = {.sa_handler = on_signal}; /* no SA_RESTART */
    const struct itimerval often = {{.tv_usec = 1000}, {.tv_usec = 1000}};

    arrived = 0;
    sender = ends->near.fd;
    EXPECT_INT(sigaction(SIGALRM, &action, before), 0);
    EXPECT_INT(setitimer(ITIMER_REAL, &often, NULL), 0);
}

static void stop_signals(const struct sigaction *before)
{
    const struct itimerval never = {0};

    EXPECT_INT(setitimer(ITIMER_REAL, &never, NULL), 0);
    EXPECT_INT(sigaction(SIGALRM, before, NULL), 0);
}

static int64_t in(int64_t ns)
{
    return INT64_MAX / 2 - hy_clock_left(INT64_MAX / 2) + ns;
}

TEST(wire_signals, interrupted_wait_goes_on)
{
    static const int64_t times[] = {-1, INT64_C(60000000000), 50000000};

    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        struct sigaction before;
        struct ends ends;
        struct hy_error err;
        enum hy_code code;
        ends_open(&ends);
        start_signals(&ends, &before);
        do {
            code = hy_frame_receive(&ends.far, &ends.in,
                                    times[i] < 0 ? HY_NO_DEADLINE : in(times[i]), &err);
        } while (code == HY_MISSED_DEADLINE && times[i] == 50000000);
        stop_signals(&before);
        EXPECT_INT(code, HY_OK);
        EXPECT(arrived >= SIGNALS);
        EXPECT_INT(ends.in.header.kind, HY_WIRE_BYE);
        ends_close(&ends);
    }
}
