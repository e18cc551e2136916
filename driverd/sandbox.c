#include "driverd/sandbox.h"

#include "driverd/call_filter.h"
#include "driverd/refusals.h"
#include "halyard/driver.h"

#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DESCRIPTORS = 16384 /* that a service may hold; its client has limits of its own */ };

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
    now.rlim_cur = now.rlim_max;
    (void)setrlimit((__rlimit_resource_t)resource, &now);
}

/*
 * What a process of root's has beyond any other. Files stay within its reach, as far as the rules
 * on files go: the folders that lead to its own may be another user's.
 */
static void drop_powers(void)
{
    const uint64_t kept = UINT64_C(1) << CAP_DAC_OVERRIDE | UINT64_C(1) << CAP_DAC_READ_SEARCH |
                          UINT64_C(1) << CAP_IPC_LOCK | UINT64_C(1) << CAP_SYS_NICE;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct powers[_LINUX_CAPABILITY_U32S_3];

    if (syscall(SYS_capget, &header, powers) != 0)
        return;
    for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        powers[i].permitted &= (uint32_t)(kept >> 32 * i);
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

void hy_sandbox_enter(const struct hy_file_rules *rules,
                      void (*log)(int32_t level, const char *text))
{
    struct hy_error err;

    sandbox.log = log;
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    drop_powers();
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, DESCRIPTORS);
    enum hy_code code = hy_refusals_install(&err);
    apply_file_rules(rules);

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
