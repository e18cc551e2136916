/* Rectangles, as in the NDK. */
#ifndef HALYARD_ANDROID_RECT_H
#define HALYARD_ANDROID_RECT_H

#include <stdint.h>

/** The pixels from (left, top), inclusive, to (right, bottom), exclusive. */
typedef struct ARect {
    /** The first column. */
    int32_t left;
    /** The first row. */
    int32_t top;
    /** The column behind the last. */
    int32_t right;
    /** The row behind the last. */
    int32_t bottom;
} ARect;

#endif
