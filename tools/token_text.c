#include "tools/token_text.h"

#include <stdio.h>

void hy_token_text(const uint8_t token[HALYARD_TOKEN_SIZE], char text[HY_TOKEN_TEXT_SIZE])
{
    for (size_t i = 0; i < HALYARD_TOKEN_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", token[i]);
}
