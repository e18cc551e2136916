#ifndef HY_LIBHALYARD_SESSION_FILE_KIND_H
#define HY_LIBHALYARD_SESSION_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Recognises the kind of a file given as a network. False: a `.tflite` file, by its identifier.
 * Else `text` gets the kind of the file, by its first bytes, and a remedy: "an ONNX model; convert
 * it to .tflite, with onnx2tf for example". The caller must make names from the file printable
 * before printing the text.
 */
bool hy_file_is_other(const void *bytes, size_t length, char *text, size_t size);

#endif
