#ifndef HY_TOOLS_BYTE_TEXT_H
#define HY_TOOLS_BYTE_TEXT_H

#include <stdint.h>

/* "512 B", "4.3 MiB". */
struct hy_byte_text {
    char text[24];
};

struct hy_byte_text hy_byte_text(uint64_t bytes);

#endif
