#ifndef HY_LIBHALYARD_SESSION_FILE_KIND_H
#define HY_LIBHALYARD_SESSION_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What a file is that somebody took for a network. False: a `.tflite` file, by its identifier. Else
 * `text` gets the words "an ONNX model; convert it to .tflite, with onnx2tf for example": what the
 * file is, by its first bytes, and what would help. Names out of the file are cleaned by whoever
 * prints the words.
 */
bool hy_file_is_other(const void *bytes, size_t length, char *text, size_t size);

#endif
