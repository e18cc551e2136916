/* without_landlock PROGRAM ARGUMENT…: runs it on a kernel that has no Landlock, as far as it can
 * tell. What it starts has none either. */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static const char *const calls[] = {"landlock_create_ruleset", "landlock_add_rule",
                                        "landlock_restrict_self"};
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int failure = filter && argc > 1 ? 0 : -EINVAL;

    for (size_t i = 0; !failure && i < sizeof calls / sizeof *calls; i++)
        failure = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS),
                                         seccomp_syscall_resolve_name(calls[i]), 0, NULL);
    if (!failure)
        failure = seccomp_load(filter);
    seccomp_release(filter);
    if (!failure) {
        execv(argv[1], argv + 1);
        failure = -errno;
    }
    fprintf(stderr, "without_landlock: %s\n", strerror(-failure));
    return 2;
}
