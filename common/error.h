#ifndef HY_COMMON_ERROR_H
#define HY_COMMON_ERROR_H

#include <stddef.h>
#include <stdint.h>

/*
 * One result code for every fallible function of the project, and a place to put the words.
 *
 * The values equal the ANEURALNETWORKS_ result codes (api/result.c asserts it), so a failure keeps
 * its meaning from the kernel that noticed it to the app that reads it.
 */
enum hy_code {
    HY_OK = 0,
    HY_OUT_OF_MEMORY = 1,     /* an allocation failed; a retry may help */
    HY_UNEXPECTED_NULL = 3,   /* NULL where a value is needed; caller's mistake */
    HY_BAD_DATA = 4,          /* an argument, model, file or request is wrong; never retry */
    HY_FAILED = 5,            /* the work itself failed (a driver, a kernel, an OS call) */
    HY_BAD_STATE = 6,         /* right call, wrong moment in the object's life */
    HY_UNMAPPABLE = 7,        /* memory could not be mapped */
    HY_INSUFFICIENT_SIZE = 8, /* an output buffer is too small; retry with the shape told */
    HY_UNAVAILABLE = 9,       /* device offline or busy; retry later */
    HY_MISSED_DEADLINE = 10,  /* out of time, trying again soon may work */
    HY_MISSED_DEADLINE_FOR_GOOD = 11, /* out of time, trying again will not work */
    HY_EXHAUSTED = 12,                /* driver out of resources for now */
    HY_EXHAUSTED_FOR_GOOD = 13,       /* driver out of resources, a retry will not help */
    HY_DEAD = 14,                     /* the driver is gone */
};

#define HY_ERROR_TEXT_SIZE 384

/*
 * What went wrong, in words. Owned by the caller, of fixed size, so failing never allocates. `text`
 * names the object, the index and the numbers: "CONV_2D: input 0 has rank 3, needs 4". The
 * text is one printable line (printable.h), also where a driver wrote parts of it.
 */
struct hy_error {
    enum hy_code code;
    int line;
    const char *file;
    char text[HY_ERROR_TEXT_SIZE];
};

#define HY_MUST_CHECK __attribute__((warn_unused_result))

/* Its argument: lets the macros below stand both as a statement and as a value. */
static inline enum hy_code hy_code_itself(enum hy_code code)
{
    return code;
}

/*
 * Fills `err` (may be NULL) and gives `code`, which it evaluates twice; long texts are cut, never
 * overflowed. A macro, so that the compiler sees which code comes back.
 */
#define hy_fail(err, code, ...) \
    (hy_error_set((err), (code), __FILE__, __LINE__, __VA_ARGS__), hy_code_itself(code))

void hy_error_set(struct hy_error *err, enum hy_code code, const char *file, int line,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Puts "prefix: " before the text of a failure on its way up. Gives `code`, evaluated twice. */
#define hy_error_prefix(err, code, ...) \
    (hy_error_set_prefix((err), (code), __VA_ARGS__), hy_code_itself(code))

void hy_error_set_prefix(struct hy_error *err, enum hy_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "BAD_DATA" for HY_BAD_DATA; "code 99" style names do not exist: unknown values give "UNKNOWN". */
const char *hy_code_name(enum hy_code code);

#endif
