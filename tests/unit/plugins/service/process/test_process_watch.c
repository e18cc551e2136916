/* The one thread that sees services die. */
#include "plugins/service/process/fork.h"
#include "plugins/service/process/life_watch.h"
#include "started.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Something to watch: both ends of a socket, and a process that does not end, or is started. */
struct subject {
    int ends[2];
    int pidfd;
    struct hy_life_watch *watch;
    atomic_uint messages, ends_seen;
    atomic_bool end_came_last, removes_itself, waits_for_leave;
    char received[64];
    sem_t spoke, went, leave;
};

static bool read_message(void *context)
{
    struct subject *subject = context;
    struct hy_life_watch *const watch = subject->watch; /* the test goes on once it has heard */
    const bool removes_itself = subject->removes_itself;
    char text[sizeof subject->received];

    const ssize_t got = recv(subject->ends[0], text, sizeof text - 1, MSG_DONTWAIT);
    if (got <= 0)
        return false;
    text[got] = '\0';
    strcpy(subject->received, text);
    subject->end_came_last = false;
    subject->messages++;
    sem_post(&subject->spoke);
    if (removes_itself)
        hy_life_watch_remove(watch);
    while (subject->waits_for_leave && sem_wait(&subject->leave) != 0)
        ;
    return true;
}

static void note_end(void *context)
{
    struct subject *subject = context;

    subject->end_came_last = true;
    subject->ends_seen++;
    sem_post(&subject->went);
}

static const struct hy_life_events events = {.message = read_message, .gone = note_end};

static bool wait_for(sem_t *semaphore)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += TIMEOUT_MS / 1000;
    return sem_timedwait(semaphore, &until) == 0;
}

static bool cache_model_init(struct subject *subject)
{
    struct hy_error err;

    *subject = (struct subject){.pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0)};
    sem_init(&subject->spoke, 0, 0);
    sem_init(&subject->went, 0, 0);
    sem_init(&subject->leave, 0, 0);
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, subject->ends) == 0 &&
           hy_life_watch_add(subject->ends[0], subject->pidfd, &events, subject, &subject->watch,
                             &err) == HY_OK;
}

static void close_end(struct subject *subject, int which)
{
    if (subject->ends[which] >= 0)
        close(subject->ends[which]);
    subject->ends[which] = -1;
}

static void cache_model_finish(struct subject *subject)
{
    hy_life_watch_remove(subject->watch);
    close_end(subject, 0);
    close_end(subject, 1);
    close(subject->pidfd);
    sem_destroy(&subject->spoke);
    sem_destroy(&subject->went);
    sem_destroy(&subject->leave);
}

static bool send_line(struct subject *subject, const char *text)
{
    return send(subject->ends[1], text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text);
}

TEST(life_watch, tells_of_messages_and_of_no_end)
{
    struct subject subject;

    REQUIRE(cache_model_init(&subject));
    EXPECT(send_line(&subject, "one"));
    EXPECT(wait_for(&subject.spoke));
    EXPECT(send_line(&subject, "two"));
    EXPECT(send_line(&subject, "three"));
    EXPECT(wait_for(&subject.spoke) && wait_for(&subject.spoke));
    EXPECT_STR(subject.received, "three");
    hy_life_watch_remove(subject.watch);
    subject.watch = NULL;
    EXPECT_INT(subject.messages, 3);
    EXPECT_INT(subject.ends_seen, 0);
    cache_model_finish(&subject);
}

TEST(life_watch, tells_once_of_a_socket_that_was_hung_up)
{
    struct subject subject, other;

    REQUIRE(cache_model_init(&subject));
    REQUIRE(cache_model_init(&other));
    close_end(&subject, 1);
    EXPECT(wait_for(&subject.went));
    /* Another event has come and gone after it: there was the occasion to tell it twice. */
    EXPECT(send_line(&other, "later"));
    EXPECT(wait_for(&other.spoke));
    EXPECT_INT(subject.ends_seen, 1);
    EXPECT_INT(subject.messages, 0);
    cache_model_finish(&subject);
    cache_model_finish(&other);
}

TEST(life_watch, last_words_come_before_the_end)
{
    struct subject subject;

    REQUIRE(cache_model_init(&subject));
    subject.waits_for_leave = true;
    EXPECT(send_line(&subject, "first"));
    EXPECT(wait_for(&subject.spoke)); /* the thread of the watch is held up there */
    for (int i = 0; i < 5; i++)
        EXPECT(send_line(&subject, "one more"));
    EXPECT(send_line(&subject, "farewell"));
    close_end(&subject, 1);
    subject.waits_for_leave = false;
    sem_post(&subject.leave);
    EXPECT(wait_for(&subject.went));
    EXPECT_STR(subject.received, "farewell");
    EXPECT(subject.end_came_last);
    EXPECT_INT(subject.messages, 7);
    EXPECT_INT(subject.ends_seen, 1);
    cache_model_finish(&subject);
}

TEST(life_watch, last_words_are_not_heard_by_who_removed_the_watch)
{
    struct subject subject;

    REQUIRE(cache_model_init(&subject));
    subject.waits_for_leave = true;
    EXPECT(send_line(&subject, "first"));
    EXPECT(wait_for(&subject.spoke));
    subject.removes_itself = true;
    EXPECT(send_line(&subject, "second"));
    EXPECT(send_line(&subject, "third"));
    close_end(&subject, 1);
    subject.waits_for_leave = false;
    sem_post(&subject.leave);
    EXPECT(wait_for(&subject.spoke));
    struct subject other; /* whose message comes after all that the first could have heard */
    REQUIRE(cache_model_init(&other));
    EXPECT(send_line(&other, "later"));
    EXPECT(wait_for(&other.spoke));
    EXPECT_STR(subject.received, "second");
    EXPECT_INT(subject.ends_seen, 0);
    subject.watch = NULL;
    cache_model_finish(&subject);
    cache_model_finish(&other);
}

/* A watch over a real process; its control socket is read by nobody but the callback. */
static bool watch_started(struct subject *subject, struct hy_host_process *process)
{
    struct hy_error err;

    *subject = (struct subject){.ends = {dup(hy_host_process_control(process)), -1},
                                .pidfd = dup(hy_host_process_pidfd(process))};
    sem_init(&subject->spoke, 0, 0);
    sem_init(&subject->went, 0, 0);
    sem_init(&subject->leave, 0, 0);
    return hy_life_watch_add(subject->ends[0], subject->pidfd, &events, subject, &subject->watch,
                             &err) == HY_OK;
}

TEST(life_watch, tells_once_of_a_process_that_was_killed)
{
    struct hy_host_process *process = started();
    struct subject subject;

    REQUIRE(process && watch_started(&subject, process));
    EXPECT(wait_for(&subject.spoke));
    EXPECT_CONTAINS(subject.received, "open 4");
    hy_host_process_kill(process);
    EXPECT(wait_for(&subject.went));
    cache_model_finish(&subject);
    EXPECT_INT(subject.ends_seen, 1);
    hy_host_process_destroy(process);
}

/* Process 1 of a container is given all orphans, as this one is. */
TEST(life_watch, reaps_where_the_app_is_given_the_orphans)
{
    struct subject subject;

    REQUIRE(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    struct hy_host_process *process = started();
    REQUIRE(process && watch_started(&subject, process));
    hy_host_process_kill(process);
    EXPECT(wait_for(&subject.went));
    /* The hang-up may have been seen before the process had ended: its end ends it all. */
    EXPECT(started_has_ended(subject.pidfd));
    cache_model_finish(&subject);
    hy_host_process_destroy(process);
    EXPECT(started_left_no_child());
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* The case of a host that is let go while it lives: it ends when it finds the socket closed. */
TEST(life_watch, host_that_is_let_go_alive_leaves_no_zombie_either)
{
    REQUIRE(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    for (int i = 0; i < 5; i++) {
        struct hy_host_process *process = started();
        REQUIRE(process != NULL);
        hy_host_process_destroy(process);
    }
    bool is_alone = false;
    for (int ms = 0; ms < TIMEOUT_MS && !is_alone; ms++) {
        is_alone = started_left_no_child();
        poll(NULL, 0, is_alone ? 0 : 1);
    }
    EXPECT(is_alone);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* ---- Removal --------------------------------------------------------------------------------- */

TEST(life_watch, callback_may_remove_its_own_watch)
{
    struct subject subject;

    REQUIRE(cache_model_init(&subject));
    subject.removes_itself = true;
    EXPECT(send_line(&subject, "remove me"));
    EXPECT(send_line(&subject, "unheard"));
    close_end(&subject, 1);
    EXPECT(wait_for(&subject.spoke));
    subject.watch = NULL;

    struct subject other;
    REQUIRE(cache_model_init(&other));
    EXPECT(send_line(&other, "later"));
    EXPECT(wait_for(&other.spoke));
    EXPECT_INT(subject.messages, 1);
    EXPECT_INT(subject.ends_seen, 0);
    cache_model_finish(&subject);
    cache_model_finish(&other);
}

static void *remove_watch(void *argument)
{
    struct subject *subject = argument;

    hy_life_watch_remove(subject->watch);
    subject->watch = NULL;
    sem_post(&subject->went);
    return NULL;
}

TEST(life_watch, removal_waits_for_the_callback_that_is_running)
{
    struct subject subject;
    pthread_t remover;

    REQUIRE(cache_model_init(&subject));
    subject.waits_for_leave = true;
    EXPECT(send_line(&subject, "hold on"));
    EXPECT(wait_for(&subject.spoke));
    REQUIRE(pthread_create(&remover, NULL, remove_watch, &subject) == 0);
    hy_threads_wait_for_rest();
    EXPECT(sem_trywait(&subject.went) != 0);
    sem_post(&subject.leave);
    EXPECT(wait_for(&subject.went));
    pthread_join(remover, NULL);
    cache_model_finish(&subject);
}

struct part {
    bool good;
};

/* Half of them are removed while an end or a message is under way. */
static void come_and_go(void *argument)
{
    struct part *part = argument;

    part->good = true;
    for (unsigned i = 0; i < 400 / HY_SLOWNESS; i++) {
        struct subject subject;
        if (!cache_model_init(&subject)) {
            part->good = false;
            return;
        }
        if (i % 2)
            part->good &= send_line(&subject, "x");
        if (i % 3)
            close_end(&subject, 1);
        if (i % 4 == 1)
            part->good &= wait_for(&subject.spoke);
        cache_model_finish(&subject);
        part->good &= subject.ends_seen <= (i % 3 ? 1u : 0u) && subject.messages <= (i % 2);
    }
}

TEST(life_watch, eight_threads_may_come_and_go)
{
    struct part parts[8] = {0};

    REQUIRE(hy_threads_run(8, come_and_go, parts, sizeof *parts));
    for (int i = 0; i < 8; i++)
        EXPECT(parts[i].good);
}

/* ---- fork() ---------------------------------------------------------------------------------- */

static bool watch_anew(struct subject *of_the_parent)
{
    struct subject subject;

    hy_life_watch_remove(of_the_parent->watch);
    if (!cache_model_init(&subject) || !send_line(&subject, "child") || !wait_for(&subject.spoke))
        return false;
    close_end(&subject, 1);
    const bool good = wait_for(&subject.went);
    hy_life_watch_remove(subject.watch);
    return good && of_the_parent->messages == 0;
}

TEST(life_watch, child_of_a_fork_forgets_and_begins_anew)
{
    struct subject subject;
    int status = -1;

    REQUIRE(cache_model_init(&subject));
    if (HY_SLOWNESS > 1)
        hy_threads_wait_for_rest();
    fflush(stdout);
    const pid_t child = fork(); /* guarded as test_host_process.c has it */
    if (child == 0)
        _exit(watch_anew(&subject) ? 0 : 2);
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    EXPECT_INT(status, 0);
    EXPECT(send_line(&subject, "parent"));
    EXPECT(wait_for(&subject.spoke));
    EXPECT_STR(subject.received, "parent");
    cache_model_finish(&subject);
}
