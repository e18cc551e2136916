/* Rectangles, as in the NDK. */
#ifndef HALYARD_ANDROID_RECT_H
#define HALYARD_ANDROID_RECT_H

#include <stdint.h>

/** The pixels from (left, top), inclusive, to (right, bottom), exclusive. */
typedef struct ARect {
    int32_t left;
    int32_t top;
    int32_t right;
    int32_t bottom;
} ARect;

#endif
