#include "driverd/sandbox.h"

#include "common/checked.h"
#include "driverd/call_filter.h"
#include "driverd/refusals.h"
#include "halyard/driver.h"

#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

enum {
    DESCRIPTORS = 16384, /* limit of the service; its client has its own limits */
    SIGNALS = 1024,      /* pending signals and timers; the kernel counts per user */
};

#define LEAST_FILE_BYTES (UINT64_C(4) << 30)

static struct {
    void (*log)(int32_t level, const char *text);
    bool has_filter;
    unsigned landlock; /* version in force, or 0 */
    char reason[HY_ERROR_TEXT_SIZE];
    char description[HY_ERROR_TEXT_SIZE + 64];
} sandbox = {.description = "none: not confined yet"};

static void limit(int resource, rlim_t most)
{
    struct rlimit now;

    if (getrlimit((__rlimit_resource_t)resource, &now) != 0)
        return;
    if (now.rlim_max > most)
        now.rlim_max = most;
    if (now.rlim_cur > most ||
        resource == RLIMIT_NOFILE) /* descriptors: raise the soft limit to the hard limit */
        now.rlim_cur = now.rlim_max;
    (void)setrlimit((__rlimit_resource_t)resource, &now);
}

/* Limits the size of a file or of shared memory to the memory of the machine. A larger size is an
 * error of the driver. */
static rlim_t file_bytes(void)
{
    struct sysinfo system_info;
    uint64_t bytes = 0;

    if (sysinfo(&system_info) != 0 ||
        !hy_mul_u64(system_info.totalram, system_info.mem_unit, &bytes))
        return RLIM_INFINITY;
    return bytes > LEAST_FILE_BYTES ? bytes : LEAST_FILE_BYTES;
}

/* The kernel counts threads per user and checks the count against the limit of the calling process.
 * A lower limit in this process leaves threads for other processes. The limit does not apply to
 * root. */
static void leave_threads_to_others(void)
{
    struct rlimit now;

    if (getrlimit(RLIMIT_NPROC, &now) == 0 && now.rlim_cur != RLIM_INFINITY)
        limit(RLIMIT_NPROC, now.rlim_cur - now.rlim_cur / 8);
}

static void limit_all(uint64_t capabilities)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, DESCRIPTORS);
    limit(RLIMIT_FSIZE, file_bytes());
    (void)signal(SIGXFSZ,
                 SIG_IGN); /* exceeding RLIMIT_FSIZE returns an error instead of a fatal signal */
    limit(RLIMIT_SIGPENDING, SIGNALS);
    leave_threads_to_others();
    if (!(capabilities & UINT64_C(1) << CAP_SYS_NICE)) {
        limit(RLIMIT_RTPRIO, 0);
        limit(RLIMIT_NICE, 0);
    }
}

/*
 * Drops the capabilities of root. With file rules the process keeps access to files of other users,
 * because parent directories of its own files may belong to another user; the file rules still
 * apply. Without file rules the process loses such access.
 */
static void drop_powers(uint64_t asked)
{
    const uint64_t files = UINT64_C(1) << CAP_DAC_OVERRIDE | UINT64_C(1) << CAP_DAC_READ_SEARCH;
    const uint64_t retained = asked | (sandbox.landlock ? files : 0);
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct powers[_LINUX_CAPABILITY_U32S_3];

    if (syscall(SYS_capget, &header, powers) != 0)
        return;
    for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        powers[i].permitted &= (uint32_t)(retained >> 32 * i);
        powers[i].effective &= powers[i].permitted;
        powers[i].inheritable = 0;
    }
    (void)syscall(SYS_capset, &header, powers);
}

static void note_lack(const struct hy_error *err)
{
    char line[HY_ERROR_TEXT_SIZE + 32];

    if (!sandbox.reason[0])
        snprintf(sandbox.reason, sizeof sandbox.reason, "%s", err->text);
    snprintf(line, sizeof line, "sandbox: %s", err->text);
    sandbox.log(HY_LOG_WARNING, line);
}

static void describe(bool opens_files)
{
    char landlock[32] = "";

    if (sandbox.landlock)
        snprintf(landlock, sizeof landlock, "landlock %u", sandbox.landlock);
    if (!sandbox.has_filter && !sandbox.landlock)
        snprintf(sandbox.description, sizeof sandbox.description, "none: %s", sandbox.reason);
    else
        snprintf(sandbox.description, sizeof sandbox.description, "%s%s%s%s%s",
                 sandbox.has_filter ? "seccomp" : "",
                 sandbox.has_filter && sandbox.landlock ? "+" : "", landlock,
                 opens_files ? "" : ", opens no files", sandbox.has_filter ? "" : "; no seccomp");
}

static void apply_file_rules(const struct hy_file_rules *rules)
{
    struct hy_error err;
    const unsigned version = hy_file_rules_version();

    if (version == 0)
        hy_error_set(&err, HY_FAILED, __FILE__, __LINE__, "the kernel has no Landlock");
    else if (hy_file_rules_apply(rules, &err) == HY_OK) {
        sandbox.landlock = version;
        return;
    }
    note_lack(&err);
}

void hy_sandbox_enter(const struct hy_file_rules *rules, uint64_t capabilities,
                      void (*log)(int32_t level, const char *text))
{
    struct hy_error err;

    sandbox.log = log;
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    limit_all(capabilities);
    enum hy_code code = hy_refusals_install(&err);
    apply_file_rules(rules);
    drop_powers(capabilities);

    if (code == HY_OK)
        code = hy_call_filter_load(sandbox.landlock > 0, &err);
    sandbox.has_filter = code == HY_OK;
    if (code == HY_OK)
        code = hy_refusals_start(log, &err);
    if (code != HY_OK)
        note_lack(&err);
    describe(true);
}

static void close_files(void)
{
    struct hy_error err;

    hy_refusals_refuse_opens(true);
    if (hy_call_filter_close_files(&err) != HY_OK)
        note_lack(&err);
    else
        describe(false);
}

void hy_sandbox_tighten(const struct hy_file_rules *rules)
{
    struct hy_file_rules left = *rules;
    struct hy_error err;

    left.library = NULL;
    if (sandbox.landlock && hy_file_rules_apply(&left, &err) != HY_OK)
        note_lack(&err);
    else if (!sandbox.landlock && sandbox.has_filter)
        close_files();
}

const char *hy_sandbox_description(void)
{
    return sandbox.description;
}
