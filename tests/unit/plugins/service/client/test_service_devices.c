/* Two drivers in processes of their own, and the app that uses them. */
#include "isolated.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPU    "halyard-cpu"
#define SAMPLE "halyard-sample"

TEST(services, devices_tell_of_their_processes)
{
    const struct halyard_device_info cpu = isolated_info(CPU), sample = isolated_info(SAMPLE);
    const struct halyard_device_info reference = isolated_info("nnapi-reference");

    EXPECT_INT(cpu.kind, HALYARD_DEVICE_SERVICE);
    EXPECT_INT(sample.kind, HALYARD_DEVICE_SERVICE);
    EXPECT(cpu.process_id > 0 && cpu.process_id != getpid());
    EXPECT(sample.process_id > 0 && sample.process_id != cpu.process_id);
    EXPECT(cpu.sandbox && *cpu.sandbox);
    EXPECT_INT(reference.kind, HALYARD_DEVICE_BUILT_IN);
    EXPECT_INT(reference.process_id, 0);
    EXPECT_STR(reference.sandbox, "");
}

/* Whether a file whose name holds the word is mapped into the process. */
static bool has_mapped(pid_t pid, const char *word)
{
    char path[64], line[1024];
    bool found = false;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "r");
    while (maps && fgets(line, sizeof line, maps))
        found |= strstr(line, word) != NULL;
    if (maps)
        fclose(maps);
    return found;
}

TEST(services, library_of_an_isolated_driver_never_comes_into_the_app)
{
    EXPECT(isolated_pid(SAMPLE) > 0);
    EXPECT(!has_mapped(getpid(), "halyard_sample"));
    EXPECT(has_mapped(isolated_pid(SAMPLE), "halyard_sample"));
}

TEST(services, every_way_to_run_has_the_same_results)
{
    for (unsigned seed = 0; seed < 20; seed++)
        EXPECT(small_life(seed));
}

TEST(services, two_processes_share_the_steps_of_one_plan)
{
    static const char *const names[] = {SAMPLE, CPU};
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation = NULL;
    struct small_run run = {0};

    const ANeuralNetworksDevice *devices[] = {isolated_device(names[0]), isolated_device(names[1])};
    REQUIRE(ANeuralNetworksCompilation_createForDevices(model, devices, 2, &compilation) ==
            ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_compilation_split_operations(compilation, true), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), ANEURALNETWORKS_NO_ERROR);
    const uint64_t before[] = {isolated_info(SAMPLE).execution_count,
                               isolated_info(CPU).execution_count};
    EXPECT(small_run_init(&run, compilation, true));
    for (unsigned seed = 0; seed < 10; seed++) {
        small_run_fill(&run, seed * 100);
        EXPECT(small_run_compute(&run));
    }
    EXPECT(isolated_info(SAMPLE).execution_count >= before[0] + 10);
    EXPECT(isolated_info(CPU).execution_count >= before[1] + 10);
    small_run_finish(&run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

TEST(services, app_that_waits_for_children_sees_none)
{
    EXPECT(isolated_pid(CPU) > 0);
    EXPECT_INT(waitpid(-1, NULL, WNOHANG), -1);
    EXPECT_INT(errno, ECHILD);
}

TEST(services, child_of_the_app_has_processes_of_its_own)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation =
        isolated_compile(model, (const char *const[]){CPU}, 1);
    const pid_t of_the_parent = isolated_pid(CPU);
    struct small_run run;
    int status = -1;

    REQUIRE(compilation && small_run_init(&run, compilation, true));
    small_run_fill(&run, 1);
    EXPECT(small_run_compute(&run));
    if (HY_SLOWNESS > 1) /* the allocator of a sanitizer stays locked in a child */
        hy_threads_wait_for_rest();
    const pid_t child = fork();
    if (child == 0) {
        alarm(300);
        small_run_fill(&run, 700);
        const bool right = small_run_compute(&run) && small_life(3);
        const pid_t its_own = isolated_pid(CPU);
        _exit(right && its_own > 0 && its_own != of_the_parent ? 0 : 1);
    }
    EXPECT_INT(waitpid(child, &status, 0), child);
    EXPECT_INT(status, 0);
    EXPECT_INT(isolated_pid(CPU), of_the_parent);
    small_run_fill(&run, 2);
    EXPECT(small_run_compute(&run));
    small_run_finish(&run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static int count_descriptors(pid_t pid)
{
    char path[64];
    int count = 0;

    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

/* An execution with both arguments in a memory object that is freed afterwards. */
static bool run_in_memory(ANeuralNetworksCompilation *compilation, unsigned seed)
{
    enum { BYTES = 4096, OUT = 1024 };
    ANeuralNetworksExecution *execution = NULL;
    ANeuralNetworksMemory *memory = NULL;
    struct small_run run;
    const int fd = memfd_create("arguments", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, BYTES) != 0)
        return false;

    small_run_fill(&run, seed);
    int code = pwrite(fd, run.in, sizeof run.in, 0) == (ssize_t)sizeof run.in
                   ? ANEURALNETWORKS_NO_ERROR
                   : ANEURALNETWORKS_OP_FAILED;
    code |= ANeuralNetworksMemory_createFromFd(BYTES, PROT_READ | PROT_WRITE, fd, 0, &memory);
    code |= ANeuralNetworksExecution_create(compilation, &execution);
    code |=
        ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, sizeof run.in);
    code |= ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, OUT,
                                                         sizeof run.out);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksExecution_compute(execution);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(memory);
    const bool is_read = pread(fd, run.out, sizeof run.out, OUT) == (ssize_t)sizeof run.out;
    close(fd);
    return code == ANEURALNETWORKS_NO_ERROR && is_read && small_run_is_right(&run);
}

/* What is freed is told to the process, which answers nothing: it takes the time that it takes; and
 * the app goes on, which tells what there was no room for. */
static bool descriptors_sink_to(ANeuralNetworksCompilation *compilation, pid_t pid, int most)
{
    for (unsigned i = 0; i < 3000 && count_descriptors(pid) > most; i++) {
        usleep(10000);
        if (i % 100 == 99 && !run_in_memory(compilation, i))
            return false;
    }
    return count_descriptors(pid) <= most;
}

TEST(services, memory_that_the_app_frees_is_given_back_by_the_process)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation =
        isolated_compile(model, (const char *const[]){CPU}, 1);
    bool right = compilation != NULL;

    for (unsigned i = 0; right && i < 50; i++)
        right = run_in_memory(compilation, i);
    const int before = count_descriptors(isolated_pid(CPU));
    for (unsigned i = 0; right && i < 500; i++)
        right = run_in_memory(compilation, i);
    EXPECT(right);
    EXPECT(before > 0 && descriptors_sink_to(compilation, isolated_pid(CPU), before + 2));
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* Pieces of memory that are all of one file, so that an app has room for so many. */
enum { MOST_PIECES = 1100, PIECE_EXTENT = sizeof(float) * SMALL_EXTENT };

struct pieces {
    ANeuralNetworksMemory *memories[MOST_PIECES];
    unsigned count;
    int fd;
};

static bool make_pieces(unsigned count, struct pieces *pieces)
{
    *pieces = (struct pieces){.count = count, .fd = memfd_create("arguments", MFD_CLOEXEC)};
    bool right = pieces->fd >= 0 && ftruncate(pieces->fd, 4096) == 0;

    for (unsigned i = 0; right && i < count; i++)
        right =
            ANeuralNetworksMemory_createFromFd(4096, PROT_READ | PROT_WRITE, pieces->fd, 0,
                                               &pieces->memories[i]) == ANEURALNETWORKS_NO_ERROR;
    return right;
}

static void free_pieces(struct pieces *pieces)
{
    for (unsigned i = 0; i < pieces->count; i++)
        ANeuralNetworksMemory_free(pieces->memories[i]);
    close(pieces->fd);
}

/* Execution `number`, with one of the pieces. */
static bool run_in_piece(ANeuralNetworksCompilation *compilation, const struct pieces *pieces,
                         unsigned number)
{
    ANeuralNetworksExecution *execution = NULL;
    ANeuralNetworksMemory *memory = pieces->memories[number % pieces->count];
    struct small_run run;

    small_run_fill(&run, number);
    const bool right =
        pwrite(pieces->fd, run.in, PIECE_EXTENT, 0) == PIECE_EXTENT &&
        ANeuralNetworksExecution_create(compilation, &execution) == ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, PIECE_EXTENT) ==
            ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, 1024,
                                                     PIECE_EXTENT) == ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksExecution_compute(execution) == ANEURALNETWORKS_NO_ERROR &&
        pread(pieces->fd, run.out, PIECE_EXTENT, 1024) == PIECE_EXTENT && small_run_is_right(&run);
    ANeuralNetworksExecution_free(execution);
    return right;
}

/* More of it than there is room to tell a process that does not read. */
TEST(services, memory_freed_while_the_process_stands_still_is_given_back_later)
{
    enum { PIECES = 700 };
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation =
        isolated_compile(model, (const char *const[]){CPU}, 1);
    struct pieces pieces = {.fd = -1};
    bool right = compilation && run_in_memory(compilation, 0) && make_pieces(PIECES, &pieces);
    const pid_t pid = isolated_pid(CPU);
    const int before = count_descriptors(pid);

    for (unsigned i = 0; right && i < PIECES; i++)
        right = run_in_piece(compilation, &pieces, i);
    isolated_stop(pid);
    free_pieces(&pieces);
    isolated_signal(CPU, SIGCONT);
    EXPECT(right && run_in_memory(compilation, 1));
    EXPECT(before > 0 && descriptors_sink_to(compilation, pid, before + 2));
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* More pieces than the process keeps: those that were forgotten are told of again. */
TEST(services, more_memory_than_the_process_keeps_is_no_error)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation =
        isolated_compile(model, (const char *const[]){CPU}, 1);
    struct pieces pieces = {.fd = -1};
    bool right = compilation && make_pieces(MOST_PIECES, &pieces);

    for (unsigned i = 0; right && i < 2 * MOST_PIECES; i++)
        right = run_in_piece(compilation, &pieces, i);
    EXPECT(right);
    EXPECT_INT(isolated_info(CPU).restart_count, 0);
    free_pieces(&pieces);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}
