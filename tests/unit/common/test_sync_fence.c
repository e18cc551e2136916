/* How fences have ended: what poll says, and what sync_files say, which the tests play. */
#include "common/sync_fence.h"
#include "tests/kit/played_sync_file.h"
#include "tests/kit/test.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

TEST(sync_fence, sync_file_that_ended_in_error_is_no_success)
{
    static const struct {
        int status, end;
    } cases[] = {{1, 0},        {0, 0},         {-5, -EIO}, {-ECANCELED, -ECANCELED},
                 {-4096, -EIO}, {INT_MIN, -EIO}};
    const int fd = eventfd(1, EFD_CLOEXEC);

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        play_sync_files(cases[i].status);
        EXPECT_INT(hy_sync_fence_result(fd, POLLIN), cases[i].end);
    }
    play_no_sync_files();
    close(fd);
}

TEST(sync_fence, descriptor_that_is_no_sync_file_is_signalled_as_poll_says)
{
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const int fds[] = {eventfd(1, EFD_CLOEXEC), ends[0]};

    for (size_t i = 0; i < COUNT_OF(fds); i++) {
        EXPECT_INT(hy_sync_fence_result(fds[i], POLLIN), 0);
        EXPECT_INT(hy_sync_fence_result(fds[i], POLLIN | POLLHUP), 0);
        EXPECT_INT(hy_sync_fence_result(fds[i], POLLHUP), -EIO);
        EXPECT_INT(hy_sync_fence_result(fds[i], POLLIN | POLLERR), -EIO);
        EXPECT_INT(hy_sync_fence_result(fds[i], POLLNVAL), -EBADF);
        close(fds[i]);
    }
    close(ends[1]);
}
