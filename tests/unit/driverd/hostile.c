/* A library that tries what a driver has no business with, one deed at a time. */
#include "hostile.h"

#include "hostile_deeds.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int outcome(long result)
{
    return result < 0 ? errno : 0;
}

static int open_and_close(const char *path, int flags)
{
    const int fd = open(path, flags | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

static int read_file(const char *path)
{
    return open_and_close(path, O_RDONLY);
}

static int write_file(const char *path)
{
    return open_and_close(path, O_WRONLY | O_CREAT);
}

static int read_with_signals_blocked(const char *path)
{
    sigset_t all, now;

    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, NULL) != 0 || sigprocmask(SIG_BLOCK, &all, NULL) != 0 ||
        pthread_sigmask(SIG_BLOCK, NULL, &now) != 0 || !sigismember(&now, SIGTERM))
        return -2;
    return read_file(path);
}

static int open_another_way(const char *path)
{
    const struct {
        uint64_t flags, mode, resolve;
    } how = {.flags = O_RDONLY};
    return outcome(syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how));
}

/* By a thread that has been there since the library was loaded. */
static struct {
    sem_t has_errand, is_done;
    const char *path;
    int result;
} early;

static void *be_early(void *argument)
{
    (void)argument;
    while (sem_wait(&early.has_errand) != 0)
        ;
    early.result = open_another_way(early.path);
    sem_post(&early.is_done);
    return NULL;
}

__attribute__((constructor)) static void start_early(void)
{
    pthread_t thread;

    sem_init(&early.has_errand, 0, 0);
    sem_init(&early.is_done, 0, 0);
    if (pthread_create(&thread, NULL, be_early, NULL) == 0)
        pthread_detach(thread);
}

static int read_by_early_thread(const char *path)
{
    early.path = path;
    sem_post(&early.has_errand);
    while (sem_wait(&early.is_done) != 0)
        ;
    return early.result;
}

static int list_dir(const char *path)
{
    return open_and_close(path, O_RDONLY | O_DIRECTORY);
}

static int remove_file(const char *path)
{
    return outcome(unlink(path));
}

static int change_mode(const char *path)
{
    return outcome(chmod(path, 0777));
}

/* Of a file that it has open; what it was refused is no reason to go on. */
static int change_open_file(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const int failure = fd < 0 ? -2 : outcome(fchmod(fd, 0777));
    return failure == EPERM ? outcome(fchown(fd, 1, 1)) : failure;
}

static int cut_file(const char *path)
{
    return outcome(truncate(path, 0));
}

static int load_library(const char *path)
{
    return dlopen(path, RTLD_NOW) ? 0 : EACCES;
}

static int make_socket(const char *argument)
{
    (void)argument;
    return outcome(socket(AF_INET, SOCK_STREAM, 0));
}

/* On a socket that it may make; the refusal comes before anybody looks at the address. */
static int connect_socket(const char *argument)
{
    const struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
    int ends[2];

    (void)argument;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return -2;
    return outcome(connect(ends[0], (const struct sockaddr *)&address, sizeof address));
}

static int make_letter_box(const char *argument)
{
    int ends[2];
    (void)argument;
    return outcome(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
}

static int execute(const char *path)
{
    char *const arguments[] = {(char *)"true", NULL};
    return outcome(execve(path, arguments, NULL));
}

static int execute_from_memory(const char *argument)
{
    char *const arguments[] = {(char *)"x", NULL};
    (void)argument;
    return outcome(syscall(SYS_execveat, memfd_create("x", 0), "", arguments, NULL, 0x1000));
}

static int spawn(const char *path)
{
    char *const arguments[] = {(char *)"true", NULL};
    pid_t child;
    return posix_spawn(&child, path, NULL, NULL, arguments, NULL);
}

static int make_process(const char *argument)
{
    (void)argument;
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    return outcome(child);
}

static int trace_parent(const char *argument)
{
    (void)argument;
    return outcome(ptrace(PTRACE_SEIZE, getppid(), NULL, NULL));
}

static int read_parent(const char *argument)
{
    char bytes[8];
    struct iovec here = {bytes, sizeof bytes}, there = {(void *)read_parent, sizeof bytes};

    (void)argument;
    return outcome(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}

static int kill_parent(const char *argument)
{
    (void)argument;
    return outcome(kill(getppid(), SIGKILL));
}

static int kill_group(const char *argument)
{
    (void)argument;
    return outcome(kill(-1, SIGKILL));
}

static int reach_parent(const char *argument)
{
    (void)argument;
    return outcome(syscall(SYS_pidfd_open, getppid(), 0));
}

static int limit_parent(const char *argument)
{
    struct rlimit limit;
    (void)argument;
    return outcome(prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit));
}

static int become_root(const char *argument)
{
    (void)argument;
    return outcome(syscall(SYS_setuid, 0));
}

/* EPERM: it has none but those that lead to files. */
static int have_powers(const char *argument)
{
    const uint64_t harmless = UINT64_C(1) << CAP_DAC_OVERRIDE | UINT64_C(1) << CAP_DAC_READ_SEARCH;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct powers[_LINUX_CAPABILITY_U32S_3];

    (void)argument;
    if (syscall(SYS_capget, &header, powers) != 0)
        return errno;
    const uint64_t permitted = powers[0].permitted | (uint64_t)powers[1].permitted << 32;
    return permitted & ~harmless ? 0 : EPERM;
}

static int know_variable(const char *name)
{
    return getenv(name) ? 0 : ENOENT;
}

/* No core, descriptors in a number, and neither can be raised. */
static int have_limits(const char *argument)
{
    struct rlimit core, files;

    (void)argument;
    if (getrlimit(RLIMIT_CORE, &core) != 0 || getrlimit(RLIMIT_NOFILE, &files) != 0)
        return errno;
    if (core.rlim_max != 0 || files.rlim_max > 16384)
        return ERANGE;
    core.rlim_max = files.rlim_max = RLIM_INFINITY;
    if (setrlimit(RLIMIT_CORE, &core) == 0 || setrlimit(RLIMIT_NOFILE, &files) == 0)
        return EEXIST;
    return 0;
}

static int leave_namespace(const char *argument)
{
    (void)argument;
    return outcome(unshare(CLONE_NEWUSER));
}

static int mount_something(const char *path)
{
    return outcome(mount("none", path, "tmpfs", 0, NULL));
}

/* ioctls are allowed, typing on somebody's terminal is not, however the command is padded. */
static int type_on_terminal(const char *argument)
{
    const uint64_t padded = TIOCSTI | UINT64_C(1) << 40;
    (void)argument;
    return outcome(syscall(SYS_ioctl, 2, padded, "x"));
}

static int call_by_number(long number)
{
    return outcome(syscall(number, 0, 0, 0, 0, 0, 0));
}

static int load_program(const char *argument)
{
    (void)argument;
    return call_by_number(SYS_bpf);
}

static int use_keys(const char *argument)
{
    (void)argument;
    return call_by_number(SYS_keyctl);
}

static int change_kernel(const char *argument)
{
    (void)argument;
    return call_by_number(SYS_kexec_load);
}

static int load_module(const char *argument)
{
    (void)argument;
    return call_by_number(SYS_init_module);
}

static int catch_faults(const char *argument)
{
    (void)argument;
    return call_by_number(SYS_userfaultfd);
}

static int measure_events(const char *argument)
{
    (void)argument;
    return call_by_number(SYS_perf_event_open);
}

static int make_ring(const char *argument)
{
    (void)argument;
    return call_by_number(SYS_io_uring_setup);
}

static int call_the_future(const char *argument)
{
    (void)argument;
    return call_by_number(1000);
}

/* ---- What is its good right ------------------------------------------------------------------ */

static int use_state(const char *dir)
{
    char one[512], two[512];

    snprintf(one, sizeof one, "%s/one", dir);
    snprintf(two, sizeof two, "%s/two", dir);
    const int fd = open(one, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    const bool good = write(fd, "x", 1) == 1 && ftruncate(fd, 4) == 0 && fsync(fd) == 0;
    close(fd);
    if (!good || rename(one, two) != 0 || open_and_close(two, O_RDWR | O_TRUNC) != 0)
        return errno ? errno : EIO;
    return outcome(unlink(two));
}

static int look_at_itself(const char *argument)
{
    (void)argument;
    const int failure = read_file("/proc/self/maps");
    return failure ? failure : read_file("/proc/cpuinfo");
}

static int use_memory(const char *argument)
{
    (void)argument;
    const int fd = memfd_create("x", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 4096) != 0)
        return errno;
    void *bytes = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd, 0);
    close(fd);
    return bytes == MAP_FAILED ? errno : outcome(munmap(bytes, 4096));
}

static void ignore(int signal)
{
    (void)signal;
}

static int signal_itself(const char *argument)
{
    (void)argument;
    signal(SIGUSR2, ignore);
    return outcome(raise(SIGUSR2) != 0 || kill(getpid(), SIGUSR2) != 0 ? -1 : 0);
}

static int use_device(const char *path)
{
    return open_and_close(path, O_RDWR);
}

/* Says so in a fifo, which it holds until its end, and never comes back. */
static int hang(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "x", 1) != 1)
        return errno;
    for (;;)
        pause();
}

/* ---- All of them ----------------------------------------------------------------------------- */

static const struct hostile_deed deeds[] = {
    DEED(read_file),
    DEED(read_with_signals_blocked),
    DEED(write_file),
    DEED(open_another_way),
    DEED(read_by_early_thread),
    DEED(list_dir),
    DEED(remove_file),
    DEED(change_mode),
    DEED(change_open_file),
    DEED(cut_file),
    DEED(load_library),
    DEED(make_socket),
    DEED(connect_socket),
    DEED(make_letter_box),
    DEED(execute),
    DEED(execute_from_memory),
    DEED(spawn),
    DEED(make_process),
    DEED(trace_parent),
    DEED(read_parent),
    DEED(kill_parent),
    DEED(kill_group),
    DEED(reach_parent),
    DEED(limit_parent),
    DEED(become_root),
    DEED(have_powers),
    DEED(know_variable),
    DEED(have_limits),
    DEED(leave_namespace),
    DEED(mount_something),
    DEED(type_on_terminal),
    DEED(load_program),
    DEED(use_keys),
    DEED(change_kernel),
    DEED(load_module),
    DEED(catch_faults),
    DEED(measure_events),
    DEED(make_ring),
    DEED(call_the_future),
    DEED(use_state),
    DEED(look_at_itself),
    DEED(use_memory),
    DEED(signal_itself),
    DEED(use_device),
    DEED(hang),
};

static const struct hostile_deed *find_in(const struct hostile_deed *some, size_t count,
                                          const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(some[i].name, name) == 0)
            return &some[i];
    }
    return NULL;
}

static const struct hostile_deed *find(const char *name)
{
    const struct hostile_deed *deed = find_in(deeds, sizeof deeds / sizeof *deeds, name);
    if (!deed)
        deed = find_in(hostile_reach_deeds, hostile_reach_deed_count, name);
    return deed ? deed : find_in(hostile_resource_deeds, hostile_resource_deed_count, name);
}

struct errand {
    int (*act)(const char *argument);
    const char *argument;
    int result;
};

static void *run(void *argument)
{
    struct errand *errand = argument;
    errand->result = errand->act(errand->argument);
    return NULL;
}

/* Each in a thread of its own: what holds for the process has to hold for that. */
__attribute__((visibility("default"))) int hostile_act(const char *deed, const char *argument);
int hostile_act(const char *deed, const char *argument)
{
    const struct hostile_deed *found = find(deed);
    pthread_t thread;
    if (!found)
        return -1;
    struct errand errand = {found->act, argument, -1};
    if (pthread_create(&thread, NULL, run, &errand) != 0)
        return -1;
    pthread_join(thread, NULL);
    return errand.result;
}
