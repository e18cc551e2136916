#ifndef HY_TESTS_FAKE_SUPPORT_LIBRARY_H
#define HY_TESTS_FAKE_SUPPORT_LIBRARY_H

#include <android/NeuralNetworksSupportLibraryImpl.h>

/*
 * A support library that writes down what it is called with and answers what it is told to. Its
 * executions copy input 0 to output 0.
 *
 * Calls stand in the log by their names without "ANeuralNetworks", a line each, with their numbers;
 * objects are told apart by theirs, counted for each kind from 1: "Model_addOperation m1 0 in 0,1,2
 * out 3". Handles that are not alive end the test program.
 */
struct fake_support_library {
    /* ---- What it is told; zeroed, it is a faultless library with one device, fake-npu -------- */
    const char *faulty_call; /* as in the log; it answers `result` */
    int result;
    unsigned good_calls; /* of the faulty call, before it becomes that */
    bool makes_nothing;  /* the faulty call answers NO_ERROR all the same, and makes nothing */
    const char *missing; /* member of the table that is NULL, by its whole name */
    const char *foreign; /* member of the table that is `foreign_function` */
    void (*foreign_function)(void);
    bool without_table;
    int64_t level;         /* of the table; 0: 8 */
    int64_t device_level;  /* 0: 8 */
    uint32_t device_count; /* 0: 1; the names of the others end in -1, -2, ... */
    uint32_t bad_device;   /* number of the only one that a faulty call counts for; 0: all */
    int32_t device_type;
    uint32_t figure_count; /* operand types 0, 1, ... have figures; last one first */
    uint32_t extension_types;
    uint8_t supported[8]; /* per operation: 0 is yes, 1 is no, else it is the answer */
    int output_result;    /* of output 0's rank and dimensions */
    uint32_t output_rank; /* 0: as it was set */
    uint32_t output_dims[32];
    bool has_no_fence; /* events of executions have none */

    /* ---- What it tells -------------------------------------------------------------------- */
    int live;             /* objects that are alive */
    int drivers_disabled; /* calls of halyard_disable_drivers */
    const void *input;    /* address of input 0 of the latest execution */
    void *output;         /* of output 0 */
    const void *value;    /* address of the latest operand value */
    uint64_t timeout;     /* the latest one set */
    int fence;            /* that the latest event signals; the library's own end */
    char log[16384];

    unsigned counts[128]; /* its own: objects made so far, by the letter of their kind */
};

/* Exported by the library. */
typedef struct fake_support_library *(*fake_support_library_fn)(void);

#endif
