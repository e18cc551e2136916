#ifndef HY_RUNTIME_CACHE_FILE_BYTES_H
#define HY_RUNTIME_CACHE_FILE_BYTES_H

#include <stdint.h>

/* Bytes of open files together; a file whose length cannot be told counts as empty. */
uint64_t hy_file_bytes(const int32_t *files, uint32_t count);

#endif
