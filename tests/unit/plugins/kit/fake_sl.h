#ifndef HY_TESTS_FAKE_SL_H
#define HY_TESTS_FAKE_SL_H

#include "fake_support_library.h"

/* Shared by the parts of the fake support library. */
extern struct fake_support_library fake_state;

/* Appends printf-style text to the log. */
void fake_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void fake_note_list(uint32_t count, const uint32_t *list);
void fake_note_type(const ANeuralNetworksOperandType *type);

/* Whether the call must fail now. Counts down `good_calls`. */
bool fake_is_faulty(const char *call);

/* Logs the call and returns if the call must fail. */
#define CALL(name, ...) \
    do { \
        fake_note(name __VA_ARGS__); \
        fake_note("\n"); \
        if (fake_is_faulty(name)) \
            return fake_state.makes_nothing ? ANEURALNETWORKS_NO_ERROR : fake_state.result; \
    } while (0)

struct fake_object {
    char kind; /* m model, c compilation, x execution, b burst, s memory, e event */
    unsigned number;
    int fd; /* of memory and events */
    size_t size;
    char *address;
    const char *input; /* of executions, with the members below */
    char *output;
    size_t input_length, output_length;
};

/* An invalid handle, or a handle of another kind, ends the program. */
struct fake_object *fake_make(char kind);
struct fake_object *fake_find(const void *handle, char kind);
unsigned fake_number(const void *handle, char kind);
void fake_drop(const char *call, void *handle, char kind); /* logs the call; accepts NULL */

const char *fake_device_name(const ANeuralNetworksDevice *device);

/* The functions of the table, with the types of the table's members. */
#define LEVEL_5(member, function) \
    __typeof__(*((NnApiSLDriverImplFL5 *)NULL)->member) fake_##function;
#define LEVEL_8(member, function) \
    __typeof__(*((NnApiSLDriverImplFL8 *)NULL)->member) fake_##function;
#include "fake_support_library_members.def"
#undef LEVEL_5
#undef LEVEL_8

#endif
