#include "plugins/service/process/end_page.h"

#include "common/system_code.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORD_BYTES sizeof(uint32_t)
#define SEALS      (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL)

#define IS_REPORTED UINT32_C(0x10000) /* flag; the low bits are the wait status */

/* A child must not inherit the mapping: seals do not prevent writes through an existing mapping. */
static enum hy_code map_and_seal(int fd, struct hy_end_page *ret, struct hy_error *err)
{
    if (ftruncate(fd, WORD_BYTES) != 0)
        return hy_fail(err, HY_FAILED, "an end page: %s", strerror(errno));
    void *memory = mmap(NULL, WORD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return hy_fail(err, HY_OUT_OF_MEMORY, "an end page: %s", strerror(errno));
    if (madvise(memory, WORD_BYTES, MADV_DONTFORK) != 0 || fcntl(fd, F_ADD_SEALS, SEALS) != 0) {
        (void)hy_fail(err, HY_FAILED, "an end page: %s", strerror(errno));
        munmap(memory, WORD_BYTES);
        return HY_FAILED;
    }
    *ret = (struct hy_end_page){.fd = fd, .word = memory};
    return HY_OK;
}

enum hy_code hy_end_page_make(struct hy_end_page *ret, struct hy_error *err)
{
    const int fd = memfd_create("halyard-end", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) {
        const int reason = errno;
        return hy_fail(err, hy_system_code(reason, HY_FAILED), "an end page: %s", strerror(reason));
    }

    enum hy_code code = map_and_seal(fd, ret, err);
    if (code != HY_OK)
        close(fd);
    return code;
}

void hy_end_page_report(const struct hy_end_page *page, int wait_status)
{
    if (page->fd >= 0)
        atomic_store(page->word, IS_REPORTED | (uint32_t)wait_status);
}

/* Only memfds have seals. Reading another kind of file could block. */
bool hy_end_page_is_one(int fd)
{
    const int seals = fcntl(fd, F_GET_SEALS);
    struct stat info;

    return seals >= 0 && (seals & SEALS) == SEALS && fstat(fd, &info) == 0 &&
           info.st_size == (off_t)WORD_BYTES;
}

/* Reads with pread instead of a mapping: a peer that truncates the file cannot raise SIGBUS
 * here. */
static uint32_t read_word(int fd)
{
    uint32_t word = 0;

    return pread(fd, &word, sizeof word, 0) == (ssize_t)sizeof word ? word : 0;
}

bool hy_end_page_await(int fd, int milliseconds, struct hy_process_end *ret)
{
    if (fd < 0)
        return false;
    while (read_word(fd) == 0 && milliseconds-- > 0)
        (void)poll(NULL, 0, 1);
    /* Writing is atomic, reading is not: a second read after a nonzero word sees the whole word. */
    const uint32_t word = read_word(fd);
    if (!(word & IS_REPORTED))
        return false;
    *ret = hy_process_end_of((int)(word & (IS_REPORTED - 1)));
    return true;
}
