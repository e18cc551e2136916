#include "driverd/file_rules.h"

#include "driverd/all_threads.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Numbers, structs and rights of the kernel interface. The system headers may be older than the
 * running kernel. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#endif

enum { VERSION_FLAG = 1, RULE_PATH_BENEATH = 1 };

enum {
    MAY_WRITE = 1 << 1,
    MAY_READ = 1 << 2,
    MAY_LIST = 1 << 3,
    MAY_REMOVE_DIR = 1 << 4,
    MAY_REMOVE_FILE = 1 << 5,
    MAY_MAKE_DIR = 1 << 7,
    MAY_MAKE_FILE = 1 << 8,
    MAY_TRUNCATE = 1 << 14, /* since 3 */
    MAY_COMMAND = 1 << 15,  /* ioctl, since 5 */

    OF_FILES = MAY_WRITE | MAY_READ | MAY_TRUNCATE | MAY_COMMAND, /* no rights of folders */
    READING = MAY_READ | MAY_LIST,
    STATE = READING | MAY_WRITE | MAY_REMOVE_DIR | MAY_REMOVE_FILE | MAY_MAKE_DIR | MAY_MAKE_FILE |
            MAY_TRUNCATE,
    DEVICE = READING | MAY_WRITE | MAY_TRUNCATE | MAY_COMMAND,
};

struct ruleset_attributes {
    uint64_t files;
    uint64_t network; /* since 4: bind and connect of TCP */
    uint64_t scoped;  /* since 6: abstract sockets, signals */
};

struct path_beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

unsigned hy_file_rules_version(void)
{
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_FLAG);
    return version > 0 ? (unsigned)version : 0;
}

/* All rights that a Landlock version can restrict. Other rights stay allowed. */
static uint64_t rights_of(unsigned version)
{
    const unsigned bits = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    return (UINT64_C(1) << bits) - 1;
}

struct ruleset {
    int fd;
    uint64_t rights; /* rights restricted by the rule set */
};

/* A missing file (ENOENT) is no error. */
static int add(const struct ruleset *ruleset, const char *path, uint64_t rights)
{
    struct path_beneath rule = {.allowed = rights & ruleset->rights};
    struct stat info;

    rule.parent = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : errno;
    if (fstat(rule.parent, &info) == 0 && !S_ISDIR(info.st_mode))
        rule.allowed &= OF_FILES;
    const int failure =
        syscall(SYS_landlock_add_rule, ruleset->fd, RULE_PATH_BENEATH, &rule, 0) == 0 ? 0 : errno;
    close(rule.parent);
    return failure;
}

static int add_system(const struct ruleset *ruleset)
{
    static const struct {
        const char *path;
        uint64_t rights;
    } files[] = {
        {"/lib", READING},
        {"/lib32", READING},
        {"/lib64", READING},
        {"/usr/lib", READING},
        {"/usr/lib32", READING},
        {"/usr/lib64", READING},
        {"/usr/local/lib", READING},
        {"/usr/share", READING},
        {"/usr/local/share", READING},
        {"/etc/ld.so.cache", READING},
        {"/etc/OpenCL", READING},
        {"/etc/vulkan", READING},
        {"/sys", READING},
        {"/proc/self", READING},
        {"/proc/cpuinfo", READING},
        {"/proc/meminfo", READING},
        {"/proc/stat", READING},
        {"/proc/version", READING},
        {"/proc/sys/vm", READING},
        {"/proc/sys/kernel/osrelease", READING},
        {"/dev/null", DEVICE},
        {"/dev/zero", DEVICE},
        {"/dev/random", READING},
        {"/dev/urandom", READING},
    };
    int failure = 0;

    for (size_t i = 0; !failure && i < sizeof files / sizeof *files; i++)
        failure = add(ruleset, files[i].path, files[i].rights);
    return failure;
}

/* The root directory is never opened as the directory of a library. */
static int add_with_dir(const struct ruleset *ruleset, char *library)
{
    int failure = add(ruleset, library, READING);
    const char *dir = dirname(library);

    if (!failure && strcmp(dir, "/") != 0)
        failure = add(ruleset, dir, READING);
    return failure;
}

/* By the given path and by the resolved path. */
static int add_library(const struct ruleset *ruleset, const char *library)
{
    char named[PATH_MAX], real[PATH_MAX];

    if (strlen(library) >= sizeof named)
        return ENAMETOOLONG;
    const bool is_there = realpath(library, real) != NULL;
    strcpy(named, library);
    int failure = add_with_dir(ruleset, named);
    if (!failure && is_there)
        failure = add_with_dir(ruleset, real);
    return failure;
}

/* Regular files, and directories outside of /dev, get read access. Everything else gets device
 * access. */
static int add_device(const struct ruleset *ruleset, const char *path)
{
    struct stat info = {0};
    const bool is_there = stat(path, &info) == 0;
    const bool is_plain = is_there && (S_ISREG(info.st_mode) ||
                                       (S_ISDIR(info.st_mode) && strncmp(path, "/dev/", 5) != 0));

    return add(ruleset, path, is_plain ? READING : DEVICE);
}

static int add_all(const struct ruleset *ruleset, const struct hy_file_rules *rules)
{
    int failure = add_system(ruleset);

    if (!failure && rules->library)
        failure = add_library(ruleset, rules->library);
    if (!failure && rules->state_dir)
        failure = add(ruleset, rules->state_dir, STATE);
    for (uint32_t i = 0; !failure && i < rules->device_file_count; i++)
        failure = add_device(ruleset, rules->device_files[i]);
    return failure;
}

/* Returns a rule set with all rules, as a Landlock descriptor. */
static int make_ruleset(const struct hy_file_rules *rules, int *ret)
{
    const unsigned version = hy_file_rules_version();
    /* Signals are restricted once only: a second scope would separate the threads of this process
     * from each other. */
    static bool has_scope;
    const struct ruleset_attributes attributes = {.files = rights_of(version),
                                                  .network = version >= 4 ? 3 : 0,
                                                  .scoped = version >= 6 && !has_scope ? 3 : 0};
    const size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    struct ruleset ruleset = {.rights = attributes.files};

    ruleset.fd = (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
    if (ruleset.fd < 0)
        return errno;
    const int failure = add_all(&ruleset, rules);
    if (failure) {
        close(ruleset.fd);
        return failure;
    }
    has_scope = true;
    *ret = ruleset.fd;
    return 0;
}

enum hy_code hy_file_rules_apply(const struct hy_file_rules *rules, struct hy_error *err)
{
    int ruleset = -1, failure = make_ruleset(rules, &ruleset);

    if (!failure && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        failure = errno;
    enum hy_code code = failure ? hy_fail(err, HY_FAILED, "Landlock: %s", strerror(failure))
                                : hy_all_threads_restrict(ruleset, err);
    if (ruleset >= 0)
        close(ruleset);
    return code;
}
