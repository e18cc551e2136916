/* What a hostile driver does to the memory that it is given. */
#include "attack.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST = 3, LAST = 512, MOST = 1 << 16, PATTERN = 0xa5 };

static void write_over(int fd, size_t bytes)
{
    static char junk[MOST];

    memset(junk, PATTERN, sizeof junk);
    (void)!pwrite(fd, junk, bytes, 0);
    (void)!lseek(fd, 0, SEEK_SET);
    (void)!write(fd, junk, bytes);
}

/* Before anything is cut: a mapping of what is not there any more would end this process. */
static void map_and_write(int fd, size_t bytes)
{
    void *writable = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    void *readable = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

    if (writable != MAP_FAILED) {
        memset(writable, PATTERN, bytes);
        munmap(writable, bytes);
    }
    if (readable != MAP_FAILED) {
        (void)attack_mapping(readable, bytes);
        munmap(readable, bytes);
    }
}

int attack_mapping(void *address, unsigned long bytes)
{
    (void)!madvise(address, bytes, MADV_REMOVE);
    if (mprotect(address, bytes, PROT_READ | PROT_WRITE) != 0)
        return 0;
    memset(address, PATTERN, bytes);
    return 1;
}

static void resize(int fd, off_t size)
{
    (void)!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, size);
    (void)!fallocate(fd, FALLOC_FL_ZERO_RANGE, 0, size);
    (void)!fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 0, 4096);
    (void)!fallocate(fd, 0, 0, 2 * size);
    (void)!ftruncate(fd, 2 * size);
    (void)!ftruncate(fd, 0);
    (void)!fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

static void attack(int fd, off_t size, int resizes)
{
    const size_t bytes = size < MOST ? (size_t)size : MOST;

    if (fd < 0 || bytes == 0)
        return;
    write_over(fd, bytes);
    map_and_write(fd, bytes);
    if (resizes)
        resize(fd, size);
}

static int open_again(int fd, int flags)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, flags | O_CLOEXEC);
}

/* The rings of a burst are its own; junk in them is tried elsewhere (queue_hostile). */
static int is_ring(int fd)
{
    char path[64], target[64] = "";

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return readlink(path, target, sizeof target - 1) > 0 && strstr(target, "halyard-burst");
}

void attack_all(int resizes)
{
    struct stat status;

    for (int fd = FIRST; fd < LAST; fd++) {
        if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || is_ring(fd))
            continue;
        const int again = open_again(fd, O_RDWR);
        const off_t size = status.st_size;
        attack(fd, size, resizes);
        attack(again, size, resizes);
        close(again);
        if (resizes)
            close(open_again(fd, O_RDWR | O_TRUNC));
    }
}

static void *go_on(void *argument)
{
    for (;;) {
        attack_all(argument != NULL);
        usleep(200);
    }
    return argument;
}

void attack_for_ever(int resizes)
{
    static char yes;
    pthread_t thread;

    if (pthread_create(&thread, NULL, go_on, resizes ? &yes : NULL) == 0)
        pthread_detach(thread);
}
