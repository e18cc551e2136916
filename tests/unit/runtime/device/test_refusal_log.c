/* The words of refused calls in the log: clients that were written for another library print no
 * more than a number. Each case runs in a process of its own, where the setting is read and nothing
 * has been told yet. */
#include "tests/kit/allocation_count.h"
#include "tests/kit/child_log.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <stdlib.h>
#include <unistd.h>

#define LOG_SIZE 65536

/* What `refuse` leaves on stderr under this setting, in lines without a time. */
static void log_of_refusals(const char *setting, void (*refuse)(void), char text[LOG_SIZE])
{
    hy_child_log(setting, "journal", refuse, text, LOG_SIZE);
}

static unsigned count_lines(const char *text, const char *fragment)
{
    unsigned count = 0;

    for (const char *at = strstr(text, fragment); at; at = strstr(at + 1, fragment))
        count++;
    return count;
}

static void refuse_operation(int32_t operation)
{
    const uint32_t none = 0;
    ANeuralNetworksModel *model = NULL;

    ANeuralNetworksModel_create(&model);
    ANeuralNetworksModel_addOperation(model, operation, 1, &none, 1, &none);
    ANeuralNetworksModel_free(model);
}

/* One call three times, another one once. */
static void refuse_some(void)
{
    for (int i = 0; i < 3; i++)
        refuse_operation(ANEURALNETWORKS_RELU);
    refuse_operation(ANEURALNETWORKS_ABS);
    ANeuralNetworksModel_finish(NULL);
}

#define RELU_LINE "api: Model_addOperation: RELU: input 0 is operand 0, but there are 0 operands\n"
#define ABS_LINE  "api: Model_addOperation: ABS: input 0 is operand 0, but there are 0 operands\n"
#define NULL_LINE "api: Model_finish: model is NULL\n"
#define WARNING   "<4>"
#define DEBUG     "<7>"

TEST(refusal_log, each_distinct_reason_is_told_once)
{
    char text[LOG_SIZE];

    log_of_refusals("", refuse_some, text);
    EXPECT_STR(text, WARNING RELU_LINE WARNING ABS_LINE WARNING NULL_LINE);
    log_of_refusals("info", refuse_some, text);
    EXPECT_STR(text, WARNING RELU_LINE WARNING ABS_LINE WARNING NULL_LINE);
}

TEST(refusal_log, debug_tells_each_call)
{
    char text[LOG_SIZE];

    log_of_refusals("debug:api", refuse_some, text);
    EXPECT_STR(text,
               DEBUG RELU_LINE DEBUG RELU_LINE DEBUG RELU_LINE DEBUG ABS_LINE DEBUG NULL_LINE);
}

TEST(refusal_log, nothing_is_told_where_warnings_are_not_wanted)
{
    char text[LOG_SIZE];

    log_of_refusals("error", refuse_some, text);
    EXPECT_STR(text, "");
    log_of_refusals("none", refuse_some, text);
    EXPECT_STR(text, "");
    log_of_refusals("warning:plan", refuse_some, text);
    EXPECT_STR(text, "");
}

static void refuse_many(void)
{
    for (int32_t i = 1000; i < 2000; i++)
        refuse_operation(i);
}

TEST(refusal_log, flood_of_distinct_reasons_ends_with_a_word)
{
    char text[LOG_SIZE];

    log_of_refusals("", refuse_many, text);
    EXPECT_INT(count_lines(text, "does not exist\n"), 128);
    EXPECT_INT(
        count_lines(text, "operation 1127 does not exist\n<4>api: further lines of this kind"), 1);
}

/* Status 0 stands for a loop that asked for no memory. */
static void refuse_computing(void)
{
    ANeuralNetworksExecution_compute(NULL);
    const unsigned long before = hy_allocation_count();
    for (int i = 0; i < 1000; i++)
        ANeuralNetworksExecution_compute(NULL);
    if (hy_allocation_count() != before)
        _exit(3);
}

TEST(refusal_log, telling_asks_for_no_memory)
{
    char text[LOG_SIZE];

    log_of_refusals("", refuse_computing, text);
    EXPECT_STR(text, "<4>api: Execution_compute: execution is NULL\n");
}

/* LOGISTIC with a result whose scale LOGISTIC cannot have. */
static void ask_about_wrong_scale(void)
{
    const uint32_t extent = 4, x = 0, y = 1;
    const ANeuralNetworksOperandType type = {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                                             .dimensionCount = 1,
                                             .dimensions = &extent,
                                             .scale = 0.5f};
    ANeuralNetworksModel *model = NULL;
    ANeuralNetworksDevice *device = NULL;
    bool supported = true;

    ANeuralNetworksModel_create(&model);
    ANeuralNetworksModel_addOperand(model, &type);
    ANeuralNetworksModel_addOperand(model, &type);
    ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_LOGISTIC, 1, &x, 1, &y);
    ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &x, 1, &y);
    ANeuralNetworksModel_finish(model);
    ANeuralNetworks_getDevice(0, &device);
    for (int i = 0; i < 2; i++) {
        int code = ANeuralNetworksModel_getSupportedOperationsForDevices(
            model, (const ANeuralNetworksDevice *const *)&device, 1, &supported);
        if (code != ANEURALNETWORKS_NO_ERROR || supported)
            _exit(4);
    }
    ANeuralNetworksModel_free(model);
}

TEST(refusal_log, operation_that_no_device_is_asked_about_is_told_with_the_answer)
{
    char text[LOG_SIZE];

    log_of_refusals("", ask_about_wrong_scale, text);
    EXPECT_STR(text, "<4>api: Model_getSupportedOperationsForDevices: operation 0: LOGISTIC: "
                     "output 0 (operand 1) has scale 0.5 and zero point 0, needs 0.00390625 and "
                     "0\n");
}
