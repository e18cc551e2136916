/* The page on which a parent tells how its child has ended. */
#include "plugins/service/process/end_page.h"
#include "started.h"
#include "tests/kit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL };

static void close_page(struct hy_end_page *page)
{
    close(page->fd);
    munmap((void *)page->word, sizeof *page->word);
}

/* The status of a child that ends so: `signal`, or with status 3 without one. */
static int end_of_child(int signal)
{
    int status = -1;
    const pid_t child = fork();

    if (child == 0) {
        if (signal != 0)
            kill(getpid(), signal);
        _exit(3);
    }
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

static void expect_reported(int signal, const char *expected)
{
    struct hy_end_page page = {.fd = -1};
    struct hy_process_end end;
    char text[64];
    REQUIRE(hy_end_page_make(&page, NULL) == HY_OK);

    EXPECT(!hy_end_page_await(page.fd, 0, &end));
    hy_end_page_report(&page, end_of_child(signal));
    REQUIRE(hy_end_page_await(page.fd, 0, &end));
    hy_process_end_describe(&end, text, sizeof text);
    EXPECT_STR(text, expected);
    close_page(&page);
}

TEST(end_page, tells_of_a_signal)
{
    expect_reported(SIGKILL, "was ended by SIGKILL (9)");
}

TEST(end_page, tells_an_exit_status)
{
    expect_reported(0, "exited with status 3");
}

TEST(end_page, nobody_tells_without_one)
{
    struct hy_process_end end;

    hy_end_page_report(&(struct hy_end_page){.fd = -1}, SIGKILL);
    EXPECT(!hy_end_page_await(-1, TIMEOUT_MS, &end));
}

TEST(end_page, end_that_is_told_late_is_awaited_in_another_process)
{
    struct hy_end_page page = {.fd = -1};
    int status = -1;
    REQUIRE(hy_end_page_make(&page, NULL) == HY_OK);

    const pid_t child = fork();
    if (child == 0) {
        struct hy_process_end end = {0};
        _exit(hy_end_page_await(page.fd, TIMEOUT_MS, &end) && end.kind == HY_END_SIGNAL ? end.number
                                                                                        : 0);
    }
    usleep(20000); /* it waits, on most machines */
    hy_end_page_report(&page, SIGSEGV);
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == SIGSEGV);
    close_page(&page);
}

/* ---- Who can write it ------------------------------------------------------------------------ */

static bool can_map(int fd, int protection)
{
    void *memory = mmap(NULL, sizeof(uint32_t), protection, MAP_SHARED, fd, 0);

    if (memory == MAP_FAILED)
        return false;
    munmap(memory, sizeof(uint32_t));
    return true;
}

TEST(end_page, who_has_the_descriptor_reads_and_does_not_write)
{
    struct hy_end_page page = {.fd = -1};
    char path[32];
    REQUIRE(hy_end_page_make(&page, NULL) == HY_OK);

    snprintf(path, sizeof path, "/proc/self/fd/%d", page.fd);
    const int again = open(path, O_RDWR | O_CLOEXEC);
    EXPECT(again >= 0);
    EXPECT(can_map(again, PROT_READ));
    EXPECT(!can_map(again, PROT_READ | PROT_WRITE));
    EXPECT(pwrite(again, "", 1, 0) == -1);
    EXPECT(ftruncate(again, 0) == -1);
    EXPECT(fcntl(again, F_ADD_SEALS, F_SEAL_WRITE) == -1);
    EXPECT(hy_end_page_is_one(again));
    close(again);
    close_page(&page);
}

/* Memory that is mapped can be looked up. */
TEST(end_page, child_does_not_inherit_the_memory)
{
    struct hy_end_page page = {.fd = -1};
    int status = -1;
    REQUIRE(hy_end_page_make(&page, NULL) == HY_OK);

    EXPECT(msync((void *)page.word, sizeof *page.word, MS_ASYNC) == 0);
    const pid_t child = fork();
    if (child == 0)
        _exit(msync((void *)page.word, sizeof *page.word, MS_ASYNC) == -1 && errno == ENOMEM ? 0
                                                                                             : 1);
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT_INT(status, 0);
    close_page(&page);
}

/* ---- What is none ---------------------------------------------------------------------------- */

/* Closes it. */
static void expect_none(int fd)
{
    EXPECT(fd >= 0);
    EXPECT(!hy_end_page_is_one(fd));
    close(fd);
}

static int file_of(off_t bytes, int seals)
{
    const int fd = memfd_create("page", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    EXPECT(ftruncate(fd, bytes) == 0 && fcntl(fd, F_ADD_SEALS, seals) == 0);
    return fd;
}

TEST(end_page, descriptor_of_something_else_is_none)
{
    int ends[2];
    REQUIRE(pipe(ends) == 0);

    expect_none(ends[0]);
    expect_none(ends[1]);
    expect_none(open("/dev/zero", O_RDWR | O_CLOEXEC));
    expect_none(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    EXPECT(!hy_end_page_is_one(-1));
}

TEST(end_page, file_of_another_size_is_none)
{
    static const off_t sizes[] = {0, 3, 5, 4096};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        expect_none(file_of(sizes[i], SEALS));
}

TEST(end_page, file_that_lacks_a_seal_is_none)
{
    static const int lacks[] = {SEALS, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_FUTURE_WRITE,
                                F_SEAL_SEAL};

    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
        expect_none(file_of(sizeof(uint32_t), SEALS & ~lacks[i]));
    const int fd = file_of(sizeof(uint32_t), SEALS);
    EXPECT(hy_end_page_is_one(fd));
    close(fd);
}

/* Also one that was cut since it was looked at, which nothing but its seals forbids. */
TEST(end_page, file_that_ends_early_or_says_something_else_tells_nothing)
{
    struct hy_process_end end;
    const uint32_t word = 0x20000;
    const int fd = file_of(0, 0);

    EXPECT(!hy_end_page_await(fd, 2, &end));
    EXPECT(pwrite(fd, &word, sizeof word, 0) == (ssize_t)sizeof word);
    EXPECT(!hy_end_page_await(fd, 2, &end));
    close(fd);
}
