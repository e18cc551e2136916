#include "driverd/call_filter.h"

#include "driverd/partial_calls.h"

#include <stddef.h>

static enum hy_code refuse_the_rest(struct hy_error *err)
{
    struct hy_seccomp_rules rules;

    hy_seccomp_begin(&rules, SCMP_ACT_ALLOW);
    hy_partial_calls_refuse(&rules);
    return hy_seccomp_load(&rules, false, err);
}

enum hy_code hy_call_filter_load(bool traps_opens, struct hy_error *err)
{
    static const char *const allowed[] = {
#define CALL(name) #name,
#include "driverd/allowed_calls.def"
#undef CALL
    };
    static const char *const opens[] = {"open", "openat", "creat"};
    struct hy_seccomp_rules rules;

    hy_seccomp_begin(&rules, hy_seccomp_refusal());
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        hy_seccomp_add(&rules, SCMP_ACT_ALLOW, allowed[i], 0, NULL);
    for (size_t i = 0; !traps_opens && i < sizeof opens / sizeof *opens; i++)
        hy_seccomp_add(&rules, SCMP_ACT_ALLOW, opens[i], 0, NULL);
    hy_partial_calls_allow(&rules);
    enum hy_code code = hy_seccomp_load(&rules, false, err);
    return code == HY_OK ? refuse_the_rest(err) : code;
}

enum hy_code hy_call_filter_close_files(struct hy_error *err)
{
    static const char *const calls[] = {"open",     "openat",   "openat2", "creat",
                                        "unlink",   "rename",   "mkdir",   "rmdir",
                                        "unlinkat", "renameat", "mkdirat", "renameat2"};
    struct hy_seccomp_rules rules;

    hy_seccomp_begin(&rules, SCMP_ACT_ALLOW);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        hy_seccomp_add(&rules, hy_seccomp_refusal(), calls[i], 0, NULL);
    return hy_seccomp_load(&rules, true, err);
}

char *hy_call_filter_name(int number)
{
    return seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
}
