#ifndef HY_TESTS_FAKE_SUPPORT_LIBRARY_H
#define HY_TESTS_FAKE_SUPPORT_LIBRARY_H

#include <android/NeuralNetworksSupportLibraryImpl.h>

/*
 * A fake support library. Logs all calls and returns configured results. Executions copy input 0 to
 * output 0.
 *
 * Each call is a line of the log: the name without "ANeuralNetworks", and the numbers of the call.
 * An object has a letter for its kind and a number from 1: "Model_addOperation m1 0 in 0,1,2 out
 * 3". An invalid handle ends the test program.
 */
struct fake_support_library {
    /* ---- Settings; zeroed: no faults, one device, fake-npu ----------------------------------- */
    const char *faulty_call; /* name as in the log; the call returns `result` */
    int result;
    unsigned good_calls; /* successes of the faulty call before the fault */
    bool makes_nothing;  /* the faulty call returns NO_ERROR without creating anything */
    const char *missing; /* name of a table member with value NULL */
    const char *foreign; /* name of a table member with value `foreign_function` */
    void (*foreign_function)(void);
    bool without_table;
    int64_t level;         /* of the table; 0: 8 */
    int64_t device_level;  /* 0: 8 */
    uint32_t device_count; /* 0: 1; further names end in -1, -2, ... */
    uint32_t bad_device;   /* number of the only device with the faulty call; 0: all */
    int32_t device_type;
    uint32_t figure_count; /* operand types 0 to n - 1 have figures, in reverse order */
    uint32_t extension_types;
    uint8_t supported[8]; /* per operation: 0 yes, 1 no, other values are the call's result */
    int output_result;    /* result for output 0's rank and dimensions */
    uint32_t output_rank; /* 0: as set by the app */
    uint32_t output_dims[32];
    bool has_no_fence; /* executions have no sync fence */

    /* ---- Observations ------------------------------------------------------------------------ */
    int live;             /* live objects */
    int drivers_disabled; /* number of halyard_disable_drivers calls */
    const void *input;    /* input 0 of the latest execution */
    void *output;         /* output 0 of the latest execution */
    const void *value;    /* the latest operand value */
    uint64_t timeout;     /* the latest timeout */
    int fence;            /* the library's end of the latest event's fence */
    char log[16384];

    unsigned counts[128]; /* internal: created objects by letter of the kind */
};

/* Exported by the library. */
typedef struct fake_support_library *(*fake_support_library_fn)(void);

#endif
