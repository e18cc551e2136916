#ifndef HY_TESTS_CONTRACT_H
#define HY_TESTS_CONTRACT_H

/*
 * What every call of the API promises beside its result code: a failing one leaves words that begin
 * with its name, and its code; a succeeding one leaves those of the last failure as they are. The
 * macros take the call itself, and check all of that:
 *
 *     EXPECT_FAIL(BAD_STATE, ANeuralNetworksModel_finish(model));
 *     EXPECT_OK(ANeuralNetworksModel_create(&model));
 *
 * A REQUIRE leaves the test when the code is another.
 */
#include "test.h"

#include <android/NeuralNetworks.h>
#include <halyard/halyard.h>
#include <stdbool.h>

#define EXPECT_CODE(expected, call) \
    ((void)(contract_before(expected), \
            contract_after(__FILE__, __LINE__, #call, (expected), (call))))
#define EXPECT_FAIL(code, call) EXPECT_CODE(ANEURALNETWORKS_##code, call)
#define EXPECT_OK(call)         EXPECT_CODE(ANEURALNETWORKS_NO_ERROR, call)

#define REQUIRE_OK(call) \
    do { \
        contract_before(ANEURALNETWORKS_NO_ERROR); \
        if (!contract_after(__FILE__, __LINE__, #call, ANEURALNETWORKS_NO_ERROR, (call))) \
            return; \
    } while (0)

/* "BAD_DATA"; "an undefined code" for what is none. */
const char *contract_code_name(int code);

/* For tables of what is allowed and what is BAD_DATA. */
static inline int code_if(bool allowed)
{
    return allowed ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA;
}

/* For calls out of a table: `call` begins with the function's name, "ANeuralNetworksModel_…". */
void contract_before(int expected);
bool contract_after(const char *file, int line, const char *call, int expected, int actual);

/* The name of a function as the words of a failure begin with it: without "ANeuralNetworks". */
const char *contract_short_name(const char *call);

/* What an out-parameter held before the call: no object, never looked into. */
#define OLD_VALUE(type) ((type *)(void *)contract_old_value)
extern char contract_old_value[];

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
