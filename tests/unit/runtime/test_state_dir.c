/* Which folder is the state folder, and who may have a hand in it. */
#include "runtime/state_dir.h"
#include "tests/kit/test.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

/* A small world: a home, and what stands for /var/lib and /tmp. Made anew for each test. */
static char top[] = "/tmp/halyard-state-XXXXXX";
static const char *parents[3];

/* Names in the world; the text lives until the 32nd call after it. */
__attribute__((format(printf, 1, 2))) static const char *in(const char *format, ...)
{
    static char texts[32][256];
    static unsigned next;
    char *text = texts[next++ % 32];
    va_list args;

    const int length = snprintf(text, sizeof *texts, "%s/", top);
    va_start(args, format);
    vsnprintf(text + length, sizeof *texts - (size_t)length, format, args);
    va_end(args);
    return text;
}

static void make(const char *name, mode_t mode)
{
    EXPECT_INT(mkdir(in("%s", name), 0700), 0);
    EXPECT_INT(chmod(in("%s", name), mode), 0);
}

static bool is_there(const char *name)
{
    struct stat info;
    return lstat(in("%s", name), &info) == 0;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static void begin(void)
{
    static char lib[64], shared[64];

    memcpy(top + strlen(top) - 6, "XXXXXX", 6);
    if (!mkdtemp(top) || chmod(top, 0755) != 0)
        abort();
    make("lib", 0755);
    make("tmp", 01777);
    make("home", 0755);
    snprintf(lib, sizeof lib, "%s/lib", top);
    snprintf(shared, sizeof shared, "%s/tmp", top);
    parents[0] = lib;
    parents[1] = shared;
}

static void end(void)
{
    nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The name of a folder in one of the parents. */
static const char *own(const char *parent)
{
    return in("%s/halyard-%u", parent, (unsigned)geteuid());
}

/* The folder that is made is that one, a private one, and is found again. */
static void expect_made(const struct hy_environment *environment, const char *expected)
{
    struct hy_error err = {.text = ""};
    char *path = NULL, *again = NULL;
    struct stat info = {0};

    EXPECT_INT(hy_state_dir_make(environment, parents, &path, &err), HY_OK);
    EXPECT_STR(path ? path : err.text, expected);
    EXPECT(lstat(expected, &info) == 0 && S_ISDIR(info.st_mode));
    EXPECT_INT(info.st_mode & 07777, 0700);
    EXPECT_INT(hy_state_dir_find(environment, parents, &again, &err), HY_OK);
    EXPECT_STR(again, expected);
    free(path);
    free(again);
}

static void expect_none(const struct hy_environment *environment, const char *expected)
{
    struct hy_error err = {.text = ""};
    char *path = NULL;

    EXPECT_INT(hy_state_dir_make(environment, parents, &path, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, expected);
    EXPECT_INT(hy_state_dir_find(environment, parents, &path, &err), HY_FAILED);
    EXPECT(!path);
}

/* Runs it as somebody who has no rights here; false: not everything in it held. */
static bool as_nobody(void (*run)(void))
{
    int status = 1;
    const pid_t child = fork();

    if (child == 0) {
        if (geteuid() == 0 && seteuid(NOBODY) != 0)
            _exit(2);
        const unsigned before = CU_get_number_of_failures();
        run();
        _exit(CU_get_number_of_failures() == before ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child && status == 0;
}

/* ---- The order ------------------------------------------------------------------------------- */

TEST(state_dir, follows_the_environment_in_order)
{
    begin();
    make("service", 0700);
    make("xdg", 0700);
    struct hy_environment all = {.state_dir = in("named/a/b"),
                                 .xdg_state_home = in("xdg/state"),
                                 .home = in("home"),
                                 .state_directory = in("service")};
    expect_made(&all, in("named/a/b")); /* and those above it */
    all.state_dir = NULL;
    expect_made(&all, in("xdg/state/halyard"));
    all.xdg_state_home = NULL;
    expect_made(&all, in("home/.local/state/halyard"));
    all.home = NULL;
    expect_made(&all, in("service/halyard"));
    all.state_directory = NULL;
    expect_made(&all, own("lib"));
    rmdir(own("lib"));
    rmdir(in("lib"));
    expect_made(&all, own("tmp"));
    rmdir(own("tmp"));
    rmdir(in("tmp"));
    expect_none(&all, "lib/: No such file or directory");
    expect_none(&all, "tmp/: No such file or directory");
    end();
}

TEST(state_dir, paths_that_are_not_absolute_count_as_unset)
{
    begin();
    const struct hy_environment environment = {
        .state_dir = "s", .xdg_state_home = "x", .home = "h", .state_directory = "d"};
    expect_made(&environment, own("lib"));
    end();
}

TEST(state_dir, of_several_folders_of_a_service_it_takes_the_first)
{
    char both[256];
    begin();
    make("one", 0700);
    snprintf(both, sizeof both, "%s/one:%s/two", top, top);
    const struct hy_environment environment = {.state_directory = both};
    expect_made(&environment, in("one/halyard"));
    end();
}

TEST(state_dir, one_that_is_named_is_the_only_one)
{
    begin();
    const struct hy_environment environment = {.state_dir = "/dev/null/halyard",
                                               .home = in("home")};
    struct hy_error err = {.text = ""};
    char *path = NULL;
    EXPECT_INT(hy_state_dir_make(&environment, parents, &path, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "/dev/null");
    EXPECT(!is_there("home/.local"));
    end();
}

TEST(state_dir, a_process_with_rights_of_its_own_has_none)
{
    begin();
    const struct hy_environment environment = {.is_privileged = true};
    expect_none(&environment, "more rights than its caller");
    end();
}

TEST(state_dir, looking_for_it_makes_nothing)
{
    begin();
    const struct hy_environment environment = {.home = in("home")};
    struct hy_error err = {.text = ""};
    char *path = NULL;
    EXPECT_INT(hy_state_dir_find(&environment, parents, &path, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "HALYARD_STATE_DIR");
    EXPECT(!is_there("home/.local"));
    EXPECT_INT(rmdir(in("home")) | rmdir(in("lib")) | rmdir(in("tmp")), 0);
    end();
}

/* ---- Homes ----------------------------------------------------------------------------------- */

TEST(state_dir, a_home_folder_that_is_missing_is_never_made)
{
    begin();
    const struct hy_environment environments[] = {
        {.home = in("ghost")},
        {.home = in("ghost"), .xdg_state_home = in("ghost/.local/state")},
        {.xdg_state_home = in("ghost/.local/state")},
        {.xdg_state_home = in("ghost/.local/state/")},
        {.home = "/dev/null"},
    };
    for (size_t i = 0; i < sizeof environments / sizeof *environments; i++)
        expect_made(&environments[i], own("lib"));
    EXPECT(!is_there("ghost"));
    end();
}

TEST(state_dir, below_the_home_folder_all_is_made)
{
    begin();
    const struct hy_environment environment = {.home = in("home"),
                                               .xdg_state_home = in("home/a/b/")};
    expect_made(&environment, in("home/a/b//halyard"));
    end();
}

static void pass_over(void)
{
    const struct hy_environment environment = {.home = in("home"), .state_directory = in("lib")};
    expect_made(&environment, own("tmp"));
}

TEST(state_dir, a_home_that_cannot_be_written_is_passed_over)
{
    begin();
    EXPECT_INT(chmod(in("home"), 0555) | chmod(in("lib"), 0555), 0);
    EXPECT(as_nobody(pass_over));
    EXPECT(!is_there("home/.local"));
    EXPECT_INT(chmod(in("home"), 0755) | chmod(in("lib"), 0755), 0);
    end();
}

TEST(state_dir, root_makes_nothing_in_the_home_of_another_user)
{
    if (geteuid() != 0)
        return;
    begin();
    make("service", 0700);
    const struct hy_environment environment = {
        .home = in("home"), .xdg_state_home = in("home/state"), .state_directory = in("service")};
    EXPECT_INT(chown(in("home"), 1, 1) | chown(in("service"), 1, 1), 0);
    expect_made(&environment, own("lib"));
    EXPECT_INT(rmdir(in("home")) | rmdir(in("service")), 0); /* they are empty */
    end();
}

static void pass_over_the_closed_one(void)
{
    const struct hy_environment environment = {.home = in("home")};

    expect_made(&environment, in("home/.local/state/halyard"));
    EXPECT_INT(chmod(in("home/.local/state/halyard"), 0500), 0);
    expect_made(&environment, own("tmp"));
}

TEST(state_dir, one_that_cannot_be_written_is_passed_over)
{
    begin();
    EXPECT_INT(chmod(in("home"), 0777), 0);
    EXPECT_INT(chmod(in("lib"), 0555), 0);
    EXPECT(as_nobody(pass_over_the_closed_one));
    EXPECT_INT(chmod(in("lib"), 0755), 0);
    end();
}

/* ---- Whose it is ----------------------------------------------------------------------------- */

TEST(state_dir, one_that_is_not_ours_alone_is_passed_over)
{
    begin();
    const struct hy_environment environment = {.home = in("home")};
    expect_made(&environment, in("home/.local/state/halyard"));

    EXPECT_INT(chmod(in("home/.local/state/halyard"), 0770), 0);
    expect_made(&environment, own("lib"));
    EXPECT_INT(chmod(in("home/.local/state/halyard"), 0700), 0);
    EXPECT_INT(rename(in("home/.local/state/halyard"), in("elsewhere")), 0);
    EXPECT_INT(symlink(in("elsewhere"), in("home/.local/state/halyard")), 0);
    expect_made(&environment, own("lib"));
    if (geteuid() == 0) {
        EXPECT_INT(unlink(in("home/.local/state/halyard")), 0);
        EXPECT_INT(rename(in("elsewhere"), in("home/.local/state/halyard")), 0);
        EXPECT_INT(chown(in("home/.local/state/halyard"), 1, 1), 0);
        expect_made(&environment, own("lib"));
    }
    end();
}

TEST(state_dir, a_trap_in_a_shared_parent_is_not_stepped_into)
{
    const struct hy_environment nothing = {0};
    begin();
    rmdir(in("lib"));
    EXPECT_INT(symlink(in("home"), own("tmp")), 0);
    expect_none(&nothing, "is not a directory");
    EXPECT_INT(unlink(own("tmp")), 0);
    EXPECT_INT(mkdir(own("tmp"), 0700) | chmod(own("tmp"), 0777), 0);
    expect_none(&nothing, "other users may write to the directory");
    if (geteuid() == 0) {
        EXPECT_INT(chown(own("tmp"), 1, 1), 0);
        expect_none(&nothing, "belongs to user 1, not to 0");
    }
    end();
}

TEST(state_dir, a_shared_parent_is_sticky_or_closed_to_others)
{
    const struct hy_environment nothing = {0};
    begin();
    rmdir(in("lib"));
    EXPECT_INT(chmod(in("tmp"), 0777), 0);
    expect_none(&nothing, "other users may rename entries of the directory");
    EXPECT(!is_there("tmp/halyard"));
    EXPECT_INT(chmod(in("tmp"), 0755), 0);
    expect_made(&nothing, own("tmp"));
    if (geteuid() == 0) {
        EXPECT_INT(chown(in("tmp"), 1, 1), 0);
        expect_none(&nothing, "belongs to user 1");
    }
    end();
}

TEST(state_dir, each_user_has_one_in_a_shared_parent)
{
    begin();
    const struct hy_environment nothing = {0};
    rmdir(in("lib"));
    expect_made(&nothing, own("tmp"));
    EXPECT_CONTAINS(own("tmp"), "/halyard-");
    end();
}

TEST(state_dir, parents_are_those_that_every_system_has)
{
    static const char *const expected[] = {"/var/lib", "/var/tmp", "/tmp", NULL};
    for (size_t i = 0; i < 3; i++)
        EXPECT_STR(hy_state_parents[i], expected[i]);
    EXPECT(!hy_state_parents[3]);
}

TEST(state_dir, folders_are_made_below_one_that_is_there)
{
    struct hy_error err = {.text = ""};
    begin();
    EXPECT_INT(hy_state_dir_make_below(in("home/a/b"), strlen(in("home")), NULL), HY_OK);
    EXPECT_INT(hy_state_dir_make_below(in("home/a/b"), strlen(in("home")), NULL), HY_OK);
    EXPECT(is_there("home/a/b"));
    EXPECT_INT(hy_state_dir_make_below(in("ghost/a"), strlen(in("ghost")), &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "ghost/a");
    end();
}
