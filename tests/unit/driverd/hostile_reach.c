/* Deeds against other processes, by calls that a driver needs for itself. Each tries several ways:
 * it comes to EPERM if all are refused, to 0 if one works, else to the errno of the first that
 * fails in another way. */
#include "hostile_deeds.h"

#include <asm/ioctls.h>
#include <asm/sockios.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the kernel does not look at in an int. */
#define GARBAGE (UINT64_C(0xdead) << 32)

static void try_it(int *worst, long result)
{
    const int failure = result < 0 ? errno : 0;

    if (failure == 0 || *worst == EPERM)
        *worst = *worst == 0 ? 0 : failure;
}

static bool make_pair(int *ends)
{
    return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;
}

static pid_t number_in(const char *argument)
{
    return (pid_t)strtol(argument, NULL, 10);
}

/* Something to read makes the kernel send SIGKILL to whom it was told. */
static void make_ready(const int *ends)
{
    (void)!write(ends[1], "x", 1);
    close(ends[0]);
    close(ends[1]);
}

static int signal_by_descriptor(const char *argument)
{
    const struct f_owner_ex owner = {.type = F_OWNER_PID, .pid = number_in(argument)};
    int ends[2], worst = EPERM;

    if (!make_pair(ends))
        return -2;
    try_it(&worst, fcntl(ends[0], F_SETOWN, owner.pid));
    try_it(&worst, fcntl(ends[0], F_SETOWN_EX, &owner));
    try_it(&worst, fcntl(ends[0], F_SETSIG, SIGKILL));
    try_it(&worst, fcntl(ends[0], F_SETFL, O_RDWR | O_ASYNC));
    make_ready(ends);
    return worst;
}

static int signal_by_padded_command(const char *argument)
{
    const struct f_owner_ex owner = {.type = F_OWNER_PID, .pid = number_in(argument)};
    int ends[2], worst = EPERM;

    if (!make_pair(ends))
        return -2;
    try_it(&worst, syscall(SYS_fcntl, ends[0], F_SETOWN | GARBAGE, owner.pid));
    try_it(&worst, syscall(SYS_fcntl, ends[0], F_SETOWN_EX | GARBAGE, &owner));
    try_it(&worst, syscall(SYS_fcntl, ends[0], F_SETSIG | GARBAGE, SIGKILL));
    try_it(&worst, syscall(SYS_fcntl, ends[0], F_SETFL | GARBAGE, O_RDWR | O_ASYNC | GARBAGE));
    make_ready(ends);
    return worst;
}

static int signal_by_ioctl(const char *argument)
{
    const uint64_t padding[] = {0, GARBAGE};
    int on = 1, owner = number_in(argument), ends[2], worst = EPERM;

    if (!make_pair(ends))
        return -2;
    for (size_t i = 0; i < 2; i++) {
        try_it(&worst, syscall(SYS_ioctl, ends[0], FIOSETOWN | padding[i], &owner));
        try_it(&worst, syscall(SYS_ioctl, ends[0], SIOCSPGRP | padding[i], &owner));
        try_it(&worst, syscall(SYS_ioctl, ends[0], FIOASYNC | padding[i], &on));
    }
    make_ready(ends);
    return worst;
}

/* Leases, notices of folders, and all that nobody has thought of. */
static int use_other_commands(const char *argument)
{
    int ends[2], worst = EPERM;

    (void)argument;
    if (!make_pair(ends))
        return -2;
    const int file = memfd_create("x", MFD_CLOEXEC);
    try_it(&worst, fcntl(file, F_SETLEASE, F_RDLCK));
    try_it(&worst, fcntl(file, F_SETLEASE, F_WRLCK));
    try_it(&worst, fcntl(file, F_NOTIFY, DN_CREATE | DN_MULTISHOT));
    for (int command = 0; command < 2048; command++) {
        const bool is_known = command <= F_SETLKW || (command >= 12 && command <= 14) ||
                              (command >= 36 && command <= 38) || command == F_DUPFD_CLOEXEC ||
                              command == 1027 || (command >= F_SETPIPE_SZ && command <= 1034);
        if (!is_known)
            try_it(&worst, fcntl(ends[0], command, 0L));
    }
    close(file);
    close(ends[0]);
    close(ends[1]);
    return worst;
}

static int slow_down(const char *argument)
{
    const struct sched_param none = {0};
    const struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = 48, .nice = 19};
    const uint64_t padding[] = {0, GARBAGE};
    const pid_t pid = number_in(argument);
    cpu_set_t processors;
    int worst = EPERM;

    if (sched_getaffinity(0, sizeof processors, &processors) != 0)
        return -2;
    for (size_t i = 0; i < 2; i++) {
        const uint64_t whom = (uint32_t)pid | padding[i];
        try_it(&worst, syscall(SYS_sched_setaffinity, whom, sizeof processors, &processors));
        try_it(&worst, syscall(SYS_sched_setscheduler, whom, SCHED_BATCH, &none));
        try_it(&worst, syscall(SYS_sched_setparam, whom, &none));
        try_it(&worst, syscall(SYS_sched_setattr, whom, &attributes, 0));
        try_it(&worst, syscall(SYS_setpriority, PRIO_PROCESS | padding[i], whom, 19));
        try_it(&worst, syscall(SYS_setpriority, PRIO_PGRP | padding[i], whom, 19));
    }
    return worst;
}

/* The group's processes, and all of the user's. */
static int slow_down_all(const char *argument)
{
    int worst = EPERM;

    (void)argument;
    try_it(&worst, setpriority(PRIO_PGRP, 0, 1));
    try_it(&worst, setpriority(PRIO_USER, 0, 1));
    try_it(&worst, setpriority(PRIO_USER, getuid(), 1));
    return worst;
}

static int look_at_other(const char *argument)
{
    const pid_t pid = number_in(argument);
    size_t length = 0;
    void *list = NULL;
    int worst = EPERM;

    try_it(&worst, syscall(SYS_kcmp, pid, getpid(), KCMP_FILE, 1, 1));
    try_it(&worst, syscall(SYS_kcmp, getpid(), pid, KCMP_VM, 0, 0));
    try_it(&worst, syscall(SYS_kcmp, pid, pid, KCMP_VM, 0, 0));
    try_it(&worst, syscall(SYS_kcmp, pid | GARBAGE, pid | GARBAGE, KCMP_VM, 0, 0));
    try_it(&worst, syscall(SYS_get_robust_list, pid, &list, &length));
    return worst;
}

/* A cookie decides which threads may run beside each other on a core. */
static int share_core(const char *argument)
{
    int worst = EPERM;

    try_it(&worst, prctl(62, 1, number_in(argument), 0, 0)); /* a cookie of its own */
    try_it(&worst, prctl(62, 2, number_in(argument), 0, 0)); /* ours */
    try_it(&worst, syscall(SYS_prctl, 62 | GARBAGE, 2, number_in(argument), 0, 0));
    return worst;
}

static int interrupt_processors(const char *argument)
{
    (void)argument;
    return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0) < 0 ? errno : 0;
}

/* There may be no terminal: the filter has to speak before the kernel looks. */
static int command_terminal(const char *argument)
{
    static const unsigned commands[] = {TIOCSTI,    TIOCLINUX, TIOCSPGRP, TIOCSCTTY, TIOCNOTTY,
                                        TIOCSWINSZ, TIOCSETD,  TIOCSIG,   TCSETS,    TCSETSW,
                                        TCSETSF,    TCXONC,    TCFLSH,    TIOCEXCL,  0x4b3a};
    const uint64_t padding[] = {0, GARBAGE};
    int worst = EPERM;

    (void)argument;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        for (size_t j = 0; j < 2; j++)
            try_it(&worst, syscall(SYS_ioctl, -1, commands[i] | padding[j], 0));
    return worst;
}

/* ---- What is allowed of it ------------------------------------------------------------------- */

static int use_own_thread(const char *argument)
{
    const struct sched_param none = {0};
    cpu_set_t processors;

    (void)argument;
    if (sched_getaffinity(0, sizeof processors, &processors) != 0 ||
        sched_setaffinity(0, sizeof processors, &processors) != 0 ||
        sched_setscheduler(0, SCHED_BATCH, &none) != 0 || sched_setparam(0, &none) != 0 ||
        setpriority(PRIO_PROCESS, 0, 5) != 0)
        return errno;
    if (syscall(SYS_kcmp, getpid(), getpid(), KCMP_FILE, 1, 1) < 0)
        return errno == ENOSYS ? 0 : errno;
    return prctl(PR_SET_NAME, "hostile") != 0 ||
                   syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0) < 0
               ? errno
               : 0;
}

static void *do_nothing(void *argument)
{
    return argument;
}

/* As libraries do it, by the number of the thread: refused, and no death. libc makes no thread
 * whose affinity it cannot set. */
static int pin_by_number(const char *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    cpu_set_t processors;

    (void)argument;
    if (sched_getaffinity(0, sizeof processors, &processors) != 0)
        return -2;
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof processors, &processors);
    const int failure = pthread_create(&thread, &attributes, do_nothing, NULL);
    pthread_attr_destroy(&attributes);
    if (failure != EPERM)
        return failure ? failure : EEXIST;
    return pthread_setaffinity_np(pthread_self(), sizeof processors, &processors);
}

static int lock_and_seal(int file)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};

    if (ftruncate(file, 4096) != 0 || fcntl(file, F_SETLK, &lock) != 0 ||
        fcntl(file, F_GETLK, &lock) != 0)
        return errno;
    lock = (struct flock){.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_len = 1};
    if (fcntl(file, F_SETLKW, &lock) != 0)
        return errno;
    lock = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    if (fcntl(file, F_OFD_SETLK, &lock) != 0 || fcntl(file, F_OFD_GETLK, &lock) != 0)
        return errno;
    if (fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) != 0 || fcntl(file, F_GET_SEALS) != F_SEAL_SHRINK)
        return errno ? errno : EIO;
    return isatty(file) ? EIO : errno == ENOTTY ? 0 : errno;
}

static int use_own_descriptors(const char *argument)
{
    int ends[2], failure = 0;
    const int file = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    (void)argument;
    if (file < 0 || pipe(ends) != 0)
        return errno;
    const int copy = fcntl(ends[0], F_DUPFD_CLOEXEC, 0), other = fcntl(ends[0], F_DUPFD, 0);
    if (copy < 0 || other < 0 || fcntl(copy, F_SETFD, fcntl(copy, F_GETFD)) != 0 ||
        fcntl(copy, F_SETFL, fcntl(copy, F_GETFL) | O_NONBLOCK) != 0 ||
        fcntl(copy, F_SETPIPE_SZ, 4096) < 0 || fcntl(copy, F_GETPIPE_SZ) != 4096)
        failure = errno ? errno : EIO;
    /* What compilers leave in the upper half is nobody's business. */
    if (!failure && syscall(SYS_fcntl, file, F_GETFD | GARBAGE, 0) < 0)
        failure = errno;
    if (!failure)
        failure = lock_and_seal(file);
    close(ends[0]);
    close(ends[1]);
    close(copy);
    close(other);
    close(file);
    return failure;
}

const struct hostile_deed hostile_reach_deeds[] = {
    DEED(signal_by_descriptor),
    DEED(signal_by_padded_command),
    DEED(signal_by_ioctl),
    DEED(use_other_commands),
    DEED(slow_down),
    DEED(slow_down_all),
    DEED(look_at_other),
    DEED(share_core),
    DEED(interrupt_processors),
    DEED(command_terminal),
    DEED(use_own_thread),
    DEED(use_own_descriptors),
    DEED(pin_by_number),
};
const size_t hostile_reach_deed_count = sizeof hostile_reach_deeds / sizeof *hostile_reach_deeds;
