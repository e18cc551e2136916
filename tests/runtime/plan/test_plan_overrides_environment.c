/* HALYARD_PLAN_*, as a process finds them when it makes its first plan. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/plan/overrides.h"
#include "test.h"

/* What a process of its own has read: the environment is read once. */
struct reading {
    uint32_t max_steps, assigned;
    char log[2048];
};

/* In the child. */
static _Noreturn void read_overrides(const char *name, const char *value, int answer, int log)
{
    setenv("HALYARD_LOG", "warning", 1);
    setenv(name, value, 1);
    if (dup2(log, STDERR_FILENO) < 0)
        _exit(1);
    const struct hy_plan_overrides *overrides = hy_plan_overrides();
    const uint32_t numbers[] = {overrides->max_steps, overrides->assignments.count};
    _exit(write(answer, numbers, sizeof numbers) == sizeof numbers ? 0 : 1);
}

static struct reading reading_of(const char *name, const char *value)
{
    struct reading reading = {0};
    uint32_t numbers[2] = {0};
    int answer[2], log[2], status = 1;

    if (pipe2(answer, O_CLOEXEC) != 0 || pipe2(log, O_CLOEXEC) != 0)
        abort();
    const pid_t child = fork();
    if (child == 0)
        read_overrides(name, value, answer[1], log[1]);
    close(answer[1]);
    close(log[1]);
    EXPECT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    EXPECT_INT(read(answer[0], numbers, sizeof numbers), sizeof numbers);
    const ssize_t length = read(log[0], reading.log, sizeof reading.log - 1);
    reading.log[length > 0 ? length : 0] = '\0';
    reading.max_steps = numbers[0];
    reading.assigned = numbers[1];
    close(answer[0]);
    close(log[0]);
    return reading;
}

TEST(plan_overrides_environment, max_steps_is_a_number_above_zero)
{
    EXPECT_INT(reading_of("HALYARD_PLAN_MAX_STEPS", "3").max_steps, 3);
    EXPECT_STR(reading_of("HALYARD_PLAN_MAX_STEPS", "3").log, "");
}

TEST(plan_overrides_environment, what_is_no_number_of_steps_is_told_and_left_out)
{
    static const char *const wrong[] = {"0", "-1", " 2", "2 ", "many", "4294967296"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct reading reading = reading_of("HALYARD_PLAN_MAX_STEPS", wrong[i]);
        EXPECT_INT(reading.max_steps, 0);
        EXPECT(strstr(reading.log, "HALYARD_PLAN_MAX_STEPS") != NULL);
    }
}

/* ---- The file of assignments ----------------------------------------------------------------- */

/* A file in a folder of its own. */
struct place {
    char folder[32], path[48];
};

static struct place make_place(void)
{
    struct place place = {.folder = "/tmp/halyard-test-XXXXXX"};

    if (!mkdtemp(place.folder))
        abort();
    snprintf(place.path, sizeof place.path, "%s/assign.json", place.folder);
    return place;
}

static void remove_place(const struct place *place)
{
    unlink(place->path);
    rmdir(place->folder);
}

/* Text, and then as many spaces. */
static void fill(const struct place *place, const char *text, size_t spaces)
{
    FILE *file = fopen(place->path, "w");

    if (!file)
        abort();
    fprintf(file, "%s%*s", text, (int)spaces, "");
    fclose(file);
}

static const char assignments[] = "{\"operations\": {\"0\": \"a\", \"CONV_2D\": \"b\"}}";

TEST(plan_overrides_environment, assignments_come_from_a_file)
{
    const struct place place = make_place();

    fill(&place, assignments, 0);
    const struct reading reading = reading_of("HALYARD_PLAN_ASSIGN", place.path);
    EXPECT_INT(reading.assigned, 2);
    EXPECT_STR(reading.log, "");
    remove_place(&place);
}

static void expect_nothing(const struct place *place, const char *why)
{
    const struct reading reading = reading_of("HALYARD_PLAN_ASSIGN", place->path);

    EXPECT_INT(reading.assigned, 0);
    EXPECT(strstr(reading.log, place->path) != NULL);
    EXPECT(strstr(reading.log, why) != NULL);
}

TEST(plan_overrides_environment, a_file_that_is_not_there_assigns_nothing)
{
    const struct place place = make_place();

    expect_nothing(&place, "No such file");
    remove_place(&place);
}

TEST(plan_overrides_environment, a_file_of_something_else_assigns_nothing)
{
    const struct place place = make_place();

    fill(&place, "{\"operations\": [", 0);
    expect_nothing(&place, "nothing is assigned");
    remove_place(&place);
}

TEST(plan_overrides_environment, a_file_that_is_too_large_assigns_nothing)
{
    const struct place place = make_place();

    fill(&place, assignments, HY_ASSIGNMENT_FILE_MAX_BYTES - strlen(assignments));
    EXPECT_INT(reading_of("HALYARD_PLAN_ASSIGN", place.path).assigned, 2);
    fill(&place, assignments, HY_ASSIGNMENT_FILE_MAX_BYTES - strlen(assignments) + 1);
    expect_nothing(&place, "more than");
    remove_place(&place);
}

/* Nor does it wait for somebody to write to a pipe. */
TEST(plan_overrides_environment, what_is_no_file_assigns_nothing)
{
    const struct place place = make_place();

    EXPECT_INT(mkfifo(place.path, 0600), 0);
    expect_nothing(&place, "not a regular file");
    remove_place(&place);
}
