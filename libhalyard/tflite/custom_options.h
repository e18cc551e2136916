#ifndef HY_LIBHALYARD_TFLITE_CUSTOM_OPTIONS_H
#define HY_LIBHALYARD_TFLITE_CUSTOM_OPTIONS_H

#include "common/memory/arena.h"
#include "libhalyard/tflite/flexbuffer.h"
#include "libhalyard/tflite/tflite_model.h"

/*
 * Conversion of the options of a custom operator to attributes. The first fault is saved as a text,
 * and from then on every function does nothing and returns a harmless value: a conversion is a
 * plain list without checks.
 */
struct hy_custom_options {
    const uint8_t *bytes;
    uint64_t length;
    struct hy_flex_map map;
    struct hy_arena *arena; /* the graph's arena: for lists, and for the text of a fault */
    const char *fault;      /* NULL: none */
    enum hy_code code;      /* HY_OUT_OF_MEMORY, with the error text in `err`, or HY_OK */
    struct hy_error *err;
};

struct hy_custom_options hy_custom_options_of(const struct hy_tflite_operator *operator_,
                                              struct hy_arena *arena, struct hy_error *err);

/* Saves a fault, of one line. */
void hy_custom_refuse(struct hy_custom_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A copy that lives as long as the graph. */
const uint32_t *hy_custom_copy(struct hy_custom_options *options, const uint32_t *tensors,
                               uint32_t count);

/* ---- A struct of int32 ----------------------------------------------------------------------- */

/* Number `index` of the struct; a number beyond the end of the struct or outside the range is a
 * fault. */
int32_t hy_custom_field(struct hy_custom_options *options, uint32_t index, const char *name,
                        int32_t least, int32_t most);

/* ---- A map by names -------------------------------------------------------------------------- */

/* Called before all other functions. */
void hy_custom_open_map(struct hy_custom_options *options);

bool hy_custom_has(struct hy_custom_options *options, const char *key);

/* A whole number in a range; a missing number is a fault. */
int32_t hy_custom_whole(struct hy_custom_options *options, const char *key, int32_t least,
                        int32_t most);

/* A number in the range of float32; a bound may be infinite. */
float hy_custom_real(struct hy_custom_options *options, const char *key);
float hy_custom_bound(struct hy_custom_options *options, const char *key);

/* A vector of at least one whole number; returns the count. */
uint32_t hy_custom_wholes(struct hy_custom_options *options, const char *key, int32_t least,
                          int32_t most, const int32_t **ret_numbers);

/* A fault unless the value of the key is the text. */
void hy_custom_expect_text(struct hy_custom_options *options, const char *key, const char *text);

#endif
