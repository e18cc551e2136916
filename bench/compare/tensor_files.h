#ifndef HY_BENCH_COMPARE_TENSOR_FILES_H
#define HY_BENCH_COMPARE_TENSOR_FILES_H

#include "bench/compare/engines.h"
#include "libhalyard/preprocess/file_map.h"
#include "libhalyard/tflite/tflite_model.h"

/*
 * The tensors of a model in files of a directory: contestants in different processes read the same
 * inputs, and the comparison reads their outputs.
 */
struct hy_tensor_files {
    const char *dir; /* owned by the caller */
    struct hy_file file;
    struct hy_tflite_model *model;
};

/* The directory exists. Files of another model are overwritten. */
HY_MUST_CHECK enum hy_code hy_tensor_files_open(const char *dir, const char *model,
                                                struct hy_tensor_files *out, struct hy_error *err);
void hy_tensor_files_close(struct hy_tensor_files *tensor_files);

/* Makes waves with noise, of both signs: floats from -1 to 1, int8 and uint8 over their range,
 * int32 and int64 from 0 to 7, bool 0 and 1, arbitrary bytes for the other types. Every call makes
 * the same data. */
HY_MUST_CHECK enum hy_code hy_tensor_files_make_inputs(const struct hy_tensor_files *tensor_files,
                                                       struct hy_error *err);

/* Copies the inputs to a contestant; copies its outputs to the directory. */
HY_MUST_CHECK enum hy_code hy_tensor_files_set_inputs(const struct hy_tensor_files *tensor_files,
                                                      struct hy_engine_instance *instance,
                                                      struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_tensor_files_save_outputs(const struct hy_tensor_files *tensor_files,
                                                        const struct hy_engine_instance *instance,
                                                        enum hy_engine who, struct hy_error *err);

/* The difference between the outputs of two contestants: steps for quantised models, else a
 * fraction of the largest output. */
HY_MUST_CHECK enum hy_code hy_tensor_files_compare(const struct hy_tensor_files *tensor_files,
                                                   enum hy_engine own, enum hy_engine other,
                                                   double *difference, struct hy_error *err);

/* True if the first output is of floats. */
bool hy_tensor_files_is_float(const struct hy_tensor_files *tensor_files);

#endif
