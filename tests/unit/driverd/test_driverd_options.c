/* The command line of halyard-driverd, and how it finds a manifest by its name. */
#include "tests/kit/test.h"

#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 6 };

/* What a run has printed, both streams in one, and its exit status. */
struct reported {
    char text[4096];
    int status;
};

static void run(const char *const *arguments, struct reported *reported)
{
    const char *all[MOST + 2] = {"halyard-driverd"};
    posix_spawn_file_actions_t actions;
    int ends[2], status = -1;
    size_t used = 0;
    ssize_t got;
    pid_t child;

    *reported = (struct reported){.status = -1};
    for (size_t i = 0; i < MOST && arguments[i]; i++)
        all[i + 1] = arguments[i];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    const bool runs =
        posix_spawn(&child, DRIVERD_PATH, &actions, NULL, (char *const *)all, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    while ((got = read(ends[0], reported->text + used, sizeof reported->text - 1 - used)) > 0)
        used += (size_t)got;
    close(ends[0]);
    if (runs && waitpid(child, &status, 0) == child)
        reported->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define EXPECT_PRINTED(status_, text_, ...) \
    do { \
        struct reported reported; \
        run((const char *const[]){__VA_ARGS__, NULL}, &reported); \
        EXPECT_INT(reported.status, status_); \
        EXPECT_CONTAINS(reported.text, text_); \
    } while (0)

TEST(driverd_options, help_has_every_option_and_the_exit_statuses)
{
    static const char *const names[] = {
        "--shared",         "--cpu",     "--manifest FILE", "--socket PATH",  "--socket-mode OCTAL",
        "--idle-seconds N", "--private", "--version",       "Exit status: 0 "};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        EXPECT_PRINTED(0, names[i], "--help");
    EXPECT_PRINTED(0, "--socket\tPATH\tpath of the socket", "--list-options");
}

TEST(driverd_options, version_is_that_of_the_project)
{
    struct reported reported;

    run((const char *const[]){"--version", NULL}, &reported);
    EXPECT_INT(reported.status, 0);
    EXPECT_STR(reported.text, "halyard-driverd " VERSION "\n");
}

TEST(driverd_options, wrong_ones_are_told_with_what_was_meant)
{
    EXPECT_PRINTED(2, "unknown option --sockt=/x; did you mean --socket?\n", "--sockt=/x");
    EXPECT_PRINTED(2, "--socket needs a value\n", "acme", "--socket");
    EXPECT_PRINTED(2, "--socket is \"x\", needs an absolute path", "acme", "--socket", "x");
    EXPECT_PRINTED(2, "--idle-seconds is \"-1\", needs a number", "acme", "--idle-seconds", "-1");
    EXPECT_PRINTED(2, "unexpected argument more\n", "acme", "more");
    EXPECT_PRINTED(2, "needs one of NAME, --manifest and --cpu", "acme", "--cpu");
    EXPECT_PRINTED(2, "needs one of NAME, --manifest and --cpu", "--shared");
    EXPECT_PRINTED(2, "a NAME, --shared or --private is needed", "--socket", "/x");
    EXPECT_PRINTED(2, "Try 'halyard-driverd --help'.\n", "--cpu", "--private");
}

/* ---- By name --------------------------------------------------------------------------------- */

/* Folders as an installation has them: those of the system's settings come before data. */
static char dir[] = "/tmp/halyard-names-XXXXXX";

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *position)
{
    (void)info, (void)kind, (void)position;
    return remove(path);
}

static void clean_up(void)
{
    (void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool write_manifest(const char *base, const char *name, const char *text)
{
    static const char *const below[] = {"", "/halyard", "/halyard/drivers.d"};
    char path[256];

    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s%s", dir, base, below[i]);
        (void)mkdir(path, 0755);
    }
    snprintf(path, sizeof path, "%s/%s/halyard/drivers.d/%s.json", dir, base, name);
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fputs(text, file);
    return fclose(file) == 0;
}

static bool make_dirs(void)
{
    char config[64], data[64];

    if (strstr(dir, "XXXXXX") && (!mkdtemp(dir) || atexit(clean_up) != 0))
        return false;
    snprintf(config, sizeof config, "%s/etc", dir);
    snprintf(data, sizeof data, "%s/share", dir);
    setenv("XDG_CONFIG_DIRS", config, 1);
    setenv("XDG_DATA_DIRS", data, 1);
    setenv("XDG_CONFIG_HOME", "/nowhere", 1);
    setenv("XDG_DATA_HOME", "/nowhere", 1);
    return write_manifest("etc", "acme-npu", "{ \"of\": \"etc\"") &&
           write_manifest("share", "acme-npu", "{ \"of\": \"share\"") &&
           write_manifest("share", "other", "{ \"of\": \"share\"");
}

TEST(driverd_options, manifest_is_found_by_name_as_apps_find_it)
{
    REQUIRE(make_dirs());
    EXPECT_PRINTED(2, "/etc/halyard/drivers.d/acme-npu.json", "acme-npu"); /* it is broken */
    EXPECT_PRINTED(2, "/share/halyard/drivers.d/other.json", "other", "--shared");
    EXPECT_PRINTED(0, "acme-npu\nother\n", "--list-manifests");
}

TEST(driverd_options, name_without_a_manifest_is_told_with_what_was_meant)
{
    REQUIRE(make_dirs());
    EXPECT_PRINTED(2, "no manifest has the name acme-nup.json; did you mean acme-npu?\n",
                   "acme-nup");
    EXPECT_PRINTED(
        2, "no manifest has the name quite.json; 'halyard devices' lists the searched directories",
        "quite");
}

TEST(driverd_options, service_without_a_socket_is_refused)
{
    REQUIRE(make_dirs());
    EXPECT_PRINTED(2, "no socket: give --socket, driver.socket in the manifest", "--shared",
                   "--cpu");
}
