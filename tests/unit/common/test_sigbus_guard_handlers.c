/* What the guard leaves to whoever had SIGBUS before it. Each case has a process of its own, since
 * a process gets the guard once. */
#include "common/sigbus_guard.h"
#include "tests/kit/test.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static atomic_uint calls;
static void *volatile faulted;
static volatile bool blocked_another;

static void note_mask(void)
{
    sigset_t mask;

    sigemptyset(&mask);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask);
    blocked_another = sigismember(&mask, SIGUSR2) == 1;
}

static void handle_plain(int signal)
{
    calls += signal == SIGBUS;
    note_mask();
    siglongjmp(back, 1);
}

static void handle_info(int signal, siginfo_t *info, void *context)
{
    calls += signal == SIGBUS && context;
    faulted = info->si_addr;
    siglongjmp(back, 1);
}

static void count_call(int signal)
{
    calls += signal == SIGBUS;
}

static void set_handler(void (*plain)(int), void (*with_info)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_flags = flags};

    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR2);
    if (with_info)
        action.sa_sigaction = with_info;
    else
        action.sa_handler = plain;
    if (sigaction(SIGBUS, &action, NULL) != 0)
        _exit(99);
}

/* A page of a file that has none. */
static volatile unsigned char *make_hole(void)
{
    const int fd = memfd_create("hole", MFD_CLOEXEC);
    unsigned char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

    if (fd < 0 || page == MAP_FAILED)
        _exit(98);
    close(fd);
    return page;
}

/* The guard, and a torn mapping that it mends: it has to work beside whatever was there before. */
static void install(void)
{
    static atomic_bool truncated;
    struct hy_error err;
    uint32_t slot = 0;
    volatile unsigned char *hole = make_hole();

    if (hy_sigbus_guard_install(&err) != HY_OK ||
        hy_sigbus_guard_add((void *)(uintptr_t)hole, 4096, &truncated, &slot, &err) != HY_OK)
        _exit(97);
    if (*hole != 0 || !truncated || calls != 0)
        _exit(96);
}

/* What a child does; true: all is as it should be. */
static int run_apart(bool (*act)(void))
{
    int status = 0;

    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        _exit(act() ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

static bool plain_handler_is_called(void)
{
    set_handler(handle_plain, NULL, SA_NODEFER);
    install();
    volatile unsigned char *hole = make_hole();
    if (sigsetjmp(back, 1) == 0)
        (void)*hole;
    if (sigsetjmp(back, 1) == 0)
        (void)*hole;
    return calls == 2 && blocked_another;
}

static bool handler_with_info_is_called(void)
{
    set_handler(NULL, handle_info, SA_SIGINFO | SA_NODEFER);
    install();
    volatile unsigned char *hole = make_hole();
    if (sigsetjmp(back, 1) == 0)
        (void)hole[17];
    return calls == 1 && faulted == (void *)(uintptr_t)(hole + 17);
}

static bool signal_that_was_sent_is_handled(void)
{
    set_handler(count_call, NULL, 0);
    install();
    return raise(SIGBUS) == 0 && calls == 1 && raise(SIGBUS) == 0 && calls == 2;
}

static bool signal_that_was_sent_is_ignored(void)
{
    set_handler(SIG_IGN, NULL, 0);
    install();
    return raise(SIGBUS) == 0;
}

TEST(sigbus_guard_handlers, handler_of_before_gets_every_other_fault)
{
    EXPECT_INT(run_apart(plain_handler_is_called), 0);
    EXPECT_INT(run_apart(handler_with_info_is_called), 0);
    EXPECT_INT(run_apart(signal_that_was_sent_is_handled), 0);
    EXPECT_INT(run_apart(signal_that_was_sent_is_ignored), 0);
}

static bool die_by_default(void)
{
    set_handler(SIG_DFL, NULL, 0);
    install();
    (void)*make_hole();
    return true;
}

static bool die_though_ignored(void)
{
    set_handler(SIG_IGN, NULL, 0);
    install();
    (void)*make_hole();
    return true;
}

static bool die_the_second_time(void)
{
    set_handler(count_call, NULL, (int)SA_RESETHAND);
    install();
    (void)raise(SIGBUS);
    if (calls == 1)
        (void)raise(SIGBUS);
    return true;
}

static bool guard_works_after_a_foreign_fault(void)
{
    static atomic_bool truncated;
    struct hy_error err;
    uint32_t slot = 0;

    set_handler(handle_plain, NULL, SA_NODEFER);
    install();
    if (sigsetjmp(back, 1) == 0)
        (void)*make_hole();
    volatile unsigned char *hole = make_hole();
    if (hy_sigbus_guard_add((void *)(uintptr_t)hole, 4096, &truncated, &slot, &err) != HY_OK)
        return false;
    if (sigsetjmp(back, 1) == 0)
        (void)*hole;
    return calls == 1 && truncated;
}

TEST(sigbus_guard_handlers, guard_goes_on_after_a_fault_that_was_not_its_own)
{
    EXPECT_INT(run_apart(guard_works_after_a_foreign_fault), 0);
}

TEST(sigbus_guard_handlers, without_a_handler_other_faults_end_the_process)
{
    bool (*const acts[])(void) = {die_by_default, die_though_ignored, die_the_second_time};

    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        const int status = run_apart(acts[i]);
        EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
    }
}

static bool blocked_thread_survives(void)
{
    static atomic_bool truncated;
    struct hy_error err;
    sigset_t all, before, after;
    uint32_t slot = 0;
    volatile unsigned char *hole = make_hole();

    if (hy_sigbus_guard_install(&err) != HY_OK ||
        hy_sigbus_guard_add((void *)(uintptr_t)hole, 4096, &truncated, &slot, &err) != HY_OK)
        return false;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, NULL);
    const bool was_blocked = hy_sigbus_guard_enter(&before);
    const bool is_zero = *hole == 0;
    hy_sigbus_guard_leave(&before);
    sigemptyset(&after);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &after);
    return was_blocked && is_zero && truncated && sigismember(&after, SIGBUS) == 1;
}

static bool open_thread_is_asked_once(void)
{
    sigset_t before;

    return !hy_sigbus_guard_enter(&before) && !hy_sigbus_guard_enter(NULL);
}

TEST(sigbus_guard_handlers, thread_that_takes_the_signal_is_asked_once)
{
    EXPECT_INT(run_apart(open_thread_is_asked_once), 0);
}

TEST(sigbus_guard_handlers, thread_that_has_blocked_the_signal_survives_inside_and_keeps_its_mask)
{
    EXPECT_INT(run_apart(blocked_thread_survives), 0);
}
