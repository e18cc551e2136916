#ifndef HY_COMMON_ERROR_H
#define HY_COMMON_ERROR_H

#include <stddef.h>
#include <stdint.h>

/*
 * The result code for every fallible function of the project, and the error text.
 *
 * The values equal the ANEURALNETWORKS_ result codes, and a failure keeps its code from the kernel
 * up to the app.
 */
enum hy_code {
    HY_OK = 0,
    HY_OUT_OF_MEMORY = 1,     /* an allocation failed; a retry may help */
    HY_UNEXPECTED_NULL = 3,   /* NULL for a required value */
    HY_BAD_DATA = 4,          /* invalid argument, model, file or request; never retry */
    HY_FAILED = 5,            /* the work itself failed (a driver, a kernel, an OS call) */
    HY_BAD_STATE = 6,         /* the call is not allowed in the object's state */
    HY_UNMAPPABLE = 7,        /* memory could not be mapped */
    HY_INSUFFICIENT_SIZE = 8, /* an output buffer is too small; retry with the reported shape */
    HY_UNAVAILABLE = 9,       /* device offline or busy; retry later */
    HY_MISSED_DEADLINE = 10,  /* deadline missed; a retry may succeed */
    HY_MISSED_DEADLINE_FOR_GOOD = 11, /* deadline missed; a retry will not succeed */
    HY_EXHAUSTED = 12,                /* driver temporarily out of resources */
    HY_EXHAUSTED_FOR_GOOD = 13,       /* driver out of resources; a retry will not succeed */
    HY_DEAD = 14,                     /* the driver has died */
};

#define HY_ERROR_TEXT_SIZE 384

/*
 * The description of an error. The struct is owned by the caller and has a fixed size: failing
 * never allocates. `text` names the object, the index and the numbers: "CONV_2D: input 0 has rank
 * 3, needs 4". The text is a single printable line (printable.h), even with parts from a driver.
 */
struct hy_error {
    enum hy_code code;
    int line;
    const char *file;
    char text[HY_ERROR_TEXT_SIZE];
};

#define HY_MUST_CHECK __attribute__((warn_unused_result))

/* Returns its argument. Lets the macros below serve as statement and as value. */
static inline enum hy_code hy_code_itself(enum hy_code code)
{
    return code;
}

/*
 * Fills `err` (may be NULL) and returns `code`; evaluates `code` twice. Long texts are truncated. A
 * macro lets the compiler see the returned code.
 */
#define hy_fail(err, code, ...) \
    (hy_error_set((err), (code), __FILE__, __LINE__, __VA_ARGS__), hy_code_itself(code))

void hy_error_set(struct hy_error *err, enum hy_code code, const char *file, int line,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Puts "prefix: " before the text of a failure. Returns `code`; evaluates `code` twice. */
#define hy_error_prefix(err, code, ...) \
    (hy_error_set_prefix((err), (code), __VA_ARGS__), hy_code_itself(code))

void hy_error_set_prefix(struct hy_error *err, enum hy_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "BAD_DATA" for HY_BAD_DATA; "UNKNOWN" for an unknown value. */
const char *hy_code_name(enum hy_code code);

#endif
