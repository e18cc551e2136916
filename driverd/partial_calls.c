#include "driverd/partial_calls.h"

#include <asm/ioctls.h>
#include <asm/sockios.h>
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kd.h>
#include <linux/membarrier.h>
#include <linux/vt.h>
#include <sched.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef F_DUPFD_QUERY
#define F_DUPFD_QUERY 1027 /* whether two descriptors are the same; since Linux 6.10 */
#endif
#ifndef F_OFD_GETLK
#define F_OFD_GETLK  36
#define F_OFD_SETLK  37
#define F_OFD_SETLKW 38
#endif

enum { SCHED_CORE = 62 /* of prctl, since 5.14 */ };

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- Processes ------------------------------------------------------------------------------- */

static struct scmp_arg_cmp is_itself(unsigned argument)
{
    return hy_seccomp_equals_int(argument, (uint32_t)getpid());
}

static void allow_for_itself(struct hy_seccomp_rules *rules)
{
    static const struct {
        const char *name;
        bool zero_is_itself;
    } calls[] = {{"kill", false},
                 {"tgkill", false},
                 {"rt_tgsigqueueinfo", false},
                 {"pidfd_open", false},
                 {"prlimit64", true}};
    const struct scmp_arg_cmp own = is_itself(0), zero = hy_seccomp_equals_int(0, 0);

    for (size_t i = 0; i < COUNT(calls); i++) {
        hy_seccomp_add(rules, SCMP_ACT_ALLOW, calls[i].name, 1, &own);
        if (calls[i].zero_is_itself)
            hy_seccomp_add(rules, SCMP_ACT_ALLOW, calls[i].name, 1, &zero);
    }
    /* Whether two descriptors are the same file; graphics drivers ask. */
    const struct scmp_arg_cmp both[] = {is_itself(0), is_itself(1)};
    hy_seccomp_add(rules, SCMP_ACT_ALLOW, "kcmp", 2, both);
    /* The robust list of another process would reveal addresses of its memory. */
    hy_seccomp_add(rules, SCMP_ACT_ALLOW, "get_robust_list", 1, &zero);
}

/*
 * Scheduling of the calling thread is allowed. Other threads get EPERM without SIGSYS. Libraries
 * set the affinity of new threads by thread id, which a filter cannot tell from a process id, and
 * tolerate EPERM. libc does so with all signals blocked, where SIGSYS would end the process.
 */
static void allow_for_own_thread(struct hy_seccomp_rules *rules)
{
    static const char *const calls[] = {"sched_setaffinity", "sched_setscheduler", "sched_setparam",
                                        "sched_setattr"};
    const struct scmp_arg_cmp own = hy_seccomp_equals(0, 0), other = hy_seccomp_differs(0, 0);
    const struct scmp_arg_cmp own_priority[] = {hy_seccomp_equals(0, PRIO_PROCESS),
                                                hy_seccomp_equals(1, 0)};
    const struct scmp_arg_cmp others[] = {hy_seccomp_equals(0, PRIO_PROCESS),
                                          hy_seccomp_differs(1, 0)};
    const struct scmp_arg_cmp groups = hy_seccomp_differs(0, PRIO_PROCESS);

    for (size_t i = 0; i < COUNT(calls); i++) {
        hy_seccomp_add(rules, SCMP_ACT_ALLOW, calls[i], 1, &own);
        hy_seccomp_add(rules, SCMP_ACT_ERRNO(EPERM), calls[i], 1, &other);
    }
    hy_seccomp_add(rules, SCMP_ACT_ALLOW, "setpriority", 2, own_priority);
    hy_seccomp_add(rules, SCMP_ACT_ERRNO(EPERM), "setpriority", 2, others);
    hy_seccomp_add(rules, SCMP_ACT_ERRNO(EPERM), "setpriority", 1, &groups);
}

/* The flags of clone3 are in memory, invisible to a filter. After ENOSYS libc uses clone. */
static void allow_threads(struct hy_seccomp_rules *rules)
{
    const struct scmp_arg_cmp thread = hy_seccomp_has_bits(0, CLONE_THREAD, CLONE_THREAD);
    const struct scmp_arg_cmp process = hy_seccomp_has_bits(0, CLONE_THREAD, 0);

    hy_seccomp_add(rules, SCMP_ACT_ALLOW, "clone", 1, &thread);
    hy_seccomp_add(rules, SCMP_ACT_ERRNO(EPERM), "clone", 1, &process);
    hy_seccomp_add(rules, SCMP_ACT_ERRNO(EPERM), "fork", 0, NULL);
    hy_seccomp_add(rules, SCMP_ACT_ERRNO(EPERM), "vfork", 0, NULL);
    hy_seccomp_add(rules, SCMP_ACT_ERRNO(ENOSYS), "clone3", 0, NULL);
}

/* ---- Descriptors ----------------------------------------------------------------------------- */

/*
 * Commands on the descriptor, its file and its locks. Not allowed: signals on input (F_SETOWN,
 * F_SETOWN_EX, F_SETSIG), which could kill any process of the user, and leases and notices
 * (F_SETLEASE, F_NOTIFY), which make other processes wait.
 */
static void allow_descriptor_commands(struct hy_seccomp_rules *rules)
{
    static const uint32_t commands[] = {
        F_DUPFD,
        F_DUPFD_CLOEXEC,
        F_DUPFD_QUERY,
        F_GETFD,
        F_SETFD,
        F_GETFL,
        F_GETLK,
        F_SETLK,
        F_SETLKW,
        F_OFD_GETLK,
        F_OFD_SETLK,
        F_OFD_SETLKW,
#if F_GETLK64 != F_GETLK
        F_GETLK64,
        F_SETLK64,
        F_SETLKW64,
#endif
        F_ADD_SEALS,
        F_GET_SEALS,
        F_SETPIPE_SZ,
        F_GETPIPE_SZ,
    };
    static const char *const calls[] = {"fcntl", "fcntl64"};
    const struct scmp_arg_cmp status[] = {hy_seccomp_equals_int(1, F_SETFL),
                                          hy_seccomp_has_bits(2, O_ASYNC, 0)};

    for (size_t i = 0; i < COUNT(calls); i++) {
        for (size_t j = 0; j < COUNT(commands); j++) {
            const struct scmp_arg_cmp command = hy_seccomp_equals_int(1, commands[j]);
            hy_seccomp_add(rules, SCMP_ACT_ALLOW, calls[i], 1, &command);
        }
        hy_seccomp_add(rules, SCMP_ACT_ALLOW, calls[i], 2, status);
    }
}

/* Stream and sequential packet sockets only. A datagram socket could send to any address. */
static void allow_socket_pairs(struct hy_seccomp_rules *rules)
{
    const uint32_t kinds[] = {SOCK_STREAM, SOCK_SEQPACKET};
    const uint32_t flags = SOCK_CLOEXEC | SOCK_NONBLOCK;

    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct scmp_arg_cmp pair[] = {
            hy_seccomp_equals_int(0, AF_UNIX),
            hy_seccomp_has_bits(1, UINT32_MAX & ~flags, kinds[i]),
        };
        hy_seccomp_add(rules, SCMP_ACT_ALLOW, "socketpair", 2, pair);
    }
}

/* SQLite tries these calls on its files and tolerates EPERM. The calls stay refused, because files
 * of other processes may be open here. */
static void refuse_quietly(struct hy_seccomp_rules *rules)
{
    static const char *const calls[] = {"fchown", "fchown32", "fchmod"};

    for (size_t i = 0; i < COUNT(calls); i++)
        hy_seccomp_add(rules, SCMP_ACT_ERRNO(EPERM), calls[i], 0, NULL);
}

void hy_partial_calls_allow(struct hy_seccomp_rules *rules)
{
    allow_for_itself(rules);
    allow_for_own_thread(rules);
    allow_threads(rules);
    allow_descriptor_commands(rules);
    allow_socket_pairs(rules);
    refuse_quietly(rules);
}

/* ---- Commands -------------------------------------------------------------------------------- */

void hy_partial_calls_refuse(struct hy_seccomp_rules *rules)
{
    static const uint32_t commands[] = {
#define COMMAND(name) (uint32_t) name,
#include "driverd/refused_commands.def"
#undef COMMAND
    };
    /* Core scheduling: also affects other processes. */
    const struct scmp_arg_cmp core = hy_seccomp_equals_int(0, SCHED_CORE);
    /* Interrupts processors that run other processes. */
    const struct scmp_arg_cmp barrier = hy_seccomp_equals_int(0, MEMBARRIER_CMD_GLOBAL_EXPEDITED);

    for (size_t i = 0; i < COUNT(commands); i++) {
        const struct scmp_arg_cmp command = hy_seccomp_equals_int(1, commands[i]);
        hy_seccomp_add(rules, hy_seccomp_refusal(), "ioctl", 1, &command);
    }
    hy_seccomp_add(rules, hy_seccomp_refusal(), "prctl", 1, &core);
    hy_seccomp_add(rules, SCMP_ACT_ERRNO(EPERM), "membarrier", 1, &barrier);
}
