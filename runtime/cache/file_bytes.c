#include "runtime/cache/file_bytes.h"

#include <sys/stat.h>

uint64_t hy_file_bytes(const int32_t *files, uint32_t count)
{
    uint64_t sum = 0;
    struct stat facts;

    for (uint32_t i = 0; i < count; i++) {
        if (fstat(files[i], &facts) == 0 && facts.st_size > 0)
            sum += (uint64_t)facts.st_size;
    }
    return sum;
}
