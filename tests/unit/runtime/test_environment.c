/* The environment: what is read, and what a process with more rights than its caller must not heed.
 */
#include "runtime/environment.h"
#include "tests/kit/test.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

/* What a copy of this program says of itself when it is run with this variable set. */
#define PROBE "HALYARD_TEST_PROBE"
enum { PATHS_READ = 40, PATHS_IGNORED = 41, NOT_SECURE = 42 };

__attribute__((constructor)) static void run_as_probe(void)
{
    if (!getenv(PROBE))
        return;
    if (!getauxval(AT_SECURE))
        _exit(hy_environment()->driver_files ? PATHS_READ : NOT_SECURE);
    const struct hy_environment *environment = hy_environment();
    bool ignored = !environment->driver_files && !environment->add_driver_files &&
                   !environment->xdg_config_home && !environment->xdg_data_home &&
                   !environment->xdg_config_dirs && !environment->xdg_data_dirs &&
                   !environment->xdg_state_home && !environment->state_dir &&
                   !environment->cache_dir && !environment->report && !environment->home;
    _exit(ignored && environment->drivers_select ? PATHS_IGNORED : PATHS_READ);
}

/* Copies this program to `path`, owned by another user and set-user-ID if asked. */
static bool copy_self(const char *path, bool set_user_id)
{
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    bool copied = from >= 0 && to >= 0;
    char buffer[65536];
    ssize_t got = 0;
    while (copied && (got = read(from, buffer, sizeof buffer)) > 0)
        copied = write(to, buffer, (size_t)got) == got;
    copied = copied && got == 0;
    if (copied && set_user_id) /* in this order: a change of owner takes the bit away */
        copied = fchown(to, NOBODY, NOBODY) == 0 && fchmod(to, 04755) == 0;
    close(from);
    close(to);
    return copied;
}

/* The exit status of the program at `path` under variables that name paths. */
static int probe(const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        setenv(PROBE, "1", 1);
        setenv("HALYARD_DRIVER_FILES", "/somewhere", 1);
        setenv("HALYARD_ADD_DRIVER_FILES", "/somewhere", 1);
        setenv("HALYARD_REPORT", "/somewhere", 1);
        setenv("XDG_CONFIG_HOME", "/somewhere", 1);
        setenv("XDG_DATA_HOME", "/somewhere", 1);
        setenv("XDG_CONFIG_DIRS", "/somewhere", 1);
        setenv("XDG_DATA_DIRS", "/somewhere", 1);
        setenv("XDG_STATE_HOME", "/somewhere", 1);
        setenv("HALYARD_STATE_DIR", "/somewhere", 1);
        setenv("HALYARD_CACHE_DIR", "/somewhere", 1);
        setenv("HALYARD_DRIVERS_SELECT", "*", 1);
        execl(path, path, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

static int probe_copy(bool set_user_id)
{
    char dir[] = "/tmp/halyard-test-XXXXXX";
    char path[sizeof dir + 8];
    if (!mkdtemp(dir) || chmod(dir, 0755) != 0)
        return -1;
    snprintf(path, sizeof path, "%s/probe", dir);
    int status = copy_self(path, set_user_id) ? probe(path) : -1;
    unlink(path);
    rmdir(dir);
    return status;
}

TEST(environment, paths_are_read_in_an_ordinary_process)
{
    EXPECT_INT(probe_copy(false), PATHS_READ);
}

TEST(environment, paths_are_ignored_in_a_set_user_id_process)
{
    if (geteuid() != 0) {
        printf("(skipped: only root can make a set-user-ID program) ");
        return;
    }
    EXPECT_INT(probe_copy(true), PATHS_IGNORED);
}

TEST(environment, empty_variables_count_as_unset)
{
    setenv("HALYARD_DRIVERS_DISABLE", "", 1);
    EXPECT(hy_environment()->drivers_disable == NULL);
}

TEST(environment, is_read_once)
{
    const struct hy_environment *first = hy_environment();
    const char *log = first->log;
    setenv("HALYARD_LOG", "debug", 1);
    EXPECT(hy_environment() == first);
    EXPECT(hy_environment()->log == log);
}

TEST(environment, state_folder_of_a_service_is_the_one_that_it_says)
{
    char path[] = "/var/lib/service";

    EXPECT(hy_environment_move_state(path));
    path[1] = 'x';
    EXPECT_STR(hy_environment()->state_dir, "/var/lib/service");
    EXPECT(hy_environment_move_state("/other"));
    EXPECT_STR(hy_environment()->state_dir, "/other");
}

static char unknown[256];

static void note_unknown(const char *name, const char *near)
{
    const size_t used = strlen(unknown);
    snprintf(unknown + used, sizeof unknown - used, "%s for %s; ", name, near);
}

TEST(environment, misspelt_variables_are_found)
{
    static const struct {
        const char *name, *found;
    } cases[] = {
        {"HALYARD_ISOLATED", "HALYARD_ISOLATED for HALYARD_ISOLATE; "},
        {"HALYARD_ISOLATION", "HALYARD_ISOLATION for HALYARD_ISOLATE; "},
        {"HALYARD_ISLOATE", "HALYARD_ISLOATE for HALYARD_ISOLATE; "},
        {"HALYARD_DRIVER_FILE", "HALYARD_DRIVER_FILE for HALYARD_DRIVER_FILES; "},
        {"HALYARD_THREADS", "HALYARD_THREADS for HALYARD_CPU_THREADS; "},
        {"HALYARD_ISOLATE", ""},
        {"HALYARD_SERVICE_ENVIRONMENT", ""},
        {"HALYARD_SHARED_DIR", ""}, /* somebody else's */
        {"HALYARD_", ""},
        {"HALYARD_A_NAME_THAT_IS_LONGER_THAN_ALL_OF_THEM_AND_MORE", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unknown[0] = '\0';
        setenv(cases[i].name, "all", 1);
        hy_environment_find_unknown(note_unknown);
        EXPECT_STR(unknown, cases[i].found);
        unsetenv(cases[i].name);
    }
}
