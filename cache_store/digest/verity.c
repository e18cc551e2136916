#include "cache_store/digest/verity.h"

#include <linux/fsverity.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* All file systems with fs-verity support this block size. */
#define BLOCK_BYTES 4096u

#define MOST_DIGEST_BYTES 64u

bool hy_verity_enable(int fd)
{
    const struct fsverity_enable_arg how = {
        .version = 1, .hash_algorithm = FS_VERITY_HASH_ALG_SHA256, .block_size = BLOCK_BYTES};

    return ioctl(fd, FS_IOC_ENABLE_VERITY, &how) == 0;
}

bool hy_verity_is_on(int fd)
{
    union {
        struct fsverity_digest head;
        uint8_t capacity[sizeof(struct fsverity_digest) + MOST_DIGEST_BYTES];
    } digest = {.head.digest_size = MOST_DIGEST_BYTES};

    return ioctl(fd, FS_IOC_MEASURE_VERITY, &digest) == 0;
}
