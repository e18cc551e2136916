#ifndef HY_LIBHALYARD_PREPROCESS_NPY_H
#define HY_LIBHALYARD_PREPROCESS_NPY_H

#include <stdbool.h>

#include "common/error.h"
#include "libhalyard/preprocess/input_spec.h"

/*
 * NumPy's .npy files: "\x93NUMPY", a version, the length of a header, the header, the elements. The
 * header is a Python dictionary of three known keys:
 *
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (1, 96, 96, 3), }
 *
 * Supported are versions 1 (16-bit header length), 2 and 3 (32-bit), and little-endian elements in
 * C order. Element types are not converted: a file of float64 for a float32 tensor is an error with
 * both types in its text. Shapes may differ in leading 1s: (96, 96, 3) fits [1, 96, 96, 3].
 */
bool hy_npy_is(const void *file, size_t length);

enum { HY_NPY_MAX_RANK = 16 };

/* Reads the shape in the header. HY_BAD_DATA: the header is damaged, or an extent is beyond
 * int32. */
HY_MUST_CHECK enum hy_code hy_npy_read_shape(const void *file, size_t length, uint32_t *rank,
                                             int32_t extents[HY_NPY_MAX_RANK],
                                             struct hy_error *err);

HY_MUST_CHECK enum hy_code hy_npy_decode(const void *file, size_t length,
                                         const struct hy_input_spec *spec, void *out, size_t bytes,
                                         struct hy_error *err);

#endif
