#include "bench/cache/records_store.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 8, TOKENS = 200, SECONDS = 5 };
enum { RIGHT, WRONG = 10, REFUSED }; /* how a process ends */

void hy_numbered_token(uint64_t index, uint8_t token[32])
{
    for (unsigned i = 0; i < 32; i++) {
        index = (index ^ index >> 31) * UINT64_C(0x9e3779b97f4a7c15) + i;
        token[i] = (uint8_t)(index >> 56);
    }
}

void hy_digest_for(const uint8_t token[32], uint8_t digest[32])
{
    for (unsigned i = 0; i < 32; i++)
        digest[i] = (uint8_t)(token[31 - i] * 7 + i);
}

/* Looks for every token: each found digest must be right. Counts missing tokens. */
static int read_all(const struct contender *contender, void *store, unsigned *missing)
{
    for (unsigned i = 0; i < TOKENS; i++) {
        uint8_t token[32], digest[32], expected[32];
        hy_numbered_token(i, token);
        hy_digest_for(token, expected);
        if (!contender->find(store, token, digest))
            ++*missing;
        else if (memcmp(digest, expected, sizeof digest) != 0)
            return WRONG;
    }
    return RIGHT;
}

static bool write_one(const struct contender *contender, void *store, unsigned index)
{
    uint8_t token[32], digest[32];
    hy_numbered_token(index, token);
    hy_digest_for(token, digest);
    return contender->store(store, token, digest);
}

static void work_until_killed(const struct contender *contender, const char *dir, unsigned seed)
{
    void *store;
    unsigned missing = 0;

    if (!contender->open(dir, &store))
        _exit(REFUSED);
    for (unsigned i = seed;; i = i * 1103515245u + 12345u) {
        if (!write_one(contender, store, i % TOKENS))
            _exit(REFUSED);
        if (i % 16 == 0 && read_all(contender, store, &missing) != RIGHT)
            _exit(WRONG);
    }
}

static pid_t start(const struct contender *contender, const char *dir, unsigned seed)
{
    const pid_t child = fork();
    if (child == 0)
        work_until_killed(contender, dir, seed);
    return child;
}

/* Opens, reads all and writes all, in a process of its own and with a limit of time. */
static int verify_store(const struct contender *contender, const char *dir, unsigned *missing)
{
    int status, ends[2];
    if (pipe(ends) != 0)
        abort();
    const pid_t child = fork();
    if (child == 0) {
        unsigned count = 0;
        void *store;
        alarm(SECONDS);
        if (!contender->open(dir, &store))
            _exit(REFUSED);
        int result = read_all(contender, store, &count);
        for (unsigned i = 0; i < TOKENS; i++) {
            if (!write_one(contender, store, i) && result == RIGHT)
                result = REFUSED;
        }
        (void)!write(ends[1], &count, sizeof count);
        _exit(result);
    }
    close(ends[1]);
    if (read(ends[0], missing, sizeof *missing) != sizeof *missing)
        *missing = TOKENS;
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

void hy_records_kill(const struct contender *contender, const char *dir, unsigned kills)
{
    pid_t workers[PROCESSES];
    unsigned bad = 0, missing = 0;

    srand(1);
    for (unsigned i = 0; i < PROCESSES; i++)
        workers[i] = start(contender, dir, i);
    for (unsigned i = 0; i < kills; i++) {
        const unsigned victim = (unsigned)rand() % PROCESSES;
        int status;
        usleep((useconds_t)(rand() % 4000));
        kill(workers[victim], SIGKILL);
        waitpid(workers[victim], &status, 0);
        bad += !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL;
        workers[victim] = start(contender, dir, PROCESSES + i);
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        kill(workers[i], SIGKILL);
        waitpid(workers[i], NULL, 0);
    }
    const int last = verify_store(contender, dir, &missing);
    printf("%-7s %u kills: %u processes failed before; afterwards status %d, %u of %d missing\n",
           contender->name, kills, bad, last, missing, TOKENS);
}

static uint8_t *read_file(const char *path, size_t *length)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0)
        abort();
    uint8_t *bytes = malloc((size_t)info.st_size);
    if (!bytes || read(fd, bytes, (size_t)info.st_size) != info.st_size)
        abort();
    close(fd);
    *length = (size_t)info.st_size;
    return bytes;
}

static void write_file(const char *path, const uint8_t *bytes, size_t length)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
        abort();
    close(fd);
}

void hy_records_damage(const struct contender *contender, const char *dir, unsigned copies)
{
    unsigned right = 0, wrong = 0, refused = 0, crashed = 0, hung = 0, missing, misses = 0;
    char path[4096];
    size_t length;

    verify_store(contender, dir, &missing); /* writes all */
    snprintf(path, sizeof path, "%s/%s", dir, contender->file);
    uint8_t *bytes = read_file(path, &length);
    srand(1);
    for (unsigned i = 0; i < copies; i++) {
        const size_t at = ((size_t)rand() * 32768 + (size_t)rand()) % length;
        bytes[at] ^= (uint8_t)(1u << i % 8);
        write_file(path, bytes, i % 8 == 7 ? at : length);
        bytes[at] ^= (uint8_t)(1u << i % 8);

        const int status = verify_store(contender, dir, &missing);
        right += status == RIGHT;
        wrong += status == WRONG;
        refused += status == REFUSED;
        hung += status == -SIGALRM;
        crashed += status < 0 && status != -SIGALRM;
        misses += status == RIGHT && missing > 0;
    }
    free(bytes);
    printf("%-7s %u damaged files of %zu bytes: %u served (%u of them with digests missing), "
           "%u a wrong digest, %u refused, %u crashed, %u hung\n",
           contender->name, copies, length, right, misses, wrong, refused, crashed, hung);
}
