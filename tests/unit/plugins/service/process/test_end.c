/* How processes have ended, in words. */
#include "plugins/service/process/end.h"
#include "started.h"
#include "tests/kit/test.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

TEST(process_end, is_told_by_the_name_of_the_signal)
{
    struct hy_process_end end;
    char text[64];
    struct hy_host_process *process = started();
    REQUIRE(process);

    const int pidfd = hy_host_process_pidfd(process);
    /* No sanitizer of the host makes an exit of this one. */
    (void)syscall(SYS_pidfd_send_signal, pidfd, SIGABRT, NULL, 0);
    REQUIRE(hy_process_end_await(pidfd, hy_host_process_pid(process), TIMEOUT_MS, &end));
    hy_process_end_describe(&end, text, sizeof text);
    EXPECT_STR(text, "was ended by SIGABRT (6)");
    hy_host_process_destroy(process);
}

TEST(process_end, of_a_process_that_goes_on_is_none)
{
    struct hy_process_end end;
    struct hy_host_process *process = started();
    REQUIRE(process);

    EXPECT(!hy_process_end_await(hy_host_process_pidfd(process), 0, 0, &end));
    EXPECT(!hy_process_end_await(-1, 0, TIMEOUT_MS, &end));
    hy_host_process_destroy(process);
}

TEST(process_end, is_told_by_the_exit_status)
{
    char text[64];

    hy_process_end_describe(&(struct hy_process_end){HY_END_EXIT, 3}, text, sizeof text);
    EXPECT_STR(text, "exited with status 3");
    hy_process_end_describe(&(struct hy_process_end){HY_END_SIGNAL, 9}, text, sizeof text);
    EXPECT_STR(text, "was ended by SIGKILL (9)");
}
