#include "cache_store/used.h"

#include "cache_store/directory/names.h"
#include "cache_store/directory/private_dir.h"
#include "cache_store/directory/trash.h"
#include "common/clock.h"

#include "common/checked.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define BEFORE_COUNTED " bytes at most, counted at "
#define FORMAT         "%020" PRIu64 BEFORE_COUNTED "%020" PRIu64 "\n"
#define TEXT_LENGTH    (20 + sizeof BEFORE_COUNTED - 1 + 20 + 1)
#define MOST_TRIES     3
#define LOCK_TRIES     300
#define LOCK_WAIT_NS   1000000

/* ---- The file -------------------------------------------------------------------------------- */

/* Other processes hold the lock for microseconds, unless they are suspended. */
static bool lock(int fd)
{
    const struct timespec pause = {.tv_nsec = LOCK_WAIT_NS};
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* Opens and locks the file. An invalid file, or a file that stays locked, is replaced by a new file
 * with an unknown bound. -1: no file. */
static int open_locked(int root)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        int fd = -1;
        enum hy_code code = hy_file_open(root, HY_NAME_USED, O_RDWR, &fd, NULL, NULL);
        if (code == HY_BAD_DATA) {
            if (hy_trash_unlink(root, HY_NAME_USED) != 0)
                hy_trash_put(root, root, HY_NAME_USED, NULL);
            code = hy_file_open(root, HY_NAME_USED, O_RDWR | O_CREAT | O_EXCL, &fd, NULL, NULL);
        }
        if (code != HY_OK && code != HY_BAD_STATE)
            return -1;
        if (code == HY_OK) {
            if (!lock(fd))
                hy_trash_unlink(root, HY_NAME_USED);
            else if (hy_dir_is_at(root, HY_NAME_USED, fd))
                return fd;
            close(fd);
        }
    }
    return -1;
}

static void unlock(int fd)
{
    flock(fd, LOCK_UN);
    close(fd);
}

static int format(struct hy_used used, char text[TEXT_LENGTH + 1])
{
    return snprintf(text, TEXT_LENGTH + 1, FORMAT, used.bytes, used.counted);
}

/* Accepts only text in the exact format of write_used. */
static struct hy_used read_used(int fd)
{
    const struct hy_used unknown = {HY_USED_UNKNOWN, (uint64_t)hy_clock_read(CLOCK_REALTIME)};
    struct hy_used used = {0};
    char text[TEXT_LENGTH + 2], again[TEXT_LENGTH + 1];
    size_t length = 0;

    if (hy_file_read(fd, text, TEXT_LENGTH + 1, &length, NULL) != HY_OK || length != TEXT_LENGTH)
        return unknown;
    text[length] = '\0';
    if (sscanf(text, "%" SCNu64 BEFORE_COUNTED "%" SCNu64, &used.bytes, &used.counted) != 2)
        return unknown;
    format(used, again);
    return strcmp(text, again) == 0 ? used : unknown;
}

static void write_used(int root, int fd, struct hy_used used)
{
    char text[TEXT_LENGTH + 1];
    const int length = format(used, text);
    if (hy_file_write(fd, text, (size_t)length, 0, NULL) != HY_OK || ftruncate(fd, length) != 0)
        hy_trash_unlink(root, HY_NAME_USED);
}

/* ---- The bound ------------------------------------------------------------------------------- */

struct hy_used hy_used_add(int root, uint64_t bytes)
{
    const int fd = open_locked(root);
    if (fd < 0)
        return (struct hy_used){.bytes = HY_USED_UNKNOWN};
    struct hy_used used = read_used(fd);
    if (!hy_add_u64(used.bytes, bytes, &used.bytes))
        used.bytes = HY_USED_UNKNOWN;
    write_used(root, fd, used);
    unlock(fd);
    return used;
}

void hy_used_correct(int root, struct hy_used before, uint64_t exact)
{
    const int fd = open_locked(root);
    if (fd < 0)
        return;
    struct hy_used used = read_used(fd);
    if (used.counted == before.counted && used.bytes >= before.bytes) {
        used.bytes = exact + (used.bytes - before.bytes);
        used.counted = (uint64_t)hy_clock_read(CLOCK_REALTIME);
        write_used(root, fd, used);
    }
    unlock(fd);
}
