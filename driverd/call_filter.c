#include "driverd/call_filter.h"

#include "driverd/refusals.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The first failure of many additions, so that they need not be looked at one by one. */
struct filter {
    scmp_filter_ctx context;
    int failure; /* 0 or a negative errno */
};

static uint32_t refusal(void)
{
    return hy_refusals_can_be_told() ? SCMP_ACT_TRAP : SCMP_ACT_ERRNO(EPERM);
}

static void begin(struct filter *filter, uint32_t usual)
{
    filter->context = seccomp_init(usual);
    filter->failure = filter->context ? 0 : -ENOMEM;
}

static void add(struct filter *filter, uint32_t action, const char *name, unsigned count,
                const struct scmp_arg_cmp *conditions)
{
    const int number = seccomp_syscall_resolve_name(name);
    if (filter->failure || number < 0) /* unknown here: there is nothing to allow */
        return;
    filter->failure = seccomp_rule_add_array(filter->context, action, number, count, conditions);
}

static enum hy_code load(struct filter *filter, bool all_threads, struct hy_error *err)
{
    if (!filter->failure && all_threads)
        filter->failure = seccomp_attr_set(filter->context, SCMP_FLTATR_CTL_TSYNC, 1);
    if (!filter->failure)
        filter->failure = seccomp_load(filter->context);
    if (filter->context)
        seccomp_release(filter->context);
    return filter->failure ? hy_fail(err, HY_FAILED, "seccomp: %s", strerror(-filter->failure))
                           : HY_OK;
}

static struct scmp_arg_cmp is_equal(unsigned place, scmp_datum_t value)
{
    return (struct scmp_arg_cmp){.arg = place, .op = SCMP_CMP_EQ, .datum_a = value};
}

static struct scmp_arg_cmp has_bits(unsigned place, scmp_datum_t mask, scmp_datum_t value)
{
    return (struct scmp_arg_cmp){
        .arg = place, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value};
}

/* Calls that name a process in argument `place`: this one, and what stands for it. */
static void allow_for_itself(struct filter *filter, const char *name, unsigned place,
                             bool zero_is_itself)
{
    const struct scmp_arg_cmp own = is_equal(place, (scmp_datum_t)getpid());
    const struct scmp_arg_cmp zero = is_equal(place, 0);

    add(filter, SCMP_ACT_ALLOW, name, 1, &own);
    if (zero_is_itself)
        add(filter, SCMP_ACT_ALLOW, name, 1, &zero);
}

/* The flags of clone3 lie in memory, where no filter sees them: libc then takes clone. */
static void allow_threads(struct filter *filter)
{
    const struct scmp_arg_cmp thread = has_bits(0, CLONE_THREAD, CLONE_THREAD);
    const struct scmp_arg_cmp process = has_bits(0, CLONE_THREAD, 0);

    add(filter, SCMP_ACT_ALLOW, "clone", 1, &thread);
    add(filter, SCMP_ACT_ERRNO(EPERM), "clone", 1, &process);
    add(filter, SCMP_ACT_ERRNO(EPERM), "fork", 0, NULL);
    add(filter, SCMP_ACT_ERRNO(EPERM), "vfork", 0, NULL);
    add(filter, SCMP_ACT_ERRNO(ENOSYS), "clone3", 0, NULL);
}

/* What SQLite tries with files that it makes, and does without. The files of others may be open
 * here too, so it is not allowed. */
static void refuse_quietly(struct filter *filter)
{
    static const char *const calls[] = {"fchown", "fchown32", "fchmod"};

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        add(filter, SCMP_ACT_ERRNO(EPERM), calls[i], 0, NULL);
}

/* Of no kind that sends to an address: such a socket would reach others. */
static void allow_socket_pairs(struct filter *filter)
{
    const scmp_datum_t kinds[] = {SOCK_STREAM, SOCK_SEQPACKET};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct scmp_arg_cmp pair[] = {
            is_equal(0, AF_UNIX),
            has_bits(1, ~(scmp_datum_t)(SOCK_CLOEXEC | SOCK_NONBLOCK), kinds[i]),
        };
        add(filter, SCMP_ACT_ALLOW, "socketpair", 2, pair);
    }
}

/* Typing on the terminal that stderr may be. A second filter, because one cannot allow a call and
 * refuse some of its arguments. The kernel looks at 32 bits of the command. */
static enum hy_code refuse_typing(struct hy_error *err)
{
    const scmp_datum_t commands[] = {TIOCSTI, TIOCLINUX};
    struct filter filter;

    begin(&filter, SCMP_ACT_ALLOW);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct scmp_arg_cmp typing = has_bits(1, UINT32_MAX, commands[i]);
        add(&filter, refusal(), "ioctl", 1, &typing);
    }
    return load(&filter, false, err);
}

enum hy_code hy_call_filter_load(bool traps_opens, struct hy_error *err)
{
    static const char *const allowed[] = {
#define CALL(name) #name,
#include "driverd/allowed_calls.def"
#undef CALL
        "ioctl",
    };
    static const char *const opens[] = {"open", "openat", "creat"};
    struct filter filter;

    begin(&filter, refusal());
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        add(&filter, SCMP_ACT_ALLOW, allowed[i], 0, NULL);
    for (size_t i = 0; !traps_opens && i < sizeof opens / sizeof *opens; i++)
        add(&filter, SCMP_ACT_ALLOW, opens[i], 0, NULL);
    allow_threads(&filter);
    allow_socket_pairs(&filter);
    refuse_quietly(&filter);
    allow_for_itself(&filter, "kill", 0, false);
    allow_for_itself(&filter, "tgkill", 0, false);
    allow_for_itself(&filter, "rt_tgsigqueueinfo", 0, false);
    allow_for_itself(&filter, "prlimit64", 0, true);
    allow_for_itself(&filter, "pidfd_open", 0, false);
    enum hy_code code = load(&filter, false, err);
    return code == HY_OK ? refuse_typing(err) : code;
}

enum hy_code hy_call_filter_close_files(struct hy_error *err)
{
    static const char *const calls[] = {"open",     "openat",   "openat2", "creat",
                                        "unlink",   "rename",   "mkdir",   "rmdir",
                                        "unlinkat", "renameat", "mkdirat", "renameat2"};
    struct filter filter;

    begin(&filter, SCMP_ACT_ALLOW);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        add(&filter, refusal(), calls[i], 0, NULL);
    return load(&filter, true, err);
}

char *hy_call_filter_name(int number)
{
    return seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
}
