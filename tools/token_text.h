#ifndef HY_TOOLS_TOKEN_TEXT_H
#define HY_TOOLS_TOKEN_TEXT_H

#include <halyard/halyard.h>

#define HY_TOKEN_TEXT_SIZE (2 * HALYARD_TOKEN_SIZE + 1)

/* In hexadecimal. */
void hy_token_text(const uint8_t token[HALYARD_TOKEN_SIZE], char text[HY_TOKEN_TEXT_SIZE]);

#endif
