/* HALYARD_PLAN_*, as a process finds them when it makes its first plan. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/plan/overrides.h"
#include "tests/kit/test.h"

/* What a process of its own has read: the environment is read once. */
struct overrides_result {
    uint32_t max_steps, assigned;
    char log[2048];
};

/* In the child. */
static _Noreturn void read_overrides(const char *name, const char *value, int result_fd, int log)
{
    setenv("HALYARD_LOG", "warning", 1);
    setenv(name, value, 1);
    if (dup2(log, STDERR_FILENO) < 0)
        _exit(1);
    const struct hy_plan_overrides *overrides = hy_plan_overrides();
    const uint32_t numbers[] = {overrides->max_steps, overrides->assignments.count};
    _exit(write(result_fd, numbers, sizeof numbers) == sizeof numbers ? 0 : 1);
}

static struct overrides_result overrides_from(const char *name, const char *value)
{
    struct overrides_result overrides_result = {0};
    uint32_t numbers[2] = {0};
    int result_fd[2], log[2], status = 1;

    if (pipe2(result_fd, O_CLOEXEC) != 0 || pipe2(log, O_CLOEXEC) != 0)
        abort();
    const pid_t child = fork();
    if (child == 0)
        read_overrides(name, value, result_fd[1], log[1]);
    close(result_fd[1]);
    close(log[1]);
    EXPECT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    EXPECT_INT(read(result_fd[0], numbers, sizeof numbers), sizeof numbers);
    const ssize_t length = read(log[0], overrides_result.log, sizeof overrides_result.log - 1);
    overrides_result.log[length > 0 ? length : 0] = '\0';
    overrides_result.max_steps = numbers[0];
    overrides_result.assigned = numbers[1];
    close(result_fd[0]);
    close(log[0]);
    return overrides_result;
}

TEST(plan_overrides_environment, max_steps_is_a_number_above_zero)
{
    EXPECT_INT(overrides_from("HALYARD_PLAN_MAX_STEPS", "3").max_steps, 3);
    EXPECT_STR(overrides_from("HALYARD_PLAN_MAX_STEPS", "3").log, "");
}

TEST(plan_overrides_environment, what_is_no_number_of_steps_is_told_and_left_out)
{
    static const char *const wrong[] = {"0", "-1", " 2", "2 ", "many", "4294967296"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct overrides_result overrides_result =
            overrides_from("HALYARD_PLAN_MAX_STEPS", wrong[i]);
        EXPECT_INT(overrides_result.max_steps, 0);
        EXPECT(strstr(overrides_result.log, "HALYARD_PLAN_MAX_STEPS") != NULL);
    }
}

/* ---- The file of assignments ----------------------------------------------------------------- */

/* A file in a folder of its own. */
struct test_dir {
    char dir[32], path[48];
};

static struct test_dir make_test_dir(void)
{
    struct test_dir test_dir = {.dir = "/tmp/halyard-test-XXXXXX"};

    if (!mkdtemp(test_dir.dir))
        abort();
    snprintf(test_dir.path, sizeof test_dir.path, "%s/assign.json", test_dir.dir);
    return test_dir;
}

static void remove_test_dir(const struct test_dir *test_dir)
{
    unlink(test_dir->path);
    rmdir(test_dir->dir);
}

/* Text, and then as many spaces. */
static void fill(const struct test_dir *test_dir, const char *text, size_t spaces)
{
    FILE *file = fopen(test_dir->path, "w");

    if (!file)
        abort();
    fprintf(file, "%s%*s", text, (int)spaces, "");
    fclose(file);
}

static const char assignments[] = "{\"operations\": {\"0\": \"a\", \"CONV_2D\": \"b\"}}";

TEST(plan_overrides_environment, assignments_come_from_a_file)
{
    const struct test_dir test_dir = make_test_dir();

    fill(&test_dir, assignments, 0);
    const struct overrides_result overrides_result =
        overrides_from("HALYARD_PLAN_ASSIGN", test_dir.path);
    EXPECT_INT(overrides_result.assigned, 2);
    EXPECT_STR(overrides_result.log, "");
    remove_test_dir(&test_dir);
}

static void expect_nothing(const struct test_dir *test_dir, const char *why)
{
    const struct overrides_result overrides_result =
        overrides_from("HALYARD_PLAN_ASSIGN", test_dir->path);

    EXPECT_INT(overrides_result.assigned, 0);
    EXPECT(strstr(overrides_result.log, test_dir->path) != NULL);
    EXPECT(strstr(overrides_result.log, why) != NULL);
}

TEST(plan_overrides_environment, a_file_that_is_not_there_assigns_nothing)
{
    const struct test_dir test_dir = make_test_dir();

    expect_nothing(&test_dir, "No such file");
    remove_test_dir(&test_dir);
}

TEST(plan_overrides_environment, a_file_of_something_else_assigns_nothing)
{
    const struct test_dir test_dir = make_test_dir();

    fill(&test_dir, "{\"operations\": [", 0);
    expect_nothing(&test_dir, "the file is ignored");
    remove_test_dir(&test_dir);
}

TEST(plan_overrides_environment, a_file_that_is_too_large_assigns_nothing)
{
    const struct test_dir test_dir = make_test_dir();

    fill(&test_dir, assignments, HY_ASSIGNMENT_FILE_MAX_BYTES - strlen(assignments));
    EXPECT_INT(overrides_from("HALYARD_PLAN_ASSIGN", test_dir.path).assigned, 2);
    fill(&test_dir, assignments, HY_ASSIGNMENT_FILE_MAX_BYTES - strlen(assignments) + 1);
    expect_nothing(&test_dir, "more than");
    remove_test_dir(&test_dir);
}

/* Nor does it wait for somebody to write to a pipe. */
TEST(plan_overrides_environment, what_is_no_file_assigns_nothing)
{
    const struct test_dir test_dir = make_test_dir();

    EXPECT_INT(mkfifo(test_dir.path, 0600), 0);
    expect_nothing(&test_dir, "not a regular file");
    remove_test_dir(&test_dir);
}
