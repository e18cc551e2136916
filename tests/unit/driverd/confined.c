#include "confined.h"

#include "driverd/sandbox.h"
#include "hostile.h"
#include "tests/kit/test.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TIMEOUT_S = 60 /* s */ };

/* ---- The place ------------------------------------------------------------------------------- */

static bool write_file(const char *path)
{
    FILE *file = fopen(path, "w");
    return file && fputs("kept\n", file) >= 0 && fclose(file) == 0;
}

bool confined_dirs_init(struct confined_dirs *dirs)
{
    strcpy(dirs->root, "/tmp/halyard-confined-XXXXXX");
    if (!mkdtemp(dirs->root))
        return false;
    snprintf(dirs->state, sizeof dirs->state, "%s/state", dirs->root);
    snprintf(dirs->outside, sizeof dirs->outside, "%s/outside", dirs->root);
    snprintf(dirs->plain, sizeof dirs->plain, "%s/plain", dirs->root);
    snprintf(dirs->dir, sizeof dirs->dir, "%s/folder", dirs->root);
    snprintf(dirs->in_dir, sizeof dirs->in_dir, "%s/folder/file", dirs->root);
    snprintf(dirs->missing, sizeof dirs->missing, "%s/missing", dirs->root);
    return mkdir(dirs->state, 0700) == 0 && mkdir(dirs->dir, 0700) == 0 &&
           write_file(dirs->outside) && write_file(dirs->plain) && write_file(dirs->in_dir);
}

void confined_dirs_finish(struct confined_dirs *dirs)
{
    unlink(dirs->outside);
    unlink(dirs->plain);
    unlink(dirs->missing);
    unlink(dirs->in_dir);
    rmdir(dirs->dir);
    rmdir(dirs->state);
    rmdir(dirs->root);
}

static struct confined_dirs own;

const struct confined_dirs *confined_own_dirs(void)
{
    return own.root[0] || confined_dirs_init(&own) ? &own : NULL;
}

__attribute__((destructor)) static void remove_own_dirs(void)
{
    if (own.root[0])
        confined_dirs_finish(&own);
}

bool confined_has_landlock(void)
{
    return hy_file_rules_version() > 0;
}

/* ---- In the process -------------------------------------------------------------------------- */

static struct {
    struct confined *shared; /* with the test */
    pthread_mutex_t lock;
    pthread_cond_t added;
} logged = {.lock = PTHREAD_MUTEX_INITIALIZER, .added = PTHREAD_COND_INITIALIZER};

static void receive_line(int32_t level, const char *text)
{
    (void)level;
    pthread_mutex_lock(&logged.lock);
    const size_t length = strlen(logged.shared->log);
    snprintf(logged.shared->log + length, sizeof logged.shared->log - length, "%s\n", text);
    pthread_cond_broadcast(&logged.added);
    pthread_mutex_unlock(&logged.lock);
}

static void wait_for_line(const char *line)
{
    struct timespec until;
    int failure = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += TIMEOUT_S;
    pthread_mutex_lock(&logged.lock);
    while (!failure && !strstr(logged.shared->log, line))
        failure = pthread_cond_timedwait(&logged.added, &logged.lock, &until);
    pthread_mutex_unlock(&logged.lock);
}

static bool refuse(scmp_filter_ctx filter, const char *call, unsigned count,
                   const struct scmp_arg_cmp *condition)
{
    return seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS),
                                  seccomp_syscall_resolve_name(call), count, condition) == 0;
}

/* The calls answer as those of a kernel that has none of it. */
static bool remove_permission(enum confined_lack lack)
{
    const struct scmp_arg_cmp filters = {.arg = 0, .op = SCMP_CMP_EQ, .datum_a = PR_SET_SECCOMP};
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    bool good = filter != NULL;

    if (good && (lack & LACKS_LANDLOCK))
        good = refuse(filter, "landlock_create_ruleset", 0, NULL);
    if (good && (lack & LACKS_SECCOMP))
        good = refuse(filter, "seccomp", 0, NULL) && refuse(filter, "prctl", 1, &filters);
    good = good && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return good;
}

static _Noreturn void be_confined(const struct confined_dirs *dirs, enum confined_phase stage,
                                  const char *deed, const char *argument, const char *line)
{
    const char *const devices[] = {"/dev/full", dirs->plain, dirs->dir, "/dev/none"};
    const struct hy_file_rules rules = {.library = HOSTILE_PATH,
                                        .state_dir = dirs->state,
                                        .device_files = devices,
                                        .device_file_count = 4};
    hostile_act_fn act = NULL;

    alarm(2 * TIMEOUT_S);
    hy_sandbox_enter(&rules, 0, receive_line);
    void *library = dlopen(HOSTILE_PATH, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, HOSTILE_SYMBOL) : NULL;
    if (!symbol)
        _exit(3);
    memcpy(&act, &symbol, sizeof act);
    if (stage == WORKING)
        hy_sandbox_tighten(&rules);
    logged.shared->outcome = act(deed, argument);
    if (line)
        wait_for_line(line);
    pthread_mutex_lock(&logged.lock); /* no line is half written */
    strcpy(logged.shared->description, hy_sandbox_description());
    _exit(0);
}

/* ---- In the test ----------------------------------------------------------------------------- */

bool confined_run(const struct confined_dirs *dirs, enum confined_phase stage,
                  enum confined_lack lack, const char *deed, const char *argument, const char *line,
                  struct confined *ret)
{
    struct confined *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return false;
    shared->outcome = -1;
    logged.shared = shared;

    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (lack != LACKS_NOTHING && !remove_permission(lack))
            _exit(4);
        be_confined(dirs, stage, deed, argument, line);
    }
    const bool good = child > 0 && waitpid(child, &shared->status, 0) == child;
    *ret = *shared;
    munmap(shared, sizeof *shared);
    return good;
}

void confined_expect(enum confined_phase stage, enum confined_lack lack, const char *deed,
                     const char *argument, int outcome, const char *line)
{
    struct confined confined;

    REQUIRE(confined_own_dirs() &&
            confined_run(confined_own_dirs(), stage, lack, deed, argument, line, &confined));
    if (confined.status != 0 || confined.outcome != outcome)
        hy_test_fail(
            __FILE__, __LINE__,
            "%s in stage %d without %d ended with %d (%s), expected %d; status %d, log: %s", deed,
            stage, lack, confined.outcome, strerror(confined.outcome), outcome, confined.status,
            confined.log);
    else
        hy_test_pass(__FILE__, __LINE__);
    if (line)
        EXPECT_CONTAINS(confined.log, line);
}

void confined_expect_anyway(const char *deed, const char *argument, int outcome, const char *line)
{
    for (int stage = LOADING; stage <= WORKING; stage++) {
        confined_expect((enum confined_phase)stage, LACKS_NOTHING, deed, argument, outcome, line);
        confined_expect((enum confined_phase)stage, LACKS_LANDLOCK, deed, argument, outcome, line);
    }
}
